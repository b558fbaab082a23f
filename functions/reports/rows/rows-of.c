#include "functions/reports/rows/rows-of.h"

#include <string.h>

#include "functions/lib/reports/report.h"
#include "functions/reports/rows/report-value.h"
#include "functions/reports/rows/row-names.h"
#include "runtime/json.h"

/* Columns of a stored row and of an auth, as row-json.c writes them. */
enum {
	ROW_SOURCE = 0,
	ROW_DISPOSITION,
	ROW_DKIM,
	ROW_SPF,
	ROW_MESSAGES,
	/* missing in reports stored by releases that did not distinguish forwarded mail */
	ROW_CLASS,
	ROW_AUTH,

	AUTH_FROM = 0,
	AUTH_DKIM = 4,
	AUTH_SPF = 5,

	ITEM_DOMAIN = 0,
	ITEM_SCOPE = 1, /* index of the scope in an SPF result */
	ITEM_RESULT = 2,
};

enum {
	/* maximum number of signing domains in the text `auth` of a row
	 * (functions/lib/store/reports/report-rows.h), because a sender can sign with any number of
	 * domains */
	SIGNERS_MAX = 3,
	DOMAIN_TEXT_MAX = 253,
};

static const char *text_at(const json_t *array, size_t index)
{
	const char *text = json_string_value(json_array_get(array, index));

	return text != NULL ? text : "";
}

/* True for a text that can be a domain name: a report may contain any text in place of a domain
 * name. */
static bool is_name(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789.-_");

	return length > 0 && text[length] == '\0' && length <= DOMAIN_TEXT_MAX;
}

static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(words, word); at != NULL; at = strstr(at + 1, word))
		if (at > words && at[-1] == ' ' && (at[length] == ' ' || at[length] == '\0'))
			return true;
	return false;
}

/* Appends a word such as " dkim+example.com" to *words. Returns false when the domain is not a
 * name, or *words has the word already. */
static bool put_word(struct rt_ctx *ctx, const char **words, const char *mechanism,
	const char *domain, const char *result)
{
	const char *name = rt_lower(ctx, domain);
	const char *sign = strcmp(result, "pass") == 0 ? "+" : "-";
	const char *word;

	if (!is_name(name))
		return false;
	word = rt_printf(ctx, "%s%s%s", mechanism, sign, name);
	if (has_word(*words, word))
		return false;
	*words = rt_printf(ctx, "%s %s", *words, word);
	return true;
}

static const char *first_word(struct rt_ctx *ctx, const char *header_from)
{
	const char *from = rt_lower(ctx, header_from);

	return is_name(from) ? from : "-";
}

/* The first SPF item about MAIL FROM, else the first item. */
static const json_t *spf_of(const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (strcmp(text_at(json_array_get(list, i), ITEM_SCOPE), "mfrom") == 0)
			return json_array_get(list, i);
	return json_array_get(list, 0);
}

static bool put_item(
	struct rt_ctx *ctx, const char **words, const char *mechanism, const json_t *item)
{
	return put_word(
		ctx, words, mechanism, text_at(item, ITEM_DOMAIN), text_at(item, ITEM_RESULT));
}

static const char *words_of(struct rt_ctx *ctx, const json_t *auth)
{
	const char *words = first_word(ctx, text_at(auth, AUTH_FROM));
	const json_t *dkim = json_array_get(auth, AUTH_DKIM);
	const json_t *spf = spf_of(json_array_get(auth, AUTH_SPF));
	int signers = 0;

	for (size_t i = 0; i < json_array_size(dkim) && signers < SIGNERS_MAX; i++)
		signers += put_item(ctx, &words, "dkim", json_array_get(dkim, i));
	if (spf != NULL)
		put_item(ctx, &words, "spf", spf);
	return words;
}

static int class_of(const json_t *row)
{
	const char *name = text_at(row, ROW_CLASS);
	bool passed = strcmp(text_at(row, ROW_DKIM), "pass") == 0 ||
		strcmp(text_at(row, ROW_SPF), "pass") == 0;

	for (int i = 0; i < EDS_CLASSES && json_array_size(row) > ROW_AUTH; i++)
		if (strcmp(name, report_class_name((enum eds_report_class)i)) == 0)
			return i;
	return passed ? EDS_CLASS_PASSED : EDS_CLASS_FAILED;
}

static int disposition_of(const json_t *row)
{
	const char *name = text_at(row, ROW_DISPOSITION);

	for (int i = 0; i < EDS_DISPOSITIONS; i++)
		if (strcmp(name, report_disposition_name((enum eds_report_disposition)i)) == 0)
			return i;
	return EDS_DISPOSITION_UNKNOWN;
}

/* The part of a report's message counts that the rows read so far have not used up, in total and by
 * class. */
struct left {
	int64_t all;
	int64_t of[EDS_CLASSES];
};

static struct left left_at_first(int64_t total, int64_t passed, int64_t forwarded)
{
	return (struct left){total,
		{[EDS_CLASS_PASSED] = passed,
			[EDS_CLASS_FORWARDED] = forwarded,
			[EDS_CLASS_FAILED] = total - passed - forwarded}};
}

static int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Reduces the messages of a row to the number that earlier rows have left of the report's total.
 * Each stored count is capped on its own, so the rows of a report may add up to more than its
 * total. */
static void take_from(struct left *left, struct eds_report_row_sum *sum)
{
	sum->messages = lesser(sum->messages, left->all);
	left->all -= sum->messages;
	left->of[sum->class] -= lesser(sum->messages, left->of[sum->class]);
}

static size_t add_others(struct eds_report_row_sum *sums, size_t count, struct left *left)
{
	for (int class = 0; class < EDS_CLASSES; class ++) {
		int64_t messages = lesser(left->of[class], left->all);

		if (messages <= 0)
			continue;
		left->all -= messages;
		sums[count++] = (struct eds_report_row_sum){
			"", EDS_DISPOSITION_UNKNOWN, class, "-", messages};
	}
	return count;
}

static struct eds_report_row_sum read_row(
	const json_t *row, const char *const *words, size_t word_count, struct left *left)
{
	struct eds_report_row_sum sum = {
		.source = text_at(row, ROW_SOURCE),
		.disposition = disposition_of(row),
		.class = class_of(row),
		.auth = "-",
		.messages = json_integer_value(json_array_get(row, ROW_MESSAGES)),
	};
	json_int_t auth = json_integer_value(json_array_get(row, ROW_AUTH));

	if (auth >= 0 && (size_t)auth < word_count && json_array_size(row) > ROW_AUTH)
		sum.auth = words[auth];
	take_from(left, &sum);
	return sum;
}

static const char **all_words(struct rt_ctx *ctx, const json_t *auths)
{
	size_t count = json_array_size(auths);
	const char **words = rt_alloc_array(ctx, count, sizeof *words);

	for (size_t i = 0; i < count; i++)
		words[i] = words_of(ctx, json_array_get(auths, i));
	return words;
}

struct reading {
	struct rt_ctx *keeper; /* the context in whose memory the sums are */
	const char *body;
	const struct report_totals *totals;
	struct eds_report_row_sum *sums;
	size_t count;
};

static void keep_sums(struct reading *reading, const struct eds_report_row_sum *sums, size_t count)
{
	struct rt_ctx *keeper = reading->keeper;

	reading->sums = rt_alloc_array(keeper, count + 1, sizeof *reading->sums);
	reading->count = count;
	for (size_t i = 0; i < count; i++) {
		reading->sums[i] = sums[i];
		reading->sums[i].source = rt_strdup(keeper, sums[i].source);
		reading->sums[i].auth = rt_strdup(keeper, sums[i].auth);
	}
}

static rt_status read_rows(struct rt_ctx *ctx, struct reading *reading, const json_t *report)
{
	const struct report_totals *totals = reading->totals;
	const json_t *rows = json_object_get(report, "rows");
	const json_t *auths = json_object_get(report, "auths");
	const char **words = all_words(ctx, auths);
	struct left left = left_at_first(totals->total, totals->passed, totals->forwarded);
	struct eds_report_row_sum *sums = rt_alloc_array(
		ctx, json_array_size(rows) + EDS_CLASSES, sizeof *sums);
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(rows); i++) {
		sums[count] = read_row(
			json_array_get(rows, i), words, json_array_size(auths), &left);
		count += sums[count].messages > 0;
	}
	keep_sums(reading, sums, add_others(sums, count, &left));
	return RT_OK;
}

/* Sums the rows of a stored body. If the body cannot be read, all messages of the report get the
 * source "". */
static rt_status read_body(struct rt_ctx *ctx, void *arg)
{
	struct reading *reading = arg;
	json_t *report = NULL;
	RT_JSON_MEMORY(ctx);

	if (reading->body != NULL &&
		rt_json_parse(ctx, reading->body, strlen(reading->body), &report) != RT_OK) {
		rt_fail_clear(ctx);
		report = NULL;
	}
	return read_rows(ctx, reading, report);
}

rt_status report_rows_of(struct rt_ctx *ctx, const char *body, const struct report_totals *totals,
	struct eds_report_row_sum **sums, size_t *count)
{
	struct reading reading = {.keeper = ctx, .body = body, .totals = totals};
	rt_status status = rt_run_apart(ctx, read_body, &reading);

	*sums = reading.sums;
	*count = reading.count;
	return status;
}

/* Like words_of(), but for an auth of a report that was just read and is not stored yet. */
static const char *words_read(struct rt_ctx *ctx, const struct eds_report_auth *auth)
{
	const char *words = first_word(ctx, auth->header_from);
	size_t spf = 0;
	int signers = 0;

	for (size_t i = 0; i < auth->dkim_count && signers < SIGNERS_MAX; i++)
		signers += put_word(
			ctx, &words, "dkim", auth->dkim[i].domain, auth->dkim[i].result);
	while (spf < auth->spf_count && strcmp(auth->spf[spf].selector, "mfrom") != 0)
		spf++;
	spf = spf < auth->spf_count ? spf : 0;
	if (auth->spf_count > 0)
		put_word(ctx, &words, "spf", auth->spf[spf].domain, auth->spf[spf].result);
	return words;
}

static const char *source_text(struct rt_ctx *ctx, const struct rt_ip *source)
{
	char text[RT_IP_TEXT_MAX];

	if (source->family == 0)
		return "";
	rt_ip_format(source, text);
	return rt_strdup(ctx, text);
}

void report_rows_read(struct rt_ctx *ctx, const struct eds_report *report,
	struct eds_report_row_sum **sums, size_t *count)
{
	struct left left = left_at_first(report_count(report->messages),
		report_count(report->passed), report_count(report->forwarded));
	const char **words = rt_alloc_array(ctx, report->auth_count + 1, sizeof *words);

	for (size_t i = 0; i < report->auth_count; i++)
		words[i] = words_read(ctx, &report->auths[i]);
	*sums = rt_alloc_array(ctx, report->row_count + EDS_CLASSES, sizeof **sums);
	*count = 0;
	for (size_t i = 0; i < report->row_count; i++) {
		const struct eds_report_row *row = &report->rows[i];
		struct eds_report_row_sum *sum = &(*sums)[*count];

		*sum = (struct eds_report_row_sum){
			.source = source_text(ctx, &row->source),
			.disposition = (int)row->disposition,
			.class = (int)row->class,
			.auth = row->auth < report->auth_count ? words[row->auth] : "-",
			.messages = report_count(row->messages),
		};
		take_from(&left, sum);
		*count += sum->messages > 0;
	}
	*count = add_others(*sums, *count, &left);
}
