/* Notices that the manifest has changed, for `runner serve --renew`.
 *
 * Routes, schedules, pools and the environment of handlers are made from the manifest at the start.
 * So the runner finishes its work and starts again (again.h) instead of changing all of them.
 */
#ifndef RUNNER_MANIFEST_WATCH_H
#define RUNNER_MANIFEST_WATCH_H

#include <event2/event.h>
#include <sys/stat.h>

struct manifest_watch;

/* Sets *seen to the present state of the manifest's file. Must be called before the manifest is
 * read, because the file may change later during the start, which may wait long for a database.
 * folder: as for manifest_read_folder(). */
void manifest_watch_see(const char *folder, struct stat *seen);

/* Starts the watch. on_changed is called at most once: when the state of the file differs from
 * *seen and the file can be used; errors in a changed file are logged. NULL when out of memory. */
struct manifest_watch *manifest_watch_new(struct event_base *base, const char *folder,
	const struct stat *seen, void (*on_changed)(void *arg), void *arg);
void manifest_watch_free(struct manifest_watch *watch);

#endif
