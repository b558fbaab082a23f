#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "functions/lib/spf/spf-check.h"
#include "functions/lib/spf/spf-macro.h"
#include "runtime/buffer.h"
#include "runtime/time.h"

/* The client's address for %{i}: "192.0.2.3", or 32 hex digits with dots between them for IPv6
 * (section 7.3). */
static const char *dotted_client(struct eds_spf_check *check)
{
	const struct rt_ip *client = &check->input->client;
	char *text = rt_alloc(check->ctx, RT_IP_TEXT_MAX + 2 * sizeof client->bytes);

	if (client->family == AF_INET) {
		rt_ip_format(client, text);
		return text;
	}
	for (size_t i = 0; i < sizeof client->bytes; i++)
		snprintf(text + 4 * i, 5, i + 1 < sizeof client->bytes ? "%X.%X." : "%X.%X",
			client->bytes[i] >> 4, client->bytes[i] & 0xfu);
	return text;
}

static const char *readable_client(struct eds_spf_check *check)
{
	char text[RT_IP_TEXT_MAX];

	rt_ip_format(&check->input->client, text);
	return rt_strdup(check->ctx, text);
}

/* The validated name of the client: preferably the domain itself, else a name below it, else any
 * other name (section 7.3). */
static const char *find_client_name(struct eds_spf_check *check, const char *domain)
{
	enum { SAME, BELOW, ANY, PREFERENCES };
	size_t count;
	const struct eds_dns_answer *names = eds_spf_client_names(check, &count);

	for (int preference = SAME; names != NULL && preference < PREFERENCES; preference++) {
		for (size_t i = 0; i < count; i++) {
			const char *name = names->records[i].name;

			if (preference == SAME && strcasecmp(name, domain) != 0)
				continue;
			if (preference == BELOW && !eds_spf_name_within(name, domain))
				continue;
			if (eds_spf_name_is_client(check, name))
				return name;
		}
	}
	return "unknown";
}

/* Caches the name, so that the lookups are made only once for a record that uses %{p} several
 * times. */
static const char *client_name(struct eds_spf_check *check, const struct eds_spf_source *source)
{
	if (check->named != source)
		check->client_name = find_client_name(check, source->domain);
	check->named = source;
	return check->client_name;
}

static const char *macro_value(
	struct eds_spf_check *check, const struct eds_spf_source *source, char letter)
{
	const struct eds_spf_input *input = check->input;

	switch (letter) {
	case 's':
		return check->sender;
	case 'l':
		return check->local_part;
	case 'o':
		return check->sender_domain;
	case 'd':
		return source->domain;
	case 'i':
		return dotted_client(check);
	case 'p':
		return client_name(check, source);
	case 'v':
		return input->client.family == AF_INET ? "in-addr" : "ip6";
	case 'h':
		return input->helo;
	case 'c':
		return readable_client(check);
	case 'r':
		return input->receiver[0] != '\0' ? input->receiver : "unknown";
	default: /* the only letter left: t, the time */
		return rt_printf(check->ctx, "%lld", (long long)(rt_wall_ms() / 1000));
	}
}

/* The maximum number of parts of a value that is split; the last part is the rest of the text. */
enum { PARTS_MAX = 1024 };

struct part {
	const char *text;
	size_t length;
};

static bool delimits(const struct eds_spf_macro *macro, char c)
{
	if (macro->delimiter_count == 0)
		return c == '.';
	return memchr(macro->delimiters, c, macro->delimiter_count) != NULL;
}

static size_t split(
	const struct eds_spf_macro *macro, const char *value, struct part parts[PARTS_MAX])
{
	size_t count = 0;
	const char *start = value;

	for (const char *at = value;; at++) {
		if (*at != '\0' && (count == PARTS_MAX - 1 || !delimits(macro, *at)))
			continue;
		parts[count++] = (struct part){start, (size_t)(at - start)};
		start = at + 1;
		if (*at == '\0')
			return count;
	}
}

static void reverse(struct part *parts, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct part swap = parts[i];

		parts[i] = parts[count - 1 - i];
		parts[count - 1 - i] = swap;
	}
}

/* Adds a text with URL escapes. Only unreserved characters (RFC 3986 section 2.3) stay as they are:
 * ALPHA / DIGIT / "-" / "." / "_" / "~". */
static void add_escaped(struct rt_buffer *out, const char *text, size_t length)
{
	static const char unreserved[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					 "0123456789-._~";

	for (size_t i = 0; i < length; i++)
		if (memchr(unreserved, text[i], sizeof unreserved - 1) != NULL)
			rt_buffer_add(out, text + i, 1);
		else
			rt_buffer_format(out, "%%%02X", (unsigned char)text[i]);
}

static void add_value(const struct eds_spf_macro *macro, const char *value, struct rt_buffer *out)
{
	struct part parts[PARTS_MAX];
	size_t count = split(macro, value, parts);
	size_t first = macro->digits > 0 && macro->digits < count ? count - macro->digits : 0;

	if (macro->reverse)
		reverse(parts, count);
	for (size_t i = first; i < count; i++) {
		if (i > first)
			rt_buffer_add(out, ".", 1);
		if (macro->escape)
			add_escaped(out, parts[i].text, parts[i].length);
		else
			rt_buffer_add(out, parts[i].text, parts[i].length);
	}
}

static void add_macro(struct eds_spf_check *check, const struct eds_spf_source *source,
	const struct eds_spf_macro *macro, struct rt_buffer *out)
{
	if (macro->letter == '%')
		rt_buffer_text(out, "%");
	else if (macro->letter == '_')
		rt_buffer_text(out, " ");
	else if (macro->letter == '-')
		rt_buffer_text(out, "%20");
	else
		add_value(macro, macro_value(check, source, macro->letter), out);
}

char *eds_spf_expand(struct eds_spf_check *check, const struct eds_spf_source *source,
	const char *text, enum eds_spf_place place, size_t max)
{
	size_t length = strlen(text);
	struct eds_spf_macro macro;
	struct rt_buffer out;

	rt_buffer_init(&out, check->ctx, max);
	for (size_t at = 0; at < length && !out.overflow;) {
		size_t octets = eds_spf_macro_read(text + at, length - at, place, &macro);

		if (octets > 0) {
			add_macro(check, source, &macro, &out);
		} else {
			octets = 1 + strcspn(text + at + 1, "%");
			rt_buffer_add(&out, text + at, octets);
		}
		at += octets;
	}
	return out.overflow ? NULL : out.bytes;
}

/* Removes the final dot; drops labels from the left while the name exceeds 253 octets (section
 * 7.3). */
static char *cut_name(char *name)
{
	size_t length = strlen(name);

	if (length > 0 && name[length - 1] == '.')
		name[--length] = '\0';
	while (length > EDS_DNS_NAME_MAX) {
		char *dot = strchr(name, '.');

		if (dot == NULL) { /* a single label that is too long: nothing can be dropped */
			name[EDS_DNS_NAME_MAX] = '\0';
			break;
		}
		length -= (size_t)(dot + 1 - name);
		name = dot + 1;
	}
	return name;
}

const char *eds_spf_target_name(struct eds_spf_check *check, const struct eds_spf_source *source,
	const struct eds_spf_term *term)
{
	char *name;

	if (term->target[0] == '\0')
		return source->domain;
	if (term->macros)
		name = eds_spf_expand(
			check, source, term->target, EDS_SPF_IN_RECORD, EDS_SPF_EXPANDED_MAX);
	else
		name = rt_strdup(check->ctx, term->target);
	if (name == NULL) {
		eds_spf_stop(check, EDS_SPF_PERMERROR, "macro-too-long",
			"The macros of \"%s\" expand to more than %d octets.", term->text,
			EDS_SPF_EXPANDED_MAX);
		return NULL;
	}
	return check->stopped ? NULL : cut_name(name);
}

const char *eds_spf_explain(struct eds_spf_check *check, const struct eds_spf_source *source)
{
	const struct eds_spf_term *term = eds_spf_record_find(&source->record, EDS_SPF_EXP);
	const char *name = term != NULL ? eds_spf_target_name(check, source, term) : NULL;
	const struct eds_dns_answer *answer;
	const struct eds_dns_record *text;
	const char *expanded;

	if (name == NULL)
		return "";
	answer = eds_spf_ask(check, name, EDS_DNS_TXT);
	if (answer == NULL || answer->state != EDS_DNS_FOUND || answer->count != 1)
		return "";
	text = &answer->records[0];
	if (!eds_spf_macro_string_valid(text->txt, text->txt_length, EDS_SPF_IN_EXPLANATION))
		return "";
	expanded = eds_spf_expand(check, source, rt_memdup(check->ctx, text->txt, text->txt_length),
		EDS_SPF_IN_EXPLANATION, EDS_SPF_EXPLANATION_MAX);
	return expanded != NULL ? expanded : "";
}
