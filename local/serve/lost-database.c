#include "local/serve/lost-database.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "local/serve/places.h"
#include "local/spool/spool-folder.h"
#include "runtime/config/config.h"
#include "runtime/io.h"
#include "runtime/log.h"

#define MARK "database"

enum {
	FILE_MODE = 0600,
	MARK_PATH_MAX = SPOOL_PATH_MAX + sizeof MARK + 1,
};

/* The path of the database's file; NULL when the database is not a file. */
static const char *database_file(void)
{
	static const char scheme[] = "sqlite:";
	const char *url = rt_config()->database_url;

	return strncmp(url, scheme, sizeof scheme - 1) == 0 ? url + sizeof scheme - 1 : NULL;
}

/* True if the database's file exists. A file without any octets counts as missing: SQLite would
 * treat it as a new database. A file that cannot be examined counts as existing: SQLite itself then
 * reports the reason. */
static bool is_there(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 ? info.st_size > 0 : errno != ENOENT;
}

static bool mark_path(char path[MARK_PATH_MAX])
{
	char folder[SPOOL_PATH_MAX];

	if (!spool_folder(folder))
		return false;
	snprintf(path, MARK_PATH_MAX, "%s/" MARK, folder);
	return true;
}

/* Reads the mark. The mark is the file `database` in the spool's folder; it has the path of the
 * database that was used before. Sets `was` to this path, or to "" if the mark cannot be read.
 * False when there is no mark. */
static bool read_mark(char was[PATH_MAX])
{
	char path[MARK_PATH_MAX];
	bool known = mark_path(path);
	FILE *file = known ? fopen(path, "re") : NULL;

	known = file != NULL || (known && errno != ENOENT);
	if (file == NULL || fgets(was, PATH_MAX, file) == NULL)
		was[0] = '\0';
	was[strcspn(was, "\n")] = '\0';
	if (file != NULL)
		fclose(file);
	return known;
}

/* True for a regular file whose name does not begin with a dot, as all messages are. The folder
 * `lost+found`, which the root of a new disk has, is no message. */
static bool is_message(DIR *folder, const struct dirent *entry)
{
	struct stat info;

	return entry->d_name[0] != '.' &&
		fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
		S_ISREG(info.st_mode);
}

static bool has_mail(void)
{
	const char *store = rt_config()->mail_store;
	DIR *folder = strncmp(store, "file:", 5) == 0 ? opendir(store + 5) : NULL;
	const struct dirent *entry;
	bool found = false;

	while (folder != NULL && !found && (entry = readdir(folder)) != NULL)
		found = is_message(folder, entry);
	if (folder != NULL)
		closedir(folder);
	return found;
}

bool lost_database(void)
{
	const char *file = database_file();
	char absolute[PATH_MAX];
	char was[PATH_MAX];
	bool elsewhere;

	if (file == NULL || is_there(file))
		return false;
	if (!read_mark(was) && !has_mail())
		return false;
	absolute_path(file, absolute);
	elsewhere = was[0] != '\0' && strcmp(was, absolute) != 0;
	fprintf(stderr,
		"runner: the database %s is missing or empty, but this service had one%s%s. Put it "
		"back (infra/runbooks/restore.md), or correct EDS_DATABASE_URL. To start over with "
		"an empty one:  echo '{\"action\":\"migrate\"}' | runner invoke admin -\n",
		absolute, elsewhere ? ": " : "", elsewhere ? was : "");
	return true;
}

/* Writes the mark. A failure does not end the runner: without the mark the next start looks only
 * for messages in the mail store. */
void lost_database_remember(void)
{
	const char *file = database_file();
	char path[MARK_PATH_MAX];
	char folder[SPOOL_PATH_MAX];
	char absolute[PATH_MAX];
	char was[PATH_MAX];
	int fd;

	if (file == NULL || !spool_folder(folder) || !mark_path(path))
		return;
	absolute_path(file, absolute);
	if ((read_mark(was) && strcmp(was, absolute) == 0) || !spool_folder_make(folder))
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
	if (fd < 0 || !rt_write_all(fd, absolute, strlen(absolute)) || !rt_write_all(fd, "\n", 1) ||
		fsync(fd) != 0)
		rt_log_line(RT_LOG_WARNING, NULL, NULL, "%s: %m", path);
	if (fd >= 0)
		close(fd);
}
