/* The two kinds of storage for the mail store: a folder (mailstore-file.c) or an S3 bucket
 * (mailstore-s3.c). The members match the functions of runtime/mail-store/mailstore.h; message ids
 * are already checked. */
#ifndef RT_MAILSTORE_DRIVER_H
#define RT_MAILSTORE_DRIVER_H

#include "runtime/mail-store/mailstore.h"

struct rt_mailstore_driver {
	rt_status (*put)(struct rt_ctx *ctx, const char *message_id, const struct iovec *parts,
		int part_count, bool sync);
	rt_status (*open)(struct rt_ctx *ctx, const char *message_id, int *fd, size_t *bytes);
	rt_status (*remove)(struct rt_ctx *ctx, const char *message_id);
	rt_status (*list)(struct rt_ctx *ctx, int64_t before_ms, struct rt_mailstore_names *names);
};

extern const struct rt_mailstore_driver rt_mailstore_file;
extern const struct rt_mailstore_driver rt_mailstore_s3;

/* Fails with RT_NOT_FOUND "message-not-found". */
RT_MUST_USE rt_status rt_mailstore_missing(struct rt_ctx *ctx, const char *message_id);
/* Closes the descriptor at the end of the event. */
void rt_mailstore_close_later(struct rt_ctx *ctx, int fd);
/* Adds the name to the list unless it is not a message id or the list is full. */
void rt_mailstore_add_name(
	struct rt_ctx *ctx, struct rt_mailstore_names *names, const char *message_id);

#endif
