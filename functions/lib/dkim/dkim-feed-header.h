/* Prepares a message's header for libopendkim, with guards against its memory bugs. */
#ifndef EDS_DKIM_FEED_HEADER_H
#define EDS_DKIM_FEED_HEADER_H

#include "functions/lib/dkim/dkim-feed.h"

void eds_feed_header(struct rt_ctx *ctx, const struct eds_header *header,
	const struct eds_signature *signature, struct eds_feed *feed);

#endif
