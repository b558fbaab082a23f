#include "local/spool/spool-folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/config/config.h"

#define SPOOL_ENDING ".spool"

enum {
	FOLDER_MODE = 0700,
};

bool spool_folder(char folder[SPOOL_PATH_MAX])
{
	const char *store = rt_config()->mail_store;
	const char *path = strncmp(store, "file:", 5) == 0 ? store + 5 : "var/mail";
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return snprintf(folder, SPOOL_PATH_MAX, "%.*s" SPOOL_ENDING, (int)length, path) <
		SPOOL_PATH_MAX;
}

void spool_store_of(const char *folder, char store[SPOOL_PATH_MAX])
{
	size_t length = strlen(folder);
	size_t ending = strlen(SPOOL_ENDING);

	if (length > ending && strcmp(folder + length - ending, SPOOL_ENDING) == 0)
		length -= ending;
	snprintf(store, SPOOL_PATH_MAX, "%.*s", (int)length, folder);
}

/* A new folder survives a power failure only if its parent was synced. */
static bool sync_parent(const char *folder)
{
	char path[SPOOL_PATH_MAX];
	char *slash;
	int fd;
	bool ok;

	snprintf(path, sizeof path, "%s", folder);
	slash = strrchr(path, '/');
	if (slash == NULL)
		snprintf(path, sizeof path, ".");
	else
		slash[slash == path ? 1 : 0] = '\0';
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok = fd >= 0 && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool make_folder(const char *folder)
{
	return (mkdir(folder, FOLDER_MODE) == 0 || errno == EEXIST) && sync_parent(folder);
}

bool spool_folder_make(const char *folder)
{
	char path[SPOOL_PATH_MAX];
	bool ok = true;

	snprintf(path, sizeof path, "%s", folder);
	for (char *slash = strchr(path + 1, '/'); slash != NULL && ok;
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		ok = make_folder(path);
		*slash = '/';
	}
	return ok && make_folder(path);
}
