/* Stores messages under their messageId, in a folder (EDS_MAIL_STORE=file:PATH) or in an S3 bucket
 * (s3://BUCKET/PREFIX: the object PREFIX/MESSAGE-ID, as SES stores it with the object key prefix
 * "PREFIX/"). The receiver writes a message before it sends the event. Functions read the message,
 * and it is deleted when no function needs it any more. A message id consists of 1 to 128 ASCII
 * letters, digits, hyphens, underscores and dots, and does not begin with a dot; anything else is
 * RT_BAD_INPUT "message-id-invalid". When the environment names a wrong endpoint or region for the
 * bucket, a call fails with RT_INTERNAL "mail-store-misconfigured". */
#ifndef RT_MAILSTORE_H
#define RT_MAILSTORE_H

#include <sys/uio.h>

#include "runtime/ctx.h"

enum {
	RT_MESSAGE_ID_MAX = 128,
	/* maximum length of a message as received, with this server's Received field, octets */
	RT_MESSAGE_BYTES_MAX = 15 * 1024 * 1024 + 64 * 1024,
	/* maximum length of an object in the bucket, octets; SES delivers up to 40 MB */
	RT_MAILSTORE_OBJECT_MAX = 48 * 1024 * 1024,
	RT_MAILSTORE_NAMES_MAX = 1000,
};

struct rt_mailstore_names {
	const char *items[RT_MAILSTORE_NAMES_MAX];
	size_t count;
};

/* True if the mail store is on another machine. Calls may then take long, so an event loop must
 * make them in another thread. */
bool rt_mailstore_is_remote(void);

/* Stores a message, which appears whole or not at all. Replaces an existing message with this id.
 * In a folder the message is durable only when sync is set (file and folder are synced); normally
 * the receiver's spool makes mail durable. In a bucket the message is always durable. Fails with
 * RT_TEMPORARY "mail-store-failed". */
RT_MUST_USE rt_status rt_mailstore_put(struct rt_ctx *ctx, const char *message_id,
	const struct iovec *parts, int part_count, bool sync);

/* Gives a descriptor from which the message can be read, and the size of the message. The
 * descriptor is closed at the end of the event. Fails with RT_NOT_FOUND "message-not-found" or
 * RT_TEMPORARY "mail-store-failed". */
RT_MUST_USE rt_status rt_mailstore_open(
	struct rt_ctx *ctx, const char *message_id, int *fd, size_t *bytes);

/* Deletes the message; succeeds also if it does not exist. */
RT_MUST_USE rt_status rt_mailstore_delete(struct rt_ctx *ctx, const char *message_id);

/* Lists messages that were stored before the time before_ms (epoch ms), at most
 * RT_MAILSTORE_NAMES_MAX. Skips objects whose names are not message ids. */
RT_MUST_USE rt_status rt_mailstore_list(
	struct rt_ctx *ctx, int64_t before_ms, struct rt_mailstore_names *names);

/* Closes the connections that this thread keeps. A thread that used the mail store must call this
 * function before the thread ends. */
void rt_mailstore_thread_done(void);

#endif
