/* One question by HTTP to a server that the operator has named in a setting: a POST and its answer.
 *
 * That address may be this machine's own or a private one: here alone, since no stranger can choose
 * it. The question is sent while its caller does something else, and its caller waits for the
 * answer when it has nothing else to do:
 *
 *     ask = eds_ask_begin(ctx, &question);
 *     …                                    (the answer arrives meanwhile)
 *     eds_ask_end(ask, &answer);           (waits until question.time_ms after the beginning)
 *
 * No redirects, no proxy, no decoding, a connection of its own, bounded octets in header and body.
 */
#ifndef EDS_FETCH_ASK_H
#define EDS_FETCH_ASK_H

#include "runtime/buffer.h"

enum {
	EDS_ASK_FIELDS_MAX = 16,
	EDS_ASK_CONNECT_MS = 1000,
	EDS_ASK_BEGIN_MS = 20, /* of the beginning, whoever listens there */
	EDS_ASK_HEADER_BYTES_MAX = 32 * 1024,
};

struct eds_ask_question {
	const char *url;
	const char *fields[EDS_ASK_FIELDS_MAX]; /* "Name: value", without line ends */
	size_t field_count;
	const char *body; /* borrowed until the end, or the release of ctx */
	size_t body_bytes;
	size_t answer_bytes_max;
	int time_ms; /* for all of it */
};

struct eds_ask_answer {
	int status;          /* of HTTP; 0: there was no whole answer, and failure says why */
	const char *failure; /* a sentence's end: "did not answer within 3 seconds" */
	const char *body;
	size_t length;
};

struct eds_ask;

/* Never NULL; what goes wrong comes out at the end. */
struct eds_ask *eds_ask_begin(struct rt_ctx *ctx, const struct eds_ask_question *question);
/* Once. */
void eds_ask_end(struct eds_ask *ask, struct eds_ask_answer *answer);

#endif
