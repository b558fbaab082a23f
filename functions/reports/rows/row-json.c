#include "functions/reports/rows/row-json.h"
#include "runtime/json-format.h"

#include <string.h>

#include "functions/reports/detail-json.h"
#include "functions/reports/line.h"
#include "functions/reports/rows/row-names.h"
#include "runtime/text/decimal.h"

/* The members of a row, and of an auth (the members that many rows share), in the order of the
 * stored arrays. */
static const char *const columns[] = {"source", "disposition", "dkim", "spf", "messages", "class"};
static const char *const shared[] = {"headerFrom", "envelopeFrom", "envelopeTo", "reasons",
	"dkimResults", "spfResults", "leftOut"};
static const char *const reason_columns[] = {"type", "comment", NULL};
static const char *const dkim_columns[] = {"domain", "selector", "result", "humanResult", NULL};
static const char *const spf_columns[] = {"domain", "scope", "result", "humanResult", NULL};

enum {
	COLUMNS = sizeof columns / sizeof columns[0],
	SHARED = sizeof shared / sizeof shared[0],
	REASONS = 3, /* index of the first member of shared[] that is a list */
	LISTS = 3,
	ROW_BYTES_MAX = 256, /* room for a stored row: a source, four words and two numbers */
};

static const char *alignment_name(enum eds_report_alignment alignment)
{
	static const char *const names[] = {
		[EDS_ALIGNMENT_UNKNOWN] = "unknown",
		[EDS_ALIGNMENT_PASS] = "pass",
		[EDS_ALIGNMENT_FAIL] = "fail",
	};

	return names[alignment];
}

static void put_items(struct rt_buffer *out, const char *before,
	const struct eds_report_auth_item *items, size_t count, bool are_reasons)
{
	rt_buffer_text(out, before);
	for (size_t i = 0; i < count; i++) {
		report_put_text(out, i > 0 ? ",[" : "[", items[i].domain);
		if (!are_reasons) {
			report_put_text(out, ",", items[i].selector);
			report_put_text(out, ",", items[i].result);
		}
		report_put_text(out, ",", items[i].remark);
		rt_buffer_text(out, "]");
	}
	rt_buffer_text(out, "]");
}

static void put_auth(struct rt_buffer *out, const struct eds_report_auth *auth)
{
	report_put_text(out, "[", auth->header_from);
	report_put_text(out, ",", auth->envelope_from);
	report_put_text(out, ",", auth->envelope_to);
	put_items(out, ",[", auth->reasons, auth->reason_count, true);
	put_items(out, ",[", auth->dkim, auth->dkim_count, false);
	put_items(out, ",[", auth->spf, auth->spf_count, false);
	rt_buffer_text(out, ",");
	rt_buffer_integer(out, auth->left_out);
	rt_buffer_text(out, "]");
}

/* Appends the text `before` and the word to a row; returns the end of the row. Does not use
 * rt_buffer, because its checks cost too much for the many words of a report. */
static char *add_word(char *at, const char *before, const char *word)
{
	return stpcpy(stpcpy(at, before), word);
}

static char *add_number(char *at, const char *before, int64_t number)
{
	char digits[RT_DECIMAL_MAX];
	const char *start = rt_decimal_signed(digits + sizeof digits, number);
	size_t length = (size_t)(digits + sizeof digits - start);

	at = stpcpy(at, before);
	memcpy(at, start, length);
	return at + length;
}

static void put_row(struct rt_buffer *out, const struct eds_report_row *row)
{
	char *room = rt_buffer_room(out, ROW_BYTES_MAX);
	char source[RT_IP_TEXT_MAX] = "";
	char *at;

	if (room == NULL)
		return;
	rt_ip_format(&row->source, source);
	at = *source != '\0' ? stpcpy(add_word(room, "[\"", source), "\"") : stpcpy(room, "[null");
	at = add_word(at, ",\"", report_disposition_name(row->disposition));
	at = add_word(at, "\",\"", alignment_name(row->dkim));
	at = add_word(at, "\",\"", alignment_name(row->spf));
	at = add_number(at, "\",", report_count(row->messages));
	at = add_word(at, ",\"", report_class_name(row->class));
	at = add_number(at, "\",", row->auth);
	*at++ = ']';
	rt_buffer_used(out, (size_t)(at - room));
}

void report_put_rows(struct rt_buffer *out, const struct eds_report *report)
{
	rt_buffer_text(out, ",\"auths\":[");
	for (size_t i = 0; i < report->auth_count; i++) {
		if (i > 0)
			rt_buffer_text(out, ",");
		put_auth(out, &report->auths[i]);
	}
	rt_buffer_text(out, "],\"rows\":[");
	for (size_t i = 0; i < report->row_count; i++) {
		if (i > 0)
			rt_buffer_text(out, ",");
		put_row(out, &report->rows[i]);
	}
	rt_buffer_text(out, "]");
}

static json_t *items_json(const json_t *kept, const char *const *names)
{
	json_t *items = json_array();

	for (size_t i = 0; i < json_array_size(kept); i++) {
		json_t *item = json_object();

		for (size_t column = 0; names[column] != NULL; column++)
			rt_json_set(item, names[column],
				json_incref(json_array_get(json_array_get(kept, i), column)));
		rt_json_append(items, item);
	}
	return items;
}

/* Changes the lists in each stored auth to the form that the API shows. The rows with the same auth
 * then share its lists. */
static void show_auths(json_t *auths)
{
	static const char *const *const lists[LISTS] = {reason_columns, dkim_columns, spf_columns};

	for (size_t i = 0; i < json_array_size(auths); i++) {
		json_t *auth = json_array_get(auths, i);

		for (size_t list = 0; list < LISTS; list++)
			json_array_set_new(auth, REASONS + list,
				items_json(json_array_get(auth, REASONS + list), lists[list]));
	}
}

static json_t *shared_json(const json_t *auth, size_t column)
{
	if (auth != NULL)
		return json_incref(json_array_get(auth, column));
	if (column < REASONS)
		return json_null();
	return column < REASONS + LISTS ? json_array() : json_integer(0);
}

static json_t *class_json(const json_t *kept)
{
	static const char pass[] = "pass";
	const char *dkim = json_string_value(json_array_get(kept, 2));
	const char *spf = json_string_value(json_array_get(kept, 3));

	return json_string(
		(dkim != NULL && strcmp(dkim, pass) == 0) || (spf != NULL && strcmp(spf, pass) == 0)
			? "passed"
			: "failed");
}

static json_t *row_json(const json_t *kept, const json_t *auths)
{
	const json_t *auth = json_array_get(
		auths, (size_t)json_integer_value(json_array_get(kept, COLUMNS)));
	bool is_whole = json_array_size(kept) > COLUMNS;
	json_t *row = json_object();

	for (size_t i = 0; i < COLUMNS; i++)
		rt_json_set(row, columns[i],
			i == COLUMNS - 1 && !is_whole ? class_json(kept)
						      : json_incref(json_array_get(kept, i)));
	for (size_t i = 0; i < SHARED; i++)
		rt_json_set(row, shared[i], shared_json(is_whole ? auth : NULL, i));
	return row;
}

void report_show_rows(json_t *report)
{
	const json_t *kept = json_object_get(report, "rows");
	json_t *auths = json_object_get(report, "auths");
	json_t *rows = json_array();

	show_auths(auths);
	for (size_t i = 0; i < json_array_size(kept); i++)
		rt_json_append(rows, row_json(json_array_get(kept, i), auths));
	rt_json_set(report, "rows", rows);
	json_object_del(report, "auths");
}
