/* Checks a head line by line before its fields are parsed. Also checks the characters of tokens and
 * of field values. */
#ifndef HOST_HTTP_HEAD_LINES_H
#define HOST_HTTP_HEAD_LINES_H

#include "runtime/host/http/http-head.h"

/* Checks the lines and sets head_length, the length up to and with the empty line; 0 until that
 * line arrives. */
enum http_result http_head_lines(char *bytes, size_t length, struct http_head *head);

/* Stores the reason in head->refusal and returns HTTP_REFUSED. */
enum http_result http_head_refuse(
	struct http_head *head, int status, const char *code, const char *detail);

bool http_is_token(const char *text, size_t length);
bool http_is_field_text(const char *text, size_t length);

#endif
