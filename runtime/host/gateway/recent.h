/* Keeps the last events and their answers in memory, for developing a function or finding the cause
 * of a failure.
 *
 * Tokens, cookies and keys are removed before an event is shown, but not from a body in base64. An
 * event longer than RECENT_BYTES_MAX is not kept. If only its answer is longer, the event and its
 * outcome are kept without the answer.
 */
#ifndef HOST_RECENT_H
#define HOST_RECENT_H

#include "runtime/buffer.h"
#include "runtime/host/pool/pool.h"

enum {
	RECENT_EVENTS = 128,
	RECENT_BYTES_MAX = 32 * 1024,
	/* maximum length of the text that recent_list() or recent_show() writes, octets */
	RECENT_TEXT_MAX = 512 * 1024,
};

struct recent;

struct recent *recent_new(void);
void recent_free(struct recent *recent);

/* Keeps an event that is given to a function. Returns the number for recent_end(); 0 when the event
 * is not kept. */
uint64_t recent_begin(
	struct recent *recent, const char *function, const char *event, size_t length);

/* Marks the event with this number as given to a second handler, because the first one died before
 * it began the event. False when newer events have replaced the event, or when the number is 0. */
bool recent_give_again(struct recent *recent, uint64_t number);

/* Stores the outcome and the answer of the event with this number, unless newer events have
 * replaced it. */
void recent_end(struct recent *recent, uint64_t number, enum pool_outcome outcome,
	const char *answer, size_t length);

/* Writes {"events":[{"number","id","function","receivedAt","outcome","again"}]}, newest first. The
 * member "again" is true if the event was given to a second handler; then the outcome is that of
 * the second handler. */
void recent_list(const struct recent *recent, struct rt_buffer *out);

/* Writes one event with the members that recent_list() writes, and with "event" and "answer". id:
 * the number or the id of the event. False when there is no such event. */
bool recent_show(const struct recent *recent, const char *id, struct rt_buffer *out);

#endif
