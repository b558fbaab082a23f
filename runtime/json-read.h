/* A pull parser for JSON: it returns members one by one as spans of the text, without building a
 * tree.
 *
 * It skips a nested value by counting the brackets outside of strings, without checking the
 * content. To check or read nested values, use another reader or rt_json_parse(). */
#ifndef RT_JSON_READ_H
#define RT_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

struct rt_json_read {
	const char *at;
	const char *end;
	bool begun;
	bool failed; /* the text is not JSON, not of the kind that was asked for, or nested too
		      * deeply */
};

enum rt_json_kind {
	RT_JSON_STRING, /* text is the part between the quotes, still escaped */
	RT_JSON_OBJECT, /* text is the whole value */
	RT_JSON_ARRAY,
	RT_JSON_WORD, /* a number, true, false, null */
};

struct rt_json_value {
	enum rt_json_kind kind;
	const char *text;
	size_t length;
};

void rt_json_read_init(struct rt_json_read *read, const char *text, size_t length);

/* Reads the next member of a text that is an object; false at its end, or on failure. */
bool rt_json_read_member(
	struct rt_json_read *read, struct rt_json_value *name, struct rt_json_value *value);

/* Reads the next element of a text that is an array; false at its end, or on failure. */
bool rt_json_read_element(struct rt_json_read *read, struct rt_json_value *value);

/* True if the text of the value equals this text. */
bool rt_json_read_is(const struct rt_json_value *value, const char *text);

#endif
