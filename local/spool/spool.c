#include "local/spool/spool.h"
#include "runtime/time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "local/spool/spool-damaged.h"
#include "local/spool/spool-state.h"

enum {
	LOCK_MODE = 0600,
};

struct spool_segment **spool_find_segment(struct spool *spool, uint64_t number)
{
	struct spool_segment **link = &spool->segments;

	while (*link != NULL && (*link)->number != number)
		link = &(*link)->next;
	return link;
}

void spool_delete_if_done(struct spool *spool, struct spool_segment *segment)
{
	struct spool_segment **link;

	if (!segment->closed || segment->pending > 0)
		return;
	link = spool_find_segment(spool, segment->number);
	*link = segment->next;
	spool_remover_add(spool->remover, segment);
}

static void close_current(struct spool *spool)
{
	struct spool_segment *segment = spool->current;

	if (segment == NULL)
		return;
	spool->current = NULL;
	segment->closed = true;
	spool_delete_if_done(spool, segment);
}

static bool is_old(const struct spool_segment *segment)
{
	return rt_monotonic_ms() - segment->made_at_ms > SPOOL_SEGMENT_SECONDS * 1000;
}

static bool ensure_current(struct spool *spool)
{
	if (spool->current != NULL &&
		(spool->current->bytes > SPOOL_SEGMENT_BYTES || is_old(spool->current)))
		close_current(spool);
	if (spool->current == NULL) {
		spool->current = spool_segment_new(spool->folder, spool->next_number);
		if (spool->current == NULL)
			return false;
		spool->next_number++;
		spool->current->next = spool->segments;
		spool->segments = spool->current;
	}
	return true;
}

/* Moves waiting records into the batch; returns the number of their parts. */
static int fill_batch(struct spool *spool)
{
	uint64_t offset = spool->current->bytes;
	struct entry **last = &spool->batch;
	int part_count = 0;

	while (spool->first != NULL && part_count < 2 * SPOOL_BATCH_MAX &&
		offset < SPOOL_SEGMENT_BYTES) {
		struct entry *entry = spool->first;

		spool->first = entry->next;
		entry->next = NULL;
		*last = entry;
		last = &entry->next;
		entry->place.segment = spool->current->number;
		entry->place.offset = offset;
		spool->parts[part_count++] = entry->parts[0];
		spool->parts[part_count++] = entry->parts[1];
		offset += entry->place.length;
	}
	if (spool->first == NULL)
		spool->last = &spool->first;
	return part_count;
}

static void finish_entry(struct entry *entry, int error)
{
	entry->stored(entry->arg, error == 0 ? &entry->place : NULL, error);
	free(entry->parts[0].iov_base);
	free(entry);
}

static void fail_waiting(struct spool *spool, int error)
{
	while (spool->first != NULL) {
		struct entry *entry = spool->first;

		spool->first = entry->next;
		finish_entry(entry, error);
	}
	spool->last = &spool->first;
}

static void start_batch(struct spool *spool)
{
	int part_count;

	if (spool_writer_busy(spool->writer) || spool->first == NULL)
		return;
	if (!ensure_current(spool)) {
		fail_waiting(spool, ENOMEM);
		return;
	}
	part_count = fill_batch(spool);
	spool_writer_write(spool->writer, spool->current, spool->parts, part_count);
}

static void batch_finished(void *arg, int error)
{
	struct spool *spool = arg;
	struct entry *batch = spool->batch;

	spool->batch = NULL;
	/* Counts all targets before the first callback, which may already report that a target is
	 * done. */
	for (struct entry *entry = batch; entry != NULL && error == 0; entry = entry->next) {
		spool->current->pending += entry->target_count;
		spool->current->bytes += entry->place.length;
	}
	/* After an error the content of the file is uncertain, so nothing more is written to it. */
	if (error != 0)
		close_current(spool);
	while (batch != NULL) {
		struct entry *entry = batch;

		batch = entry->next;
		finish_entry(entry, error);
	}
	if (spool->closing)
		return;
	start_batch(spool);
	if (spool->on_batch != NULL)
		spool->on_batch(spool->on_batch_arg);
}

/* Closes an old segment even if no new mail arrives, so that it can be deleted. */
static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct spool *spool = arg;

	(void)fd;
	(void)what;
	if (!spool_writer_busy(spool->writer) && spool->current != NULL && is_old(spool->current))
		close_current(spool);
}

static bool open_folder(struct spool *spool, const char *folder, char error[SPOOL_ERROR_MAX])
{
	if (spool_folder_make(folder))
		spool->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (spool->folder >= 0)
		spool->lock = openat(
			spool->folder, "lock", O_RDWR | O_CREAT | O_CLOEXEC, LOCK_MODE);
	if (spool->lock < 0) {
		snprintf(error, SPOOL_ERROR_MAX, "the spool folder %s cannot be used: %s", folder,
			strerror(errno));
		return false;
	}
	/* Two runners with one spool would send its events twice. */
	if (flock(spool->lock, LOCK_EX | LOCK_NB) != 0) {
		snprintf(error, SPOOL_ERROR_MAX, "another runner uses the spool folder %s", folder);
		return false;
	}
	return true;
}

static bool start_remover(struct spool *spool, const char *folder)
{
	char store[SPOOL_PATH_MAX];

	spool_store_of(folder, store);
	spool->remover = spool_remover_new(store);
	return spool->remover != NULL;
}

static bool start(struct spool *spool, struct event_base *base)
{
	const struct timeval interval = {.tv_sec = SPOOL_SEGMENT_SECONDS};

	spool->parts = calloc((size_t)2 * SPOOL_BATCH_MAX, sizeof *spool->parts);
	spool->tick = event_new(base, -1, EV_PERSIST, on_tick, spool);
	if (spool->parts == NULL || spool->tick == NULL || event_add(spool->tick, &interval) != 0)
		return false;
	spool->writer = spool_writer_new(base, batch_finished, spool);
	spool->streamer = spool_streamer_new(base);
	return spool->writer != NULL && spool->streamer != NULL;
}

struct spool *spool_open(struct event_base *base, const char *folder, char error[SPOOL_ERROR_MAX])
{
	struct spool *spool = calloc(1, sizeof *spool);

	snprintf(error, SPOOL_ERROR_MAX, "the spool cannot be started");
	if (spool == NULL)
		return NULL;
	spool->folder = spool->lock = -1;
	spool->last = &spool->first;
	spool->next_number = 1;
	if (!open_folder(spool, folder, error) || !start_remover(spool, folder) ||
		!start(spool, base)) {
		spool_close(spool);
		return NULL;
	}
	return spool;
}

void spool_append(
	struct spool *spool, const struct spool_mail *mail, spool_stored stored, void *arg)
{
	struct entry *entry = calloc(1, sizeof *entry);

	if (entry != NULL)
		entry->parts[0].iov_base = spool_record_head(mail, &entry->parts[0].iov_len);
	if (entry == NULL || entry->parts[0].iov_base == NULL) {
		free(entry);
		stored(arg, NULL, ENOMEM);
		return;
	}
	entry->parts[1] = (struct iovec){(void *)(uintptr_t)mail->message, mail->length};
	entry->place.length = (uint32_t)(entry->parts[0].iov_len + mail->length);
	entry->target_count = (uint32_t)mail->target_count;
	entry->stored = stored;
	entry->arg = arg;
	*spool->last = entry;
	spool->last = &entry->next;
	start_batch(spool);
}

rt_status spool_read(struct rt_ctx *ctx, struct spool *spool, const struct spool_place *place,
	struct spool_mail *mail)
{
	const struct spool_segment *segment = *spool_find_segment(spool, place->segment);
	char *record = rt_alloc(ctx, place->length);

	if (segment == NULL || !spool_segment_read(segment, place->offset, record, place->length))
		return rt_fail(ctx, RT_TEMPORARY, "spool-failed", "the spool cannot be read: %s",
			strerror(errno));
	if (!spool_record_parse(ctx, record, place->length, mail) ||
		place->target >= mail->target_count) {
		/* if this fails, the segment stays, and the next start of the runner tries again */
		spool_damaged_keep(segment);
		return rt_fail(ctx, RT_INTERNAL, "spool-damaged",
			"a record of the spool does not match its checksum");
	}
	return RT_OK;
}

void spool_done(struct spool *spool, const struct spool_place *place)
{
	struct spool_segment *segment = *spool_find_segment(spool, place->segment);

	if (segment == NULL)
		return;
	spool_segment_mark(segment, place->offset, place->target);
	spool_delete_if_done(spool, segment);
}

bool spool_is_busy(const struct spool *spool)
{
	return spool->first != NULL || spool_writer_busy(spool->writer);
}

void spool_on_batch(struct spool *spool, void (*batch)(void *arg), void *arg)
{
	spool->on_batch = batch;
	spool->on_batch_arg = arg;
}

uint64_t spool_bytes(const struct spool *spool)
{
	uint64_t bytes = 0;

	for (const struct spool_segment *segment = spool->segments; segment != NULL;
		segment = segment->next)
		bytes += segment->bytes;
	return bytes;
}

int spool_descriptor(const struct spool *spool)
{
	return spool->folder;
}

void spool_close(struct spool *spool)
{
	spool->closing = true;
	/* The threads end first, since their last callbacks still use the segments. */
	if (spool->streamer != NULL)
		spool_streamer_free(spool->streamer);
	spool->streamer = NULL;
	if (spool->writer != NULL)
		spool_writer_free(spool->writer);
	fail_waiting(spool, ECANCELED);
	close_current(spool);
	if (spool->remover != NULL)
		spool_remover_free(spool->remover);
	while (spool->segments != NULL) {
		struct spool_segment *segment = spool->segments;

		spool->segments = segment->next;
		spool_segment_free(segment);
	}
	if (spool->tick != NULL)
		event_free(spool->tick);
	if (spool->lock >= 0)
		close(spool->lock);
	if (spool->folder >= 0)
		close(spool->folder);
	free(spool->parts);
	free(spool);
}
