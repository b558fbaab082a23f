#include "functions/lib/shape/part-fields.h"
#include "functions/lib/shape/encoded-words.h"

#include <string.h>
#include <strings.h>

#include "runtime/buffer.h"
#include "runtime/text/ascii.h"

enum {
	SECTIONS_MAX = 32,    /* maximum number of sections of one value (RFC 2231 section 3) */
	VALUE_MAX = 4 * 1024, /* maximum number of octets of one value */
};

/* A parameter as written in the field. */
struct parameter {
	const char *name; /* the name, name_length octets, including a '*' and the text after it */
	size_t name_length;
	const char *value; /* the value, value_length octets, without the quotes around it */
	size_t value_length;
	bool quoted;
};

/* The values of one parameter: as name=, as name*=, and in sections. */
struct found {
	const char *plain;
	const char *extended;
	const char *sections[SECTIONS_MAX]; /* values of name*0, name*1 and so on, decoded; NULL
					     * where one is missing */
};

static bool is_token(char c)
{
	return c > ' ' && c != 127 && strchr("()<>@,;:\\\"/[]?=", c) == NULL;
}

/* Skips white space and comments (RFC 5322 section 3.2.2). */
static const char *skip(const char *at)
{
	unsigned depth = 0;

	for (; *at != '\0'; at++) {
		if (*at == '(')
			depth++;
		else if (depth > 0 && *at == ')')
			depth--;
		else if (depth > 0 && *at == '\\' && at[1] != '\0')
			at++;
		else if (depth == 0 && !rt_is_wsp(*at))
			break;
	}
	return at;
}

static const char *end_of_token(const char *at)
{
	while (*at != '\0' && is_token(*at))
		at++;
	return at;
}

static const char *read_token(struct rt_ctx *ctx, const char **at)
{
	const char *begin = skip(*at);

	*at = end_of_token(begin);
	return rt_memdup(ctx, begin, (size_t)(*at - begin));
}

/* Reads a quoted value; returns the place after the quotes. */
static const char *read_quoted(const char *at, struct parameter *parameter)
{
	const char *c = at + 1;

	while (*c != '\0' && *c != '"')
		c += *c == '\\' && c[1] != '\0' ? 2 : 1;
	parameter->quoted = true;
	parameter->value = at + 1;
	parameter->value_length = (size_t)(c - parameter->value);
	return *c == '"' ? c + 1 : c;
}

/* Reads a value without quotes. It extends to the next semicolon, because some senders omit
 * required quotes. */
static const char *read_bare(const char *at, struct parameter *parameter)
{
	size_t length = strcspn(at, ";");
	const char *end = at + length;

	while (length > 0 && rt_is_wsp(at[length - 1]))
		length--;
	parameter->quoted = false;
	parameter->value = at;
	parameter->value_length = length;
	return end;
}

static const char *value_of(struct rt_ctx *ctx, const struct parameter *parameter)
{
	char *value = rt_memdup(ctx, parameter->value, parameter->value_length);
	size_t length = 0;

	if (!parameter->quoted)
		return value;
	for (size_t i = 0; i < parameter->value_length; i++) {
		if (value[i] == '\\' && i + 1 < parameter->value_length)
			i++;
		value[length++] = value[i];
	}
	value[length] = '\0';
	return value;
}

/* Reads the next parameter at *at; false when there is none. */
static bool next_parameter(const char **at, struct parameter *parameter)
{
	for (;;) {
		*at = skip(*at);
		if (**at == '\0')
			return false;
		if (**at == ';') {
			++*at;
			continue;
		}
		parameter->name = *at;
		*at = end_of_token(*at);
		parameter->name_length = (size_t)(*at - parameter->name);
		*at = skip(*at);
		if (parameter->name_length > 0 && **at == '=')
			break;
		*at += strcspn(*at, ";"); /* skips text that is not a parameter */
	}
	*at = skip(*at + 1);
	*at = **at == '"' ? read_quoted(*at, parameter) : read_bare(*at, parameter);
	return true;
}

/* Decodes octets written as %C3%BC (RFC 2231 section 4). */
static const char *decode_percent(struct rt_ctx *ctx, const char *text)
{
	char *decoded = rt_alloc(ctx, strlen(text) + 1);
	size_t length = 0;

	for (; *text != '\0'; text++) {
		if (*text == '%' && eds_part_hex(text[1]) >= 0 && eds_part_hex(text[2]) >= 0) {
			char octet = (char)(eds_part_hex(text[1]) << 4 | eds_part_hex(text[2]));

			if (octet != '\0')
				decoded[length++] = octet;
			text += 2;
		} else {
			decoded[length++] = *text;
		}
	}
	return decoded;
}

/* The place after charset'language' in an extended value (RFC 2231 section 4). */
static const char *past_charset(const char *text)
{
	const char *language = strchr(text, '\'');
	const char *value = language == NULL ? NULL : strchr(language + 1, '\'');

	return value == NULL ? text : value + 1;
}

/* Keeps one section of a value: name*0*, name*1 and so on. */
static void keep_section(struct rt_ctx *ctx, struct found *found, const struct parameter *parameter,
	size_t digits_at)
{
	const char *end = parameter->name + parameter->name_length;
	const char *at = parameter->name + digits_at;
	const char *value = value_of(ctx, parameter);
	size_t number = 0;

	for (; at < end && *at >= '0' && *at <= '9' && number < SECTIONS_MAX; at++)
		number = number * 10 + (size_t)(*at - '0');
	if (number >= SECTIONS_MAX || found->sections[number] != NULL)
		return;
	if (at + 1 == end && *at == '*')
		value = decode_percent(ctx, number == 0 ? past_charset(value) : value);
	else if (at != end)
		return;
	found->sections[number] = value;
}

static void keep(struct rt_ctx *ctx, struct found *found, const struct parameter *parameter,
	const char *name)
{
	size_t length = strlen(name);

	if (parameter->name_length < length || strncasecmp(parameter->name, name, length) != 0)
		return;
	if (parameter->name_length == length) {
		if (found->plain == NULL)
			found->plain = value_of(ctx, parameter);
	} else if (parameter->name[length] == '*') {
		if (parameter->name_length > length + 1)
			keep_section(ctx, found, parameter, length + 1);
		else if (found->extended == NULL)
			found->extended = decode_percent(
				ctx, past_charset(value_of(ctx, parameter)));
	}
}

static const char *join_sections(struct rt_ctx *ctx, const struct found *found)
{
	struct rt_buffer value;

	rt_buffer_init(&value, ctx, VALUE_MAX);
	for (size_t i = 0; i < SECTIONS_MAX && found->sections[i] != NULL; i++)
		rt_buffer_text(&value, found->sections[i]);
	return value.bytes;
}

/* The value of the parameter with this name; "" if the field has none. at: the text after the first
 * word of the field. */
static const char *find_parameter(struct rt_ctx *ctx, const char *at, const char *name)
{
	struct found found = {.plain = NULL};
	struct parameter parameter;

	while (next_parameter(&at, &parameter))
		keep(ctx, &found, &parameter, name);
	if (found.extended != NULL)
		return found.extended;
	if (found.sections[0] != NULL)
		return join_sections(ctx, &found);
	return found.plain == NULL ? "" : eds_encoded_words(ctx, found.plain);
}

static const char *field_text(struct rt_ctx *ctx, const struct eds_header *header, const char *name)
{
	const struct eds_field *field = eds_header_find(header, name, 0);

	return field == NULL ? "" : eds_field_text(ctx, field);
}

/* Reads type and subtype; an unreadable type leaves the default (RFC 2045 section 5.2). */
static void read_type(struct rt_ctx *ctx, const char *text, struct eds_part_fields *fields)
{
	const char *at = text;
	const char *type = read_token(ctx, &at);
	const char *subtype = "";

	at = skip(at);
	if (*at == '/') {
		at++;
		subtype = read_token(ctx, &at);
	}
	if (*type == '\0' || *subtype == '\0')
		return;
	fields->type = type;
	fields->subtype = subtype;
	fields->file = find_parameter(ctx, at, "name");
	if (strcasecmp(type, "multipart") == 0)
		fields->boundary = find_parameter(ctx, at, "boundary");
}

static void read_disposition(struct rt_ctx *ctx, const char *text, struct eds_part_fields *fields)
{
	const char *at = text;
	const char *file;

	fields->disposition = read_token(ctx, &at);
	file = find_parameter(ctx, at, "filename");
	if (*file != '\0')
		fields->file = file;
}

static enum eds_part_encoding read_encoding(struct rt_ctx *ctx, const char *text)
{
	const char *at = text;
	const char *word = read_token(ctx, &at);

	if (strcasecmp(word, "base64") == 0)
		return EDS_PART_BASE64;
	return strcasecmp(word, "quoted-printable") == 0 ? EDS_PART_QUOTED_PRINTABLE
							 : EDS_PART_IDENTITY;
}

void eds_part_fields_read(struct rt_ctx *ctx, const struct eds_header *header, bool digest,
	struct eds_part_fields *fields)
{
	*fields = (struct eds_part_fields){.type = digest ? "message" : "text",
		.subtype = digest ? "rfc822" : "plain",
		.boundary = "",
		.disposition = "",
		.file = ""};
	read_type(ctx, field_text(ctx, header, "Content-Type"), fields);
	read_disposition(ctx, field_text(ctx, header, "Content-Disposition"), fields);
	fields->encoding = read_encoding(ctx, field_text(ctx, header, "Content-Transfer-Encoding"));
}
