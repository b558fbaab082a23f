#include "local/spool/spool-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/mail-store/mailstore-spool.h"

enum {
	FOLDER_MODE = 0700,
};

bool spool_folder(char folder[SPOOL_PATH_MAX])
{
	return rt_spool_folder(folder);
}

void spool_store_of(const char *folder, char store[SPOOL_PATH_MAX])
{
	size_t length = strlen(folder);
	size_t ending = strlen(RT_SPOOL_ENDING);

	if (length > ending && strcmp(folder + length - ending, RT_SPOOL_ENDING) == 0)
		length -= ending;
	snprintf(store, SPOOL_PATH_MAX, "%.*s", (int)length, folder);
}

/* Syncs the parent folder: only then does a new folder survive a power failure. */
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

/* Makes the folder if it does not exist. Syncs the parent folder even if the folder exists, since
 * an earlier start may have been killed before its sync. A parent folder that this user may not
 * open, such as a home directory of mode 711, needs no sync: another user made the folder in it. */
static bool make_folder(const char *folder)
{
	if (mkdir(folder, FOLDER_MODE) == 0)
		return sync_parent(folder);
	return errno == EEXIST && (sync_parent(folder) || errno == EACCES);
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

static void expire_file(int folder, const char *name, time_t before)
{
	struct stat info;

	if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
		info.st_mtime < before)
		unlinkat(folder, name, 0);
}

void spool_folder_expire(int spool, const char *name, int hours)
{
	time_t before = time(NULL) - (time_t)hours * 3600;
	int fd = openat(spool, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (entries == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(entries)) != NULL)
		expire_file(fd, entry->d_name, before);
	closedir(entries);
}
