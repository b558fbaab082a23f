/* Builds JSON values and writes them. */
#ifndef RT_JSON_FORMAT_H
#define RT_JSON_FORMAT_H

#include "runtime/json.h"

/* Write a value as compact text, members in the order of insertion. length may be NULL. */
char *rt_json_format(struct rt_ctx *ctx, const json_t *value, size_t *length);
void rt_json_write(struct rt_buffer *out, const json_t *value);

/* A JSON string from bytes that need not be UTF-8: invalid bytes become U+FFFD. If text is NULL,
 * the value is null. */
json_t *rt_json_text(struct rt_ctx *ctx, const char *text);

/* Sets a member and takes over the reference to the value; a NULL value becomes null. */
void rt_json_set(json_t *object, const char *key, json_t *value);
void rt_json_set_text(struct rt_ctx *ctx, json_t *object, const char *key, const char *text);
void rt_json_append(json_t *array, json_t *value);

#endif
