/* Reads a function's answer to an HTTP event and prepares it for sending.
 *
 *     {"statusCode": 200, "headers": {"content-type": "application/json"}, "cookies": ["a=b"],
 *      "body": "{}", "isBase64Encoded": false}
 *
 * Fields named eds-… are for the host and are not sent to clients:
 *
 *     eds-stored: upload-0193484c-…      a message is in the mail store under this name
 *     eds-wait: 30 mfrggzdfmztwq2lk…     the requested result does not exist yet (waits.h)
 *
 * The body may be separate: then the JSON has no body, and the octets of the body follow the line
 * of JSON (runtime/process/process-lines.h).
 *
 * JSON without statusCode means 200 with the whole output as the body; a top-level errorType means
 * that the function failed (payload format 2.0).
 */
#ifndef HOST_ANSWER_H
#define HOST_ANSWER_H

#include "runtime/buffer.h"

enum {
	ANSWER_FIELDS_BYTES_MAX = 32 * 1024,
	ANSWER_BODY_BYTES_MAX = 8 * 1024 * 1024,
	ANSWER_NAME_MAX = 128,
};

struct answer {
	int status;
	/* header fields, "name: value\r\n" each, without fields that frame the message */
	struct rt_buffer fields;
	struct rt_buffer body;
	char stored[ANSWER_NAME_MAX + 1]; /* message id from the field eds-stored; "" for none */
	int wait_s; /* seconds from the field eds-wait; 0: the answer is final */
	/* name of the awaited result, from the field eds-wait */
	char wait_for[ANSWER_NAME_MAX + 1];
};

enum answer_result {
	ANSWER_GOOD,
	ANSWER_FAILED,  /* the function reported an errorType */
	ANSWER_INVALID, /* the answer is not JSON, or HTTP cannot carry it */
};

void answer_init(struct answer *answer);
void answer_done(struct answer *answer);

/* Reads an answer; reuses the memory of the previous one. */
enum answer_result answer_read(struct answer *answer, const char *text, size_t length);

#endif
