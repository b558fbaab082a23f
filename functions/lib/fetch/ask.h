/* One HTTP POST to a server that the operator has named in a setting, and its answer.
 *
 * Code that connects to servers which strangers name (fetch.h) must not connect to private
 * addresses or to this machine. This code may, since only the operator can choose the server. The
 * question is in flight while the caller does other work; the caller waits for the answer at the
 * end:
 *
 *     ask = eds_ask_begin(ctx, &question);
 *     …                                    (the answer arrives meanwhile)
 *     eds_ask_end(ask, &answer);           (waits for it, at most time_ms after the beginning)
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
	EDS_ASK_BEGIN_MS = 20, /* about the maximum time that eds_ask_begin takes, however slow the
				* server is */
	EDS_ASK_HEADER_BYTES_MAX = 32 * 1024,
};

struct eds_ask_question {
	const char *url;
	const char *fields[EDS_ASK_FIELDS_MAX]; /* "Name: value", without line ends */
	size_t field_count;
	const char *body; /* borrowed until eds_ask_end, or until ctx is released */
	size_t body_bytes;
	size_t answer_bytes_max;
	int time_ms; /* maximum time for the whole exchange */
};

struct eds_ask_answer {
	int status;          /* HTTP status; 0 when no complete answer came */
	const char *failure; /* why no complete answer came, as the end of a sentence: "did not
			      * answer within 3 seconds" */
	const char *body;
	size_t length;
};

struct eds_ask;

/* Begins the question. Never NULL; errors are reported by eds_ask_end. */
struct eds_ask *eds_ask_begin(struct rt_ctx *ctx, const struct eds_ask_question *question);
/* Waits for the answer; call it exactly once. */
void eds_ask_end(struct eds_ask *ask, struct eds_ask_answer *answer);

#endif
