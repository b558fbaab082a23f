/* The last events and their answers, in memory, for whoever develops a function or looks for the
 * cause of a failure.
 *
 * Tokens, cookies and keys are taken out before an event is shown. An event that is longer than
 * RECENT_BYTES_MAX is not kept, of an answer that long only that it was.
 */
#ifndef HOST_RECENT_H
#define HOST_RECENT_H

#include "runtime/host/bytes.h"
#include "runtime/host/pool/pool.h"

enum {
	RECENT_EVENTS = 128,
	RECENT_BYTES_MAX = 32 * 1024,
	RECENT_TEXT_MAX = 512 * 1024, /* of what is written below */
};

struct recent;

struct recent *recent_new(void);
void recent_free(struct recent *recent);

/* An event goes to a function. The number under which its answer is told; 0 when it is not kept. */
uint64_t recent_begin(
	struct recent *recent, const char *function, const char *event, size_t length);

/* What became of it, unless newer events have taken its place. */
void recent_end(struct recent *recent, uint64_t number, enum pool_outcome outcome,
	const char *answer, size_t length);

/* {"events":[{"number","id","function","receivedAt","outcome"}]}, the newest first. */
void recent_list(const struct recent *recent, struct bytes *out);

/* The same with "event" and "answer", of the event with that number or id. False when there is
 * none. */
bool recent_show(const struct recent *recent, const char *id, struct bytes *out);

#endif
