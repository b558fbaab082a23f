/* Messages that a client handed in over HTTP for a test session.
 *
 * A row stands before the message's bytes do, and promises nothing; eds_store_upload_ready makes it
 * a promise, and only then the client is told. Whoever analyses such a message claims it with a
 * lease and settles it: what is never settled is claimed again, so that none is lost, by any number
 * of processes. While a session waits for such a message it is pending.
 */
#ifndef EDS_STORE_UPLOAD_H
#define EDS_STORE_UPLOAD_H

#include "functions/lib/store/store.h"

enum {
	EDS_UPLOAD_LEASE_MS = 60 * 1000, /* longer than an analysis, or the storing of bytes */
	EDS_UPLOAD_FIRST_MS = 5 * 1000,  /* for whoever is told at once; then it is due to all */
	EDS_UPLOAD_PAUSE_MS = 60 * 1000,
	EDS_UPLOAD_TRIES = 3,
};

struct eds_upload {
	const char *message_id;
	const char *test_id;
	const char *client; /* who handed it in, as counted; only of one that was claimed */
	int64_t received_at_ms;
	const char *client_ip; /* "" where the client did not say */
	const char *helo;
	const char *mail_from; /* "" for <> */
	int64_t tries;         /* with the one that was claimed */
};

enum eds_upload_end {
	EDS_UPLOAD_DONE,
	EDS_UPLOAD_LATER,  /* something was away: that costs no try */
	EDS_UPLOAD_FAILED, /* a try was had */
};

/* Notes that a message for a live session will be stored under upload->message_id; received_at_ms
 * is set. RT_NOT_FOUND "session-not-found"; RT_LIMIT "session-full" when the session has had
 * EDS_SESSION_MESSAGES_MAX messages with those that wait; "too-many-messages" (retry_after_s set)
 * when the client, counted as for a new session, or the /48 around it has used up its share of
 * per_hour (client-use.h); per_hour 0: no limit. */
RT_MUST_USE rt_status eds_store_upload_begin(struct rt_ctx *ctx, struct eds_store *store,
	const char *client, int per_hour, struct eds_upload *upload);

/* Its bytes are there: from now on it will be analysed. */
RT_MUST_USE rt_status eds_store_upload_ready(
	struct rt_ctx *ctx, struct eds_store *store, const char *message_id);

/* Takes one for EDS_UPLOAD_LEASE_MS: that of this id, due or not, or with NULL the longest due.
 * *found is false where there is none that waits; of a given id upload then has the row even so,
 * its test_id NULL where there is none. */
RT_MUST_USE rt_status eds_store_upload_claim(struct rt_ctx *ctx, struct eds_store *store,
	const char *message_id, struct eds_upload *upload, bool *found);

RT_MUST_USE rt_status eds_store_upload_settle(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_upload *upload, enum eds_upload_end end);

#endif
