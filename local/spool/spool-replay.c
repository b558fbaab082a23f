#include <dirent.h>
#include <stdlib.h>

#include "local/spool/spool-damaged.h"
#include "local/spool/spool-replay.h"
#include "local/spool/spool-state.h"

struct replay {
	spool_left found;
	void *arg;
};

static void report_left(void *arg, const struct spool_segment *segment, uint64_t offset,
	uint32_t length, uint32_t target, const struct spool_mail *mail)
{
	const struct replay *replay = arg;
	const struct spool_place place = {segment->number, offset, length, target};

	replay->found(replay->arg, &place, mail);
}

static uint64_t replay_segment(struct spool *spool, const char *name, struct replay *replay)
{
	struct spool_segment *segment;
	uint64_t number;
	uint64_t lost = 0;

	if (!spool_segment_number(name, &number))
		return 0;
	segment = spool_segment_new(spool->folder, number);
	if (segment == NULL)
		return 0;
	if (number >= spool->next_number)
		spool->next_number = number + 1;
	segment->next = spool->segments;
	spool->segments = segment;
	if (!spool_segment_replay(segment, report_left, replay, &lost)) {
		/* The file cannot be read now. Counts a target that does not exist as pending, so
		 * that the file is not deleted. */
		segment->pending = 1;
		segment->damaged = true;
	}
	if (segment->damaged && !spool_damaged_keep(segment))
		/* the file has no second name in damaged/, so it stays, and the next start tries
		 * again */
		segment->pending++;
	spool_delete_if_done(spool, segment);
	return lost;
}

uint64_t spool_replay(struct spool *spool, spool_left found, void *arg)
{
	struct replay replay = {found, arg};
	struct dirent **names;
	uint64_t lost = 0;
	int count = scandirat(spool->folder, ".", &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		lost += replay_segment(spool, names[i]->d_name, &replay);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return lost;
}
