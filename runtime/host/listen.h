/* Listening sockets, from the addresses of EDS_*_LISTEN. */
#ifndef HOST_LISTEN_H
#define HOST_LISTEN_H

#include "runtime/ip.h"

enum {
	LISTEN_TEXT_MAX = RT_IP_TEXT_MAX + 8, /* "[::1]:65535" */
	LISTEN_ERROR_MAX = 256,
	LISTEN_BACKLOG = 512,
};

/* Reads "IP:PORT" or "[IP]:PORT". */
bool listen_parse(const char *text, struct sockaddr_storage *address, socklen_t *length);

/* A non-blocking TCP socket listening on "IP:PORT" or "[IP]:PORT": the one that a service manager
 * has passed for it (listen-passed.h), else a new one. Port 0 picks a free one. actual gets the
 * address with the real port. -1 with a sentence in error. */
int listen_open(const char *address, char actual[LISTEN_TEXT_MAX], char error[LISTEN_ERROR_MAX]);

/* Closes the sockets that were passed and that listen_open() was not called for, because their
 * clients would wait for ever; the log names each. */
void listen_drop_passed(void);

/* Whether only this machine can reach the address, which has the form above. */
bool listen_is_loopback(const char *address);

/* Accepts a connection: non-blocking, TCP_NODELAY, with its peer. -1 when none is waiting or
 * descriptors or memory ran out; errno says which. */
int listen_accept(int listener, struct rt_ip *peer);

#endif
