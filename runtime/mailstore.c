#include "runtime/mailstore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/config.h"
#include "runtime/io.h"

enum {
	PATH_BYTES_MAX = 4096,
	FOLDER_MODE = 0700,
	FILE_MODE = 0600,
};

static void close_descriptor(void *handle)
{
	close((int)(intptr_t)handle);
}

static rt_status failed(struct rt_ctx *ctx, const char *what)
{
	return rt_fail(ctx, RT_TEMPORARY, "mail-store-failed", "the mail store cannot %s: %s", what,
		strerror(errno));
}

static rt_status folder_path(struct rt_ctx *ctx, const char **folder)
{
	const char *url = rt_config()->mail_store;

	if (strncmp(url, "file:", 5) != 0)
		return rt_fail(ctx, RT_INTERNAL, "mail-store-unsupported",
			"EDS_MAIL_STORE must be file:FOLDER");
	*folder = url + 5;
	return RT_OK;
}

static rt_status check_id(struct rt_ctx *ctx, const char *message_id)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
	size_t length = strlen(message_id);

	if (length == 0 || length > RT_MESSAGE_ID_MAX || message_id[0] == '.' ||
		strspn(message_id, allowed) != length)
		return rt_fail(ctx, RT_BAD_INPUT, "message-id-invalid",
			"a message id is 1 to %d letters, digits, hyphens, underscores and dots",
			RT_MESSAGE_ID_MAX);
	return RT_OK;
}

static rt_status message_path(struct rt_ctx *ctx, const char *message_id, const char **path)
{
	const char *folder;

	RT_TRY(check_id(ctx, message_id));
	RT_TRY(folder_path(ctx, &folder));
	*path = rt_printf(ctx, "%s/%s", folder, message_id);
	return RT_OK;
}

/* Makes the folder and those above it. */
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

rt_status rt_mailstore_put(struct rt_ctx *ctx, const char *message_id, const struct iovec *parts,
	int part_count, bool sync)
{
	const char *folder;
	const char *path;
	const char *temporary;
	bool ok;
	int fd;

	RT_TRY(message_path(ctx, message_id, &path));
	RT_TRY(folder_path(ctx, &folder));
	temporary = rt_printf(ctx, "%s/.%s.%d", folder, message_id, (int)getpid());
	fd = open_new(folder, temporary);
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

rt_status rt_mailstore_open(struct rt_ctx *ctx, const char *message_id, int *fd, size_t *bytes)
{
	const char *path;
	struct stat info;

	RT_TRY(message_path(ctx, message_id, &path));
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (*fd < 0 && errno == ENOENT)
		return rt_fail(ctx, RT_NOT_FOUND, "message-not-found",
			"the mail store has no message %s", message_id);
	if (*fd < 0)
		return failed(ctx, "open a message");
	rt_on_release(ctx, close_descriptor, (void *)(intptr_t)*fd);
	if (fstat(*fd, &info) != 0 || !S_ISREG(info.st_mode))
		return failed(ctx, "read a message");
	*bytes = (size_t)info.st_size;
	return RT_OK;
}

rt_status rt_mailstore_delete(struct rt_ctx *ctx, const char *message_id)
{
	const char *path;

	RT_TRY(message_path(ctx, message_id, &path));
	if (unlink(path) != 0 && errno != ENOENT)
		return failed(ctx, "delete a message");
	return RT_OK;
}
