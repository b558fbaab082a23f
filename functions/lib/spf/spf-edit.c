#include "functions/lib/spf/spf-edit.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/spf/spf-record.h"
#include "runtime/buffer.h"

#define VERSION "v=spf1"

static bool is_plain(const char *text)
{
	for (; *text != '\0'; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

/* Finds the word in the record, delimited by spaces. */
static const char *find_word(const char *record, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = record; *at != '\0'; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		if (strncasecmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0'))
			return at;
	}
	return NULL;
}

const char *eds_spf_record_end(struct rt_ctx *ctx, const char *record)
{
	struct eds_spf_record read;
	const struct eds_spf_term *all;
	const char *at;
	size_t end = strlen(record);

	if (!is_plain(record) || !eds_spf_record_parse(ctx, record, end, &read))
		return NULL;
	all = eds_spf_record_find(&read, EDS_SPF_ALL);
	if (all == NULL && eds_spf_record_find(&read, EDS_SPF_REDIRECT) != NULL)
		return NULL;
	while (end > 0 && record[end - 1] == ' ')
		end--;
	if (all == NULL)
		return rt_printf(ctx, "%.*s ~all", (int)end, record);
	at = find_word(record, all->text);
	if (all->qualifier != '?' || at == NULL)
		return NULL;
	return rt_printf(ctx, "%.*s~all%s", (int)(at - record), record, at + strlen(all->text));
}

struct joining {
	struct rt_buffer out;
	const char *all; /* the term "all" that ends the records; "" if they have none; NULL until a
			  * record has been joined */
	bool uncertain;
};

static void join_term(struct joining *joining, const struct eds_spf_term *term)
{
	if (term->kind == EDS_SPF_REDIRECT || term->kind == EDS_SPF_EXP ||
		term->kind == EDS_SPF_OTHER || !is_plain(term->text))
		joining->uncertain = true;
	else if (term->kind != EDS_SPF_ALL && find_word(joining->out.bytes, term->text) == NULL)
		rt_buffer_format(&joining->out, " %s", term->text);
}

static void join_record(
	struct rt_ctx *ctx, struct joining *joining, const struct eds_dns_record *record)
{
	struct eds_spf_record read;
	const struct eds_spf_term *all;
	const char *end;

	if (record->txt_length > EDS_SPF_RECORD_MAX ||
		!eds_spf_record_parse(ctx, record->txt, record->txt_length, &read)) {
		joining->uncertain = true;
		return;
	}
	all = eds_spf_record_find(&read, EDS_SPF_ALL);
	end = all != NULL ? all->text : "";
	if (joining->all != NULL && strcasecmp(joining->all, end) != 0)
		joining->uncertain = true;
	joining->all = end;
	for (size_t i = 0; i < read.count; i++)
		join_term(joining, &read.terms[i]);
}

/* True for a record that begins with "v=spf1", in upper or lower case, and then has a space or ends
 * (section 4.5). */
static bool is_spf(const struct eds_dns_record *record)
{
	size_t length = strlen(VERSION);

	return record->txt_length >= length && strncasecmp(record->txt, VERSION, length) == 0 &&
		(record->txt_length == length || record->txt[length] == ' ');
}

const char *eds_spf_records_join(struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	struct joining joining = {.all = NULL};

	rt_buffer_init(&joining.out, ctx, EDS_SPF_RECORD_MAX);
	rt_buffer_text(&joining.out, VERSION);
	for (size_t i = 0; i < answer->count; i++)
		if (is_spf(&answer->records[i]))
			join_record(ctx, &joining, &answer->records[i]);
	if (joining.all != NULL && joining.all[0] != '\0')
		rt_buffer_format(&joining.out, " %s", joining.all);
	return joining.all == NULL || joining.uncertain || joining.out.overflow ? NULL
										: joining.out.bytes;
}
