#include "local/serve/manifest-watch.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "runtime/host/manifest.h"
#include "runtime/log.h"

enum {
	LOOK_MS = 500,
};

struct manifest_watch {
	const char *folder;
	char file[MANIFEST_PATH_MAX];
	struct stat seen;
	struct event *look;
	void (*on_changed)(void *arg);
	void *arg;
};

static bool is_another(const struct stat *now, const struct stat *seen)
{
	return now->st_dev != seen->st_dev || now->st_ino != seen->st_ino ||
		now->st_mtim.tv_sec != seen->st_mtim.tv_sec ||
		now->st_mtim.tv_nsec != seen->st_mtim.tv_nsec;
}

/* Checks the file. If it is missing for a moment, as between two steps of a build, the next check
 * looks again. */
static void on_look(evutil_socket_t fd, short what, void *arg)
{
	struct manifest_watch *watch = arg;
	char error[MANIFEST_ERROR_MAX];
	struct manifest *manifest;
	struct stat now;

	(void)fd;
	(void)what;
	if (stat(watch->file, &now) != 0 || !is_another(&now, &watch->seen))
		return;
	watch->seen = now;
	manifest = manifest_read_folder(watch->folder, error);
	if (manifest == NULL) {
		rt_log_line(RT_LOG_ERROR, NULL, NULL,
			"the changed %s cannot be used, so the previous one stays: %s", watch->file,
			error);
		return;
	}
	manifest_free(manifest);
	event_del(watch->look);
	watch->on_changed(watch->arg);
}

/* If the file cannot be found, *seen is all zero, which differs from the state of every file. */
void manifest_watch_see(const char *folder, struct stat *seen)
{
	char file[MANIFEST_PATH_MAX];

	manifest_path(folder, file);
	if (stat(file, seen) != 0)
		*seen = (struct stat){0};
}

struct manifest_watch *manifest_watch_new(struct event_base *base, const char *folder,
	const struct stat *seen, void (*on_changed)(void *arg), void *arg)
{
	const struct timeval interval = {.tv_usec = LOOK_MS * 1000};
	struct manifest_watch *watch = calloc(1, sizeof *watch);

	if (watch == NULL)
		return NULL;
	watch->folder = folder;
	watch->seen = *seen;
	watch->on_changed = on_changed;
	watch->arg = arg;
	manifest_path(folder, watch->file);
	watch->look = event_new(base, -1, EV_PERSIST, on_look, watch);
	if (watch->look == NULL || event_add(watch->look, &interval) != 0) {
		manifest_watch_free(watch);
		return NULL;
	}
	return watch;
}

void manifest_watch_free(struct manifest_watch *watch)
{
	if (watch == NULL)
		return;
	if (watch->look != NULL)
		event_free(watch->look);
	free(watch);
}
