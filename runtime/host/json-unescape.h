/* Decodes the escapes of a JSON string. */
#ifndef HOST_JSON_UNESCAPE_H
#define HOST_JSON_UNESCAPE_H

#include "runtime/buffer.h"
#include "runtime/json-read.h"

/* Appends the decoded text; false when an escape is invalid, a surrogate has no partner, or the
 * buffer is full. */
bool json_unescape(const struct rt_json_value *string, struct rt_buffer *out);

#endif
