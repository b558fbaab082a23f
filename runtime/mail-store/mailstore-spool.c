#include "runtime/mail-store/mailstore-spool.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/config/config.h"
#include "runtime/time.h"

bool rt_spool_folder(char folder[RT_SPOOL_PATH_MAX])
{
	const char *store = rt_config()->mail_store;
	const char *path = strncmp(store, "file:", 5) == 0 ? store + 5 : "var/mail";
	size_t length = strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	return snprintf(folder, RT_SPOOL_PATH_MAX, "%.*s" RT_SPOOL_ENDING, (int)length, path) <
		RT_SPOOL_PATH_MAX;
}

size_t rt_spool_damaged(const char *folder)
{
	char path[RT_SPOOL_PATH_MAX + sizeof RT_SPOOL_DAMAGED];
	const struct dirent *entry;
	size_t count = 0;
	DIR *entries;

	snprintf(path, sizeof path, "%s/" RT_SPOOL_DAMAGED, folder);
	entries = opendir(path);
	if (entries == NULL)
		return 0;
	while ((entry = readdir(entries)) != NULL)
		count += entry->d_name[0] != '.';
	closedir(entries);
	return count;
}

int64_t rt_spool_backup_age_s(const char *folder)
{
	char path[RT_SPOOL_PATH_MAX + sizeof RT_SPOOL_BACKUP];
	int64_t age_s;
	struct stat info;

	snprintf(path, sizeof path, "%s/" RT_SPOOL_BACKUP, folder);
	if (stat(path, &info) != 0)
		return -1;
	age_s = rt_wall_ms() / 1000 - info.st_mtime;
	return age_s > 0 ? age_s : 0; /* 0 if the clock was set back */
}
