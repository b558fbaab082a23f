/* Messages that a client uploaded over HTTP for a test session.
 *
 * A message's row is written before its bytes. At first, the row does not mean that the message is
 * accepted. eds_store_upload_ready() marks the message as accepted, and only then does the client
 * get its answer. Any number of processes analyze messages: each claims a message with a lease,
 * analyzes it, and records the end of the analysis (eds_store_upload_settle). When that record is
 * missing at the end of the lease, the message is claimed again, so no message is lost. A session
 * that waits for such a message is pending.
 */
#ifndef EDS_STORE_UPLOAD_H
#define EDS_STORE_UPLOAD_H

#include "functions/lib/store/store.h"

enum {
	EDS_UPLOAD_LEASE_MS = 60 * 1000, /* life of a lease: longer than an analysis, or the storing
					  * of bytes, may take */
	/* the process that is notified at once has this much time to claim the message before other
	 * processes may claim it */
	EDS_UPLOAD_FIRST_MS = 5 * 1000,
	EDS_UPLOAD_PAUSE_MS = 60 * 1000,
	EDS_UPLOAD_TRIES = 3,
};

struct eds_upload {
	const char *message_id;
	const char *test_id;
	const char *client; /* the client towards whose limits the message counts
			     * (counted-client.h); set only in a row that was read */
	int64_t received_at_ms;
	const char *client_ip; /* address of the mail client as given; "" if none */
	const char *helo;
	const char *mail_from; /* address in MAIL FROM; "" for <> */
	int64_t tries; /* number of analyses tried so far, including the one for which the row is
			* claimed, but not those that ended with EDS_UPLOAD_LATER */
};

enum eds_upload_end {
	EDS_UPLOAD_DONE,
	EDS_UPLOAD_LATER,  /* a service was unavailable, so the analysis does not count as a try */
	EDS_UPLOAD_FAILED, /* the analysis failed, which counts as a try */
};

/* Records that a message for a live session will be stored under upload->message_id; sets
 * received_at_ms. The client (an IPv4 address or an IPv6 /64) may upload per_hour messages in an
 * hour (client-use.h); per_hour is 0 for no limit. Errors:
 *
 *     RT_NOT_FOUND "session-not-found"
 *     RT_LIMIT "session-full"        the session has had EDS_SESSION_MESSAGES_MAX messages,
 *                                    including those that wait for analysis
 *     RT_LIMIT "too-many-messages"   the client, or the IPv6 /48 around it, has reached its limit;
 *                                    retry_after_s is set
 */
RT_MUST_USE rt_status eds_store_upload_begin(struct rt_ctx *ctx, struct eds_store *store,
	const char *client, int per_hour, struct eds_upload *upload);

/* Records that the message's bytes are stored: from now on it will be analyzed. */
RT_MUST_USE rt_status eds_store_upload_ready(
	struct rt_ctx *ctx, struct eds_store *store, const char *message_id);

/* Claims a message for EDS_UPLOAD_LEASE_MS: the message with this id, due or not, or, if message_id
 * is NULL, the message that has been due longest. *found is false when no such message waits. If
 * message_id is given, *upload has the row of the message even if *found is false; test_id is NULL
 * when there is no row. */
RT_MUST_USE rt_status eds_store_upload_claim(struct rt_ctx *ctx, struct eds_store *store,
	const char *message_id, struct eds_upload *upload, bool *found);

RT_MUST_USE rt_status eds_store_upload_settle(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_upload *upload, enum eds_upload_end end);

#endif
