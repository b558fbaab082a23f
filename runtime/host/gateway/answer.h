/* What a function answered to an HTTP event, made ready to be sent.
 *
 *     {"statusCode": 200, "headers": {"content-type": "application/json"}, "cookies": ["a=b"],
 *      "body": "{}", "isBase64Encoded": false}
 *
 * Fields named eds-… are for the host, and no client sees them:
 *
 *     eds-stored: upload-0193484c-…      a message lies in the mail store under this name
 *     eds-wait: 30 mfrggzdfmztwq2lk…     what was asked for is not there yet (waits.h)
 *
 * JSON without statusCode means 200 with the whole output as body; a top-level errorType means that
 * the function failed (payload format 2.0).
 */
#ifndef HOST_ANSWER_H
#define HOST_ANSWER_H

#include "runtime/host/bytes.h"

enum {
	ANSWER_FIELDS_BYTES_MAX = 32 * 1024,
	ANSWER_BODY_BYTES_MAX = 8 * 1024 * 1024,
	ANSWER_NAME_MAX = 128,
};

struct answer {
	int status;
	struct bytes fields; /* "name: value\r\n" each; none that frame the message */
	struct bytes body;
	char stored[ANSWER_NAME_MAX + 1]; /* "" for none */
	int wait_s;                       /* 0: the answer is whole */
	char wait_for[ANSWER_NAME_MAX + 1];
};

enum answer_result {
	ANSWER_GOOD,
	ANSWER_FAILED,  /* an errorType */
	ANSWER_INVALID, /* no JSON, or fields that HTTP cannot carry */
};

void answer_init(struct answer *answer);
void answer_done(struct answer *answer);

/* Reads into the same memory again and again. */
enum answer_result answer_read(struct answer *answer, const char *text, size_t length);

#endif
