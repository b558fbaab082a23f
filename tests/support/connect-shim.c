/* Preloaded into a function, this library records where the function's packets go: it appends each
 * address of a connect(), sendto() or sendmsg() to the file that EDS_TEST_CONNECT_LOG names, one
 * per line: "127.0.0.1 53". */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINE_BYTES = 128 };

static void append(const char *path, int family, const void *address, in_port_t port)
{
	char text[INET6_ADDRSTRLEN] = "";
	char line[LINE_BYTES];
	int length;
	int fd;

	inet_ntop(family, address, text, sizeof text);
	length = snprintf(line, sizeof line, "%s %u\n", text, ntohs(port));
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, line, (size_t)length) != length)
		abort();
	close(fd);
}

static void note(const struct sockaddr *address)
{
	const struct sockaddr_in *v4 = (const void *)address;
	const struct sockaddr_in6 *v6 = (const void *)address;
	const char *path = getenv("EDS_TEST_CONNECT_LOG");

	if (path == NULL || address == NULL)
		return;
	if (address->sa_family == AF_INET)
		append(path, AF_INET, &v4->sin_addr, v4->sin_port);
	else if (address->sa_family == AF_INET6)
		append(path, AF_INET6, &v6->sin6_addr, v6->sin6_port);
}

/* Finds the real function of this name. The pointer is copied as bytes, because ISO C has no
 * conversion from dlsym()'s data pointer to a function pointer. */
static void next(const char *name, void *function)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	memcpy(function, &symbol, sizeof symbol);
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
	int (*real)(int, const struct sockaddr *, socklen_t);

	next("connect", &real);
	note(address);
	return real(fd, address, length);
}

ssize_t sendto(int fd, const void *bytes, size_t size, int flags, const struct sockaddr *address,
	socklen_t length)
{
	ssize_t (*real)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);

	next("sendto", &real);
	note(address);
	return real(fd, bytes, size, flags, address, length);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	ssize_t (*real)(int, const struct msghdr *, int);

	next("sendmsg", &real);
	note(message->msg_name);
	return real(fd, message, flags);
}
