#include "runtime/host/http/http-large.h"
#include "runtime/host/http/http-state.h"

#include "runtime/ctx.h"
#include "runtime/event/forwarded.h"

static size_t large_bytes_of(const struct http_server *server, const struct rt_ip *peer)
{
	size_t bytes = 0;

	for (size_t i = 0; i < HTTP_CONNECTIONS_MAX; i++)
		if (server->connections[i] != NULL && http_same_peer(&server->peers[i], peer))
			bytes += server->connections[i]->large_bytes;
	return bytes;
}

bool http_large_count(struct http_connection *connection, size_t received)
{
	struct http_server *server = connection->server;
	size_t more;

	/* `received` may become smaller: it includes the framing of chunks until they are
	 * decoded */
	if (received <= HTTP_BODY_BYTES_MAX || received <= connection->large_bytes)
		return true;
	more = received - connection->large_bytes;
	connection->large_bytes += more;
	connection->deadline_ms += (int64_t)(more * 1000 / HTTP_LARGE_BODY_RATE);
	server->large_bytes += more;
	return server->large_bytes <= HTTP_LARGE_BODIES_MAX &&
		(rt_is_proxy(connection->peer) ||
			large_bytes_of(server, &server->peers[connection->slot]) <=
				HTTP_LARGE_BODIES_PER_PEER_MAX);
}

void http_large_let_go(struct http_connection *connection)
{
	connection->server->large_bytes -= connection->large_bytes;
	connection->large_bytes = 0;
}
