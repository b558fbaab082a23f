/* Listening sockets that a service manager has opened and keeps while this process is restarted, so
 * that clients wait meanwhile and none is refused (sd_listen_fds(3): LISTEN_PID, LISTEN_FDS). The
 * sockets need no names, since their addresses distinguish them. */
#ifndef HOST_LISTEN_PASSED_H
#define HOST_LISTEN_PASSED_H

#include <stdbool.h>
#include <sys/socket.h>

/* The socket that was passed for exactly this address and port, non-blocking and close-on-exec. The
 * caller owns it; it is given only once. -1 when there is none. */
int listen_passed_take(const struct sockaddr *address, socklen_t length);

/* Closes a socket that was passed and that listen_passed_take() has not given, and tells its
 * address; false when none is left. */
bool listen_passed_drop(struct sockaddr_storage *address);

/* Keeps a second descriptor of each socket that was passed, for listen_passed_give_back(). Must be
 * called before the first listen_passed_take(). */
void listen_passed_keep(void);

/* Puts the kept sockets back at the descriptors at which they were passed, for the program that
 * this process executes next. If that fails, or if no sockets were kept, removes LISTEN_FDS, since
 * the program would take other descriptors for the sockets. */
void listen_passed_give_back(void);

#endif
