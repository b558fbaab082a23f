/* The text that a JSON string stands for. */
#ifndef HOST_JSON_UNESCAPE_H
#define HOST_JSON_UNESCAPE_H

#include "runtime/host/bytes.h"
#include "runtime/json-read.h"

/* Adds it; false when an escape is none or a surrogate stands alone. */
bool json_unescape(const struct rt_json_value *string, struct bytes *out);

#endif
