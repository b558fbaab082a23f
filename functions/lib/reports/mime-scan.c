#include "functions/lib/reports/mime-scan.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/reports/reader.h"

enum {
	BOUNDARY_MAX = 70, /* maximum number of octets of a boundary that are compared (RFC 2046
			    * section 5.1.1) */
};

struct span {
	const char *at;
	size_t length;
};

struct scan {
	bool in_header;
	bool embeds;    /* the header has a type message/…, so another header follows it */
	bool addresses; /* the field is one that contains addresses */
	size_t header_octets;
	size_t field_octets;
	size_t fields;
	size_t colons;
	struct eds_mime_cost cost;
	size_t levels;
	size_t boundary_count;
	struct span boundaries[EDS_REPORT_LEVELS_MAX];
};

static const char *find_word(const struct span *line, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i + length <= line->length; i++)
		if (strncasecmp(line->at + i, word, length) == 0)
			return line->at + i;
	return NULL;
}

static bool is_address_field(const struct span *line)
{
	static const char *const names[] = {"from", "sender", "reply-to", "to", "cc", "bcc",
		"resent-from", "resent-sender", "resent-to", "resent-cc", "resent-bcc"};
	const char *colon = memchr(line->at, ':', line->length);
	size_t length = colon == NULL ? 0 : (size_t)(colon - line->at);

	while (length > 0 && (line->at[length - 1] == ' ' || line->at[length - 1] == '\t'))
		length--;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i]) == length && strncasecmp(line->at, names[i], length) == 0)
			return true;
	return false;
}

/* Keeps the value of boundary=. A separator line begins with two hyphens and this value. If no
 * value can be read, keeps "", so that every line that begins with two hyphens counts as a
 * separator. */
static bool keep_boundary(struct scan *scan, const struct span *line, const char *word)
{
	const char *end = line->at + line->length;
	const char *at = word + strlen("boundary");
	struct span *boundary;

	if (scan->boundary_count == EDS_REPORT_LEVELS_MAX)
		return false;
	boundary = &scan->boundaries[scan->boundary_count++];
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	*boundary = (struct span){.at = at, .length = 0};
	if (at == end || *at++ != '=')
		return true;
	while (at < end && (*at == ' ' || *at == '\t' || *at == '"'))
		at++;
	boundary->at = at;
	while (at < end && boundary->length < BOUNDARY_MAX && strchr("\"; \t", *at) == NULL) {
		boundary->length++;
		at++;
	}
	return true;
}

static void begin_header(struct scan *scan)
{
	scan->in_header = true;
	scan->embeds = scan->addresses = false;
	scan->header_octets = scan->field_octets = scan->fields = 0;
}

static bool end_header(struct scan *scan)
{
	if (!scan->embeds) {
		scan->in_header = false;
		return true;
	}
	begin_header(scan);
	return ++scan->levels <= EDS_REPORT_LEVELS_MAX;
}

static bool begin_field(struct scan *scan, const struct span *line)
{
	scan->field_octets = 0;
	scan->colons = 0;
	scan->addresses = is_address_field(line);
	scan->cost.fields++;
	return ++scan->fields <= EDS_MIME_FIELDS_MAX;
}

static bool look_at_field_line(struct scan *scan, const struct span *line)
{
	const char *word = find_word(line, "boundary");

	scan->header_octets += line->length;
	scan->cost.header_octets += line->length;
	scan->field_octets += line->length;
	if (scan->addresses)
		for (size_t i = 0; i < line->length; i++)
			scan->colons += line->at[i] == ':';
	if (find_word(line, "message/") != NULL)
		scan->embeds = true;
	if (word != NULL && !keep_boundary(scan, line, word))
		return false;
	return scan->header_octets <= EDS_REPORT_HEADER_MAX &&
		scan->field_octets <= EDS_REPORT_FIELD_MAX && scan->colons <= EDS_MIME_GROUPS_MAX;
}

static bool look_at_header_line(struct scan *scan, const struct span *line)
{
	if (line->length == 0)
		return end_header(scan);
	if (line->at[0] != ' ' && line->at[0] != '\t' && !begin_field(scan, line))
		return false;
	return look_at_field_line(scan, line);
}

static bool is_separator(const struct scan *scan, const struct span *line)
{
	if (line->length < 2 || line->at[0] != '-' || line->at[1] != '-')
		return false;
	for (size_t i = 0; i < scan->boundary_count; i++)
		if (line->length - 2 >= scan->boundaries[i].length &&
			memcmp(line->at + 2, scan->boundaries[i].at, scan->boundaries[i].length) ==
				0)
			return true;
	return false;
}

static bool look_at_line(struct scan *scan, const struct span *line)
{
	if (is_separator(scan, line)) {
		begin_header(scan);
		return ++scan->cost.parts <= EDS_REPORT_PARTS_MAX;
	}
	return !scan->in_header || look_at_header_line(scan, line);
}

bool eds_mime_scan(const char *mail, size_t length, struct eds_mime_cost *cost)
{
	struct scan scan = {.in_header = true};
	const char *end = mail + length;

	while (mail < end) {
		const char *newline = memchr(mail, '\n', (size_t)(end - mail));
		struct span line = {
			.at = mail, .length = (size_t)((newline == NULL ? end : newline) - mail)};

		mail += line.length + 1;
		if (line.length > 0 && line.at[line.length - 1] == '\r')
			line.length--;
		if (!look_at_line(&scan, &line))
			return false;
	}
	cost->parts += scan.cost.parts;
	cost->fields += scan.cost.fields;
	cost->header_octets += scan.cost.header_octets;
	return true;
}
