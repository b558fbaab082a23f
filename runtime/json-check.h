/* Checks in one pass whether a text is JSON, without building values: most members of an event are
 * never read by its function, but they must be JSON too.
 */
#ifndef RT_JSON_CHECK_H
#define RT_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* True if rt_json_parse() accepts the text. If false, the caller must ask rt_json_parse(), which
 * may accept it: this check does not know rare forms (a name with an escape, a number with a
 * fraction, an exponent or many digits, objects with more names than fit its table). */
bool rt_json_is_sound(const char *text, size_t length);

#endif
