#include "local/spool/spool-damaged.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/mail-store/mailstore-spool.h"

enum {
	FOLDER_MODE = 0700,
};

static int is_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int compare_age(int folder, const char *left, const char *right)
{
	struct stat a = {0};
	struct stat b = {0};

	fstatat(folder, left, &a, AT_SYMLINK_NOFOLLOW);
	fstatat(folder, right, &b, AT_SYMLINK_NOFOLLOW);
	return a.st_mtime < b.st_mtime ? -1 : 1;
}

/* Removes the oldest file if more than SPOOL_DAMAGED_MAX are kept, so that the kept files do not
 * fill a disk that damages many files. */
static void drop_oldest(int folder)
{
	struct dirent **names;
	int count = scandirat(folder, ".", &names, is_file, alphasort);
	int oldest = 0;

	for (int i = 1; i < count; i++)
		if (compare_age(folder, names[i]->d_name, names[oldest]->d_name) < 0)
			oldest = i;
	if (count > SPOOL_DAMAGED_MAX)
		unlinkat(folder, names[oldest]->d_name, 0);
	for (int i = 0; i < count; i++)
		free(names[i]);
	if (count >= 0)
		free(names);
}

bool spool_damaged_keep(const struct spool_segment *segment)
{
	int folder;
	int error;

	if (mkdirat(segment->folder, RT_SPOOL_DAMAGED, FOLDER_MODE) != 0 && errno != EEXIST)
		return false;
	folder = openat(segment->folder, RT_SPOOL_DAMAGED, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return false;
	error = spool_segment_link(segment, folder);
	if (error == 0)
		drop_oldest(folder);
	close(folder);
	errno = error;
	return error == 0 || error == EEXIST;
}
