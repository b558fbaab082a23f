/* Bodies over HTTP_BODY_BYTES_MAX: how many octets of them are held, of one peer and of all. Within
 * the server only. */
#ifndef HOST_HTTP_LARGE_H
#define HOST_HTTP_LARGE_H

#include "runtime/host/http/http-connection.h"

/* Counts that so much of the body has come; false when that is too much beside the others. Who is
 * slow has so much more time as is fair for what came. */
bool http_large_count(struct http_connection *connection, size_t received);

/* The body is with its function no more. */
void http_large_let_go(struct http_connection *connection);

#endif
