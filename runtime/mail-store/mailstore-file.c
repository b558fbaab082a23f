#include "runtime/mail-store/mailstore-driver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/config/config.h"
#include "runtime/io.h"

enum {
	PATH_BYTES_MAX = 4096,
	FOLDER_MODE = 0700,
	FILE_MODE = 0600,
};

static rt_status failed(struct rt_ctx *ctx, const char *what)
{
	return rt_fail(ctx, RT_TEMPORARY, "mail-store-failed", "the mail store cannot %s: %s", what,
		strerror(errno));
}

/* The path of the folder: EDS_MAIL_STORE without "file:". */
static const char *store_folder(void)
{
	return rt_config()->mail_store + 5;
}

static const char *message_path(struct rt_ctx *ctx, const char *message_id)
{
	return rt_printf(ctx, "%s/%s", store_folder(), message_id);
}

/* Creates the folder and its parents. */
static bool make_folders(const char *folder)
{
	char path[PATH_BYTES_MAX];

	if (strlen(folder) >= sizeof path)
		return false;
	memcpy(path, folder, strlen(folder) + 1);
	for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, FOLDER_MODE) != 0 && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return mkdir(path, FOLDER_MODE) == 0 || errno == EEXIST;
}

static int open_new(const char *folder, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);

	if (fd < 0 && errno == ENOENT && make_folders(folder))
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
	return fd;
}

static bool write_parts(int fd, const struct iovec *parts, int part_count)
{
	for (int i = 0; i < part_count; i++)
		if (!rt_write_all(fd, parts[i].iov_base, parts[i].iov_len))
			return false;
	return true;
}

static bool sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

static rt_status put(struct rt_ctx *ctx, const char *message_id, const struct iovec *parts,
	int part_count, bool sync)
{
	const char *folder = store_folder();
	const char *path = message_path(ctx, message_id);
	/* A message id does not begin with a dot, so this file is never treated as a message. */
	const char *temporary = rt_printf(ctx, "%s/.%s.%d", folder, message_id, (int)getpid());
	int fd = open_new(folder, temporary);
	bool ok;

	if (fd < 0)
		return failed(ctx, "make a file");
	ok = write_parts(fd, parts, part_count) && (!sync || fdatasync(fd) == 0);
	ok = close(fd) == 0 && ok && rename(temporary, path) == 0;
	if (ok && sync)
		ok = sync_folder(folder);
	if (!ok) {
		rt_status status = failed(ctx, "write a message");

		unlink(temporary);
		return status;
	}
	return RT_OK;
}

static rt_status open_message(struct rt_ctx *ctx, const char *message_id, int *fd, size_t *bytes)
{
	struct stat info;

	*fd = open(message_path(ctx, message_id), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (*fd < 0 && errno == ENOENT)
		return rt_mailstore_missing(ctx, message_id);
	if (*fd < 0)
		return failed(ctx, "open a message");
	rt_mailstore_close_later(ctx, *fd);
	if (fstat(*fd, &info) != 0)
		return failed(ctx, "read a message");
	if (!S_ISREG(info.st_mode))
		return rt_fail(ctx, RT_TEMPORARY, "mail-store-failed",
			"the mail store cannot read a message: its file is not a regular file");
	*bytes = (size_t)info.st_size;
	return RT_OK;
}

static rt_status remove_message(struct rt_ctx *ctx, const char *message_id)
{
	if (unlink(message_path(ctx, message_id)) != 0 && errno != ENOENT)
		return failed(ctx, "delete a message");
	return RT_OK;
}

static void add_if_old(struct rt_ctx *ctx, DIR *folder, const char *name, int64_t before_ms,
	struct rt_mailstore_names *names)
{
	struct stat info;

	if (fstatat(dirfd(folder), name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
		S_ISREG(info.st_mode) && (int64_t)info.st_mtime * 1000 < before_ms)
		rt_mailstore_add_name(ctx, names, name);
}

static rt_status list(struct rt_ctx *ctx, int64_t before_ms, struct rt_mailstore_names *names)
{
	DIR *folder = opendir(store_folder());
	const struct dirent *entry;

	if (folder == NULL && errno == ENOENT)
		return RT_OK;
	if (folder == NULL)
		return failed(ctx, "be listed");
	while (names->count < RT_MAILSTORE_NAMES_MAX && (entry = readdir(folder)) != NULL)
		add_if_old(ctx, folder, entry->d_name, before_ms, names);
	closedir(folder);
	return RT_OK;
}

const struct rt_mailstore_driver rt_mailstore_file = {
	.put = put,
	.open = open_message,
	.remove = remove_message,
	.list = list,
};
