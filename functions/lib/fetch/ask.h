/* One HTTP POST to a server that the operator has named in a setting, and its answer.
 *
 * Only here may the address be a private one or this machine's own, since only the operator can
 * choose it. The question is in flight while the caller does other work; the caller waits for the
 * answer at the end:
 *
 *     ask = eds_ask_begin(ctx, &question);
 *     …                                    (the answer arrives meanwhile)
 *     eds_ask_end(ask, &answer);           (waits until question.time_ms after the beginning)
 *
 * No redirects, no proxy, no decoding; each question has its own connection, and header and body
 * are limited in size.
 */
#ifndef EDS_FETCH_ASK_H
#define EDS_FETCH_ASK_H

#include "runtime/buffer.h"

enum {
	EDS_ASK_FIELDS_MAX = 16,
	EDS_ASK_CONNECT_MS = 1000,
	EDS_ASK_BEGIN_MS = 20, /* for eds_ask_begin, however slow the server is */
	EDS_ASK_HEADER_BYTES_MAX = 32 * 1024,
};

struct eds_ask_question {
	const char *url;
	const char *fields[EDS_ASK_FIELDS_MAX]; /* "Name: value", without line ends */
	size_t field_count;
	const char *body; /* borrowed until the end, or the release of ctx */
	size_t body_bytes;
	size_t answer_bytes_max;
	int time_ms; /* for the whole exchange */
};

struct eds_ask_answer {
	int status;          /* HTTP status; 0: no complete answer, and failure says why */
	const char *failure; /* the end of a sentence: "did not answer within 3 seconds" */
	const char *body;
	size_t length;
};

struct eds_ask;

/* Begins the question. Never NULL; errors are reported by eds_ask_end. */
struct eds_ask *eds_ask_begin(struct rt_ctx *ctx, const struct eds_ask_question *question);
/* Waits for the answer; call it exactly once. */
void eds_ask_end(struct eds_ask *ask, struct eds_ask_answer *answer);

#endif
