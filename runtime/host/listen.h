/* Listening sockets, from the addresses of EDS_*_LISTEN. */
#ifndef HOST_LISTEN_H
#define HOST_LISTEN_H

#include "runtime/ip.h"

enum {
	LISTEN_TEXT_MAX = RT_IP_TEXT_MAX + 8, /* room for "[::1]:65535" */
	LISTEN_ERROR_MAX = 256,
	LISTEN_BACKLOG = 512,
};

/* Parses "IP:PORT" or "[IP]:PORT". */
bool listen_parse(const char *text, struct sockaddr_storage *address, socklen_t *length);

/* Gives a non-blocking TCP socket that listens on "IP:PORT" or "[IP]:PORT": the one that a service
 * manager has passed for this address (listen-passed.h), else a new one. Port 0 means any free
 * port; actual gets the address with the real port. -1, with a sentence in error, on failure. */
int listen_open(const char *address, char actual[LISTEN_TEXT_MAX], char error[LISTEN_ERROR_MAX]);

/* Closes the sockets that were passed and for which listen_open() was not called, because their
 * clients would wait for ever; logs the address of each. */
void listen_drop_passed(void);

/* True if only this machine can reach the address ("IP:PORT" or "[IP]:PORT"). */
bool listen_is_loopback(const char *address);

/* Accepts a connection and gives its socket (non-blocking, TCP_NODELAY) and its peer. -1 with errno
 * when no connection is waiting, or on failure, for example when there are no more descriptors or
 * no memory. */
int listen_accept(int listener, struct rt_ip *peer);

#endif
