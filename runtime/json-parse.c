/* The text of a JSON value into jansson's tree. Jansson's own reader goes octet by octet, which
 * costs six times as much as making the tree; and it neither bounds nesting as we do. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/json-unescape.h"
#include "runtime/json.h"
#include "runtime/utf8.h"

struct parser {
	struct rt_ctx *ctx;
	const char *at;
	const char *end;
	int depth;
	const char *wrong; /* a sentence; NULL while all is well */
};

static json_t *read_value(struct parser *parser);

static bool refuse(struct parser *parser, const char *sentence)
{
	if (parser->wrong == NULL)
		parser->wrong = sentence;
	return false;
}

static json_t *fail(struct parser *parser, const char *sentence)
{
	refuse(parser, sentence);
	return NULL;
}

static char next(const struct parser *parser)
{
	return parser->at < parser->end ? *parser->at : '\0';
}

/* What follows white space. */
static char next_token(struct parser *parser)
{
	while (parser->at < parser->end && memchr(" \t\r\n", *parser->at, 4) != NULL)
		parser->at++;
	return next(parser);
}

static bool take(struct parser *parser, char c)
{
	if (next(parser) != c || parser->at == parser->end)
		return false;
	parser->at++;
	return true;
}

static bool unescape(struct parser *parser, const char **text, size_t *length)
{
	char *plain = rt_alloc(parser->ctx, *length);
	char *end = rt_json_unescape(plain, *text, *length);

	if (end == NULL || memchr(plain, '\0', (size_t)(end - plain)) != NULL)
		return refuse(parser, "a string has an escape that stands for no text");
	*text = plain;
	*length = (size_t)(end - plain);
	return true;
}

static bool is_plain(char c)
{
	return (unsigned char)c >= ' ' && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

/* The opening quote is taken already. */
static bool read_text(struct parser *parser, const char **text, size_t *length)
{
	bool escaped = false;

	*text = parser->at;
	*length = 0;
	for (;;) {
		size_t octets;

		while (parser->at < parser->end && is_plain(*parser->at))
			parser->at++;
		if (next(parser) == '"')
			break;
		octets = next(parser) == '\\'
			? 2
			: rt_utf8_length(parser->at, (size_t)(parser->end - parser->at));
		if (octets == 0 || (unsigned char)next(parser) < ' ' ||
			octets > (size_t)(parser->end - parser->at))
			return refuse(parser, "a string has no end, or holds what is no text");
		escaped = escaped || next(parser) == '\\';
		parser->at += octets;
	}
	*length = (size_t)(parser->at - *text);
	parser->at++;
	return !escaped || unescape(parser, text, length);
}

static json_t *read_string(struct parser *parser)
{
	const char *text;
	size_t length;

	return read_text(parser, &text, &length) ? json_stringn_nocheck(text, length) : NULL;
}

static size_t skip_digits(struct parser *parser)
{
	const char *start = parser->at;

	while (next(parser) >= '0' && next(parser) <= '9')
		parser->at++;
	return (size_t)(parser->at - start);
}

/* RFC 8259 section 6: no zero in front, a digit on either side of the point. */
static bool skip_number(struct parser *parser, bool *integer)
{
	take(parser, '-');
	if (!take(parser, '0') && skip_digits(parser) == 0)
		return false;
	*integer = true;
	if (take(parser, '.')) {
		*integer = false;
		if (skip_digits(parser) == 0)
			return false;
	}
	if (!take(parser, 'e') && !take(parser, 'E'))
		return true;
	*integer = false;
	if (!take(parser, '+'))
		take(parser, '-');
	return skip_digits(parser) > 0;
}

static json_t *read_number(struct parser *parser)
{
	const char *start = parser->at;
	const char *text;
	bool integer;
	long long whole;
	double real;

	if (!skip_number(parser, &integer))
		return fail(parser, "a value is expected");
	text = rt_memdup(parser->ctx, start, (size_t)(parser->at - start));
	errno = 0;
	whole = integer ? strtoll(text, NULL, 10) : 0;
	if (integer)
		return errno == 0 ? json_integer(whole) : fail(parser, "a number is too big");
	real = strtod(text, NULL);
	return isfinite(real) ? json_real(real) : fail(parser, "a number is too big");
}

static json_t *read_word(struct parser *parser)
{
	static const struct {
		const char *text;
		size_t length;
		json_t *(*make)(void);
	} words[] = {{"true", 4, json_true}, {"false", 5, json_false}, {"null", 4, json_null}};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if ((size_t)(parser->end - parser->at) < words[i].length ||
			memcmp(parser->at, words[i].text, words[i].length) != 0)
			continue;
		parser->at += words[i].length;
		return words[i].make();
	}
	return read_number(parser);
}

static bool read_member(struct parser *parser, json_t *object)
{
	const char *name;
	size_t length;
	json_t *value;

	if (next_token(parser) != '"')
		return refuse(parser, "a member begins with its name in quotes");
	parser->at++;
	if (!read_text(parser, &name, &length))
		return false;
	if (json_object_getn(object, name, length) != NULL)
		return refuse(parser, "an object has two members of one name");
	if (next_token(parser) != ':')
		return refuse(parser, "a colon is expected behind a name");
	parser->at++;
	value = read_value(parser);
	return value != NULL && json_object_setn_new_nocheck(object, name, length, value) == 0;
}

static bool read_element(struct parser *parser, json_t *array)
{
	json_t *value = read_value(parser);

	return value != NULL && json_array_append_new(array, value) == 0;
}

/* The items of an object or an array, whose opening bracket is taken already. */
static json_t *read_items(struct parser *parser, json_t *whole, char close,
	bool (*read_item)(struct parser *parser, json_t *whole))
{
	bool more = next_token(parser) != close;

	while (more && parser->wrong == NULL) {
		if (!read_item(parser, whole))
			break;
		more = next_token(parser) == ',';
		if (more)
			parser->at++;
		else if (next(parser) != close)
			fail(parser, "a comma or a closing bracket is expected");
	}
	if (more || parser->wrong != NULL) {
		json_decref(whole);
		return fail(parser, "a value cannot be kept");
	}
	parser->at++;
	return whole;
}

static json_t *read_value(struct parser *parser)
{
	json_t *value;
	char first = next_token(parser);

	if (first != '{' && first != '[' && first != '"')
		return read_word(parser);
	parser->at++;
	if (first == '"')
		return read_string(parser);
	if (++parser->depth > RT_JSON_DEPTH_MAX)
		return fail(parser, "it is nested too deep");
	value = first == '{' ? read_items(parser, json_object(), '}', read_member)
			     : read_items(parser, json_array(), ']', read_element);
	parser->depth--;
	return value;
}

static rt_status explain(const struct parser *parser, const char *text)
{
	int line = 1;
	int column = 1;

	for (const char *at = text; at < parser->at; at++) {
		column = *at == '\n' ? 1 : column + 1;
		line += *at == '\n';
	}
	return rt_fail(parser->ctx, RT_BAD_INPUT, "json-invalid",
		"no valid JSON at line %d, column %d: %s", line, column, parser->wrong);
}

rt_status rt_json_parse(struct rt_ctx *ctx, const char *text, size_t length, json_t **value)
{
	struct parser parser = {.ctx = ctx, .at = text, .end = text + length};

	*value = read_value(&parser);
	if (*value != NULL && (next_token(&parser) != '\0' || parser.at != parser.end)) {
		json_decref(*value);
		*value = fail(&parser, "the end is expected");
	}
	return *value != NULL ? RT_OK : explain(&parser, text);
}
