/* Counts the octets held of bodies over HTTP_BODY_BYTES_MAX, per peer and in total. Internal to the
 * server. */
#ifndef HOST_HTTP_LARGE_H
#define HOST_HTTP_LARGE_H

#include "runtime/host/http/http-connection.h"

/* Counts the octets of the body received so far; false when they exceed the limits together with
 * other bodies. Extends the connection's deadline in proportion to the octets received. */
bool http_large_count(struct http_connection *connection, size_t received);

/* Gives the octets back when the function no longer needs the body. */
void http_large_let_go(struct http_connection *connection);

#endif
