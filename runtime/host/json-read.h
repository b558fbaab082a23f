/* A pull reader for the answers of functions: it gives members one by one as spans of the text,
 * without building a tree.
 *
 * Nested values are skipped by their brackets and strings and not looked into; read them with a
 * reader of their own.
 */
#ifndef HOST_JSON_READ_H
#define HOST_JSON_READ_H

#include "runtime/host/bytes.h"

enum {
	JSON_READ_DEPTH_MAX = 32,
};

struct json_read {
	const char *at;
	const char *end;
	bool begun;
	bool failed; /* the text is no JSON */
};

enum json_read_kind {
	JSON_READ_STRING, /* text is between the quotes, still escaped */
	JSON_READ_OBJECT, /* text is the whole value */
	JSON_READ_ARRAY,
	JSON_READ_WORD, /* a number, true, false, null */
};

struct json_read_value {
	enum json_read_kind kind;
	const char *text;
	size_t length;
};

void json_read_init(struct json_read *read, const char *text, size_t length);

/* The next member of the object that the text is; false at its end, or when it failed. */
bool json_read_member(
	struct json_read *read, struct json_read_value *name, struct json_read_value *value);

/* The next element of the array that the text is. */
bool json_read_element(struct json_read *read, struct json_read_value *value);

/* Adds the text of a string; false when an escape is none or a surrogate stands alone. */
bool json_read_unescape(const struct json_read_value *string, struct bytes *out);

bool json_read_is(const struct json_read_value *value, const char *text);

/* A JSON integer of at most nine digits. */
bool json_read_integer(const struct json_read_value *value, int *number);

#endif
