/* Whether a text is JSON, found in one pass and without building anything of it: an event has many
 * members that its function never reads, and they are to be JSON too.
 */
#ifndef RT_JSON_CHECK_H
#define RT_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* True: rt_json_parse takes the text. False: it may refuse it, ask it: rare forms (a name with an
 * escape, a number with a fraction, an exponent or many digits, objects with more names than there
 * is room for) are left to it. */
bool rt_json_is_sound(const char *text, size_t length);

#endif
