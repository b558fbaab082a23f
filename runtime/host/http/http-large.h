/* Counts the octets of bodies over HTTP_BODY_BYTES_MAX that are in memory, per peer and in total.
 * Internal to the server. */
#ifndef HOST_HTTP_LARGE_H
#define HOST_HTTP_LARGE_H

#include "runtime/host/http/http-connection.h"

/* Counts the octets received so far of a connection's body, if they are more than
 * HTTP_BODY_BYTES_MAX; false when the large bodies in memory, including this one, exceed a limit.
 * Extends the connection's deadline in proportion to the octets counted. */
bool http_large_count(struct http_connection *connection, size_t received);

/* Removes the octets of the body from the count, when the function no longer needs them. */
void http_large_let_go(struct http_connection *connection);

#endif
