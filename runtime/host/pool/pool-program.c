#include <sys/stat.h>

#include "runtime/host/pool/pool-handler.h"
#include "runtime/host/pool/pool-program.h"

/* True if the file differs from *seen, which is then updated. */
static bool is_new(const char *path, struct identity *seen)
{
	struct stat now;

	if (stat(path, &now) != 0)
		return false;
	if (now.st_dev == seen->device && now.st_ino == seen->inode &&
		now.st_mtim.tv_sec == seen->changed.tv_sec &&
		now.st_mtim.tv_nsec == seen->changed.tv_nsec)
		return false;
	*seen = (struct identity){
		.device = now.st_dev, .inode = now.st_ino, .changed = now.st_mtim};
	return true;
}

/* Checks the files only once in each turn of the loop. That is enough, because the events that are
 * handled in a turn arrived before the turn began, or during the turn at the latest. */
void pool_look_at_program(struct pool *pool)
{
	const char *adapter = pool->owner->adapter;
	bool changed;

	if (pool->looked_in == pool->owner->turn)
		return;
	pool->looked_in = pool->owner->turn;
	event_active(pool->owner->turned, EV_TIMEOUT, 0);
	changed = is_new(pool->function->program, &pool->program);
	if (adapter != NULL && is_new(adapter, &pool->adapter))
		changed = true;
	if (!changed)
		return;
	pool->generation++;
	pool->reads_page = false;
	pool->failures = 0;
	pool->not_before_ms = 0;
}
