/* A head as lines and octets, before its fields are read: within http-head only. */
#ifndef HOST_HTTP_HEAD_LINES_H
#define HOST_HTTP_HEAD_LINES_H

#include "runtime/host/http/http-head.h"

/* Finds the empty line: head_length is 0 until it has come. */
enum http_result http_head_lines(char *bytes, size_t length, struct http_head *head);

/* HTTP_REFUSED, with the reason noted. */
enum http_result http_head_refuse(
	struct http_head *head, int status, const char *code, const char *detail);

bool http_is_token(const char *text, size_t length);
bool http_is_field_text(const char *text, size_t length);

#endif
