#include "runtime/journal/journal.h"

#include <ctype.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

static const char *place;

void rt_journal_use(const char *path)
{
	place = path;
}

void rt_journal_name(const char *member, char name[RT_JOURNAL_NAME_MAX + 1])
{
	size_t length = (size_t)snprintf(name, RT_JOURNAL_NAME_MAX + 1, "EDS_");

	for (; *member != '\0' && length < RT_JOURNAL_NAME_MAX - 1; member++) {
		if (isupper((unsigned char)*member))
			name[length++] = '_';
		name[length++] = isalnum((unsigned char)*member)
			? (char)toupper((unsigned char)*member)
			: '_';
	}
	name[length] = '\0';
}

/* The socket stays open. It is not connected, so that a restarted journal is found again. */
bool rt_journal_send(const char *entry, size_t length)
{
	static int fd = -1;
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (fd < 0)
		fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	snprintf(address.sun_path, sizeof address.sun_path, "%s",
		place != NULL ? place : "/run/systemd/journal/socket");
	return fd >= 0 &&
		sendto(fd, entry, length, MSG_DONTWAIT | MSG_NOSIGNAL,
			(const struct sockaddr *)&address, sizeof address) == (ssize_t)length;
}
