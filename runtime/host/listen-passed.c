#include "runtime/host/listen-passed.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FIRST_FD = 3, /* SD_LISTEN_FDS_START */
	PASSED_MAX = 16,
};

static struct {
	bool known;
	size_t count;
	bool taken[PASSED_MAX];
	bool keeps;
	int kept[PASSED_MAX]; /* duplicates of the descriptors; -1: the duplicate could not be
			       * made */
} passed;

static long number_of(const char *variable)
{
	const char *text = getenv(variable);

	return text != NULL ? strtol(text, NULL, 10) : 0;
}

/* Reads the variables at the first call, and marks the sockets as close-on-exec, since a child must
 * not use them. The variables stay set for the program that this process executes next. */
static void look(void)
{
	long count = number_of("LISTEN_FDS");

	if (passed.known)
		return;
	passed.known = true;
	if (number_of("LISTEN_PID") != getpid() || count <= 0)
		return;
	passed.count = count < PASSED_MAX ? (size_t)count : PASSED_MAX;
	for (size_t i = 0; i < passed.count; i++)
		fcntl(FIRST_FD + (int)i, F_SETFD, FD_CLOEXEC);
}

static bool listens(int fd)
{
	int on = 0;
	socklen_t length = sizeof on;

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &length) == 0 && on != 0;
}

static bool address_of(int fd, struct sockaddr_storage *address, socklen_t *length)
{
	*length = sizeof *address;
	memset(address, 0, sizeof *address);
	return listens(fd) && getsockname(fd, (struct sockaddr *)address, length) == 0;
}

int listen_passed_take(const struct sockaddr *address, socklen_t length)
{
	look();
	for (size_t i = 0; i < passed.count; i++) {
		int fd = FIRST_FD + (int)i;
		struct sockaddr_storage own;
		socklen_t own_length;

		if (passed.taken[i] || !address_of(fd, &own, &own_length) || own_length != length ||
			memcmp(&own, address, length) != 0)
			continue;
		passed.taken[i] = true;
		return fcntl(fd, F_SETFL, O_NONBLOCK) == 0 ? fd : -1;
	}
	return -1;
}

bool listen_passed_drop(struct sockaddr_storage *address)
{
	look();
	for (size_t i = 0; i < passed.count; i++) {
		socklen_t length;

		if (passed.taken[i])
			continue;
		passed.taken[i] = true;
		address_of(FIRST_FD + (int)i, address, &length);
		close(FIRST_FD + (int)i);
		return true;
	}
	return false;
}

void listen_passed_keep(void)
{
	look();
	passed.keeps = true;
	for (size_t i = 0; i < passed.count; i++)
		passed.kept[i] = fcntl(FIRST_FD + (int)i, F_DUPFD_CLOEXEC, FIRST_FD + PASSED_MAX);
}

void listen_passed_give_back(void)
{
	bool whole = passed.keeps;

	for (size_t i = 0; i < passed.count && whole; i++)
		whole = passed.kept[i] >= 0 && dup2(passed.kept[i], FIRST_FD + (int)i) >= 0;
	if (!whole)
		unsetenv("LISTEN_FDS");
}
