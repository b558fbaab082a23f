/* Checks in one pass whether a text is JSON, without building values: an event has many members
 * that its function never reads, but they must be JSON too.
 */
#ifndef RT_JSON_CHECK_H
#define RT_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

/* True: rt_json_parse accepts the text. False: it may refuse the text, and the caller must ask it:
 * this check leaves rare forms to it (a name with an escape, a number with a fraction, an exponent
 * or many digits, objects with more names than fit its table). */
bool rt_json_is_sound(const char *text, size_t length);

#endif
