/* The store: what the system remembers, in SQLite or PostgreSQL.
 *
 * SQL stands only in this folder: db.h is the boundary to the two drivers, a file for each subject
 * holds its statements, and this header is what functions see. Everything returns RT_TEMPORARY
 * "store-unavailable" when the database is locked, full or gone; acknowledged means committed.
 * Times are epoch milliseconds.
 */
#ifndef EDS_STORE_H
#define EDS_STORE_H

#include "runtime/ctx.h"

enum {
	EDS_SESSION_LIFETIME_MS = 48 * 3600 * 1000,
	EDS_SESSION_MESSAGES_MAX = 20,
	EDS_TEST_ID_LENGTH = 26, /* base32, 128 random bits (the last character carries 3) */
	EDS_EXPIRE_BATCH = 200,
	EDS_REANALYZE_LEASE_MS = 40 * 1000, /* longer than the function may take */
	EDS_REANALYZE_PAUSE_MS = 10 * 1000,
};

struct eds_store;

/* The database of the process, opened at the first call. RT_TEMPORARY "store-not-migrated" when its
 * schema lacks a step of this program's, for which it waits first, or is only for newer ones. */
RT_MUST_USE rt_status eds_store_open(struct rt_ctx *ctx, struct eds_store **store);

/* Has check run within the next transaction that writes in this event, before what it writes: where
 * check fails nothing is written. It may run several times. What check reads and what is written is
 * then as if no other transaction ran. */
typedef rt_status (*eds_store_check)(struct rt_ctx *ctx, struct eds_store *store, void *arg);
void eds_store_check_first(struct eds_store *store, eds_store_check check, void *arg);

/* Has also run within the next transaction that writes in this event, behind what it writes; where
 * also fails nothing is written. It may run several times. */
void eds_store_also(struct eds_store *store, eds_store_check also, void *arg);

/* Brings the schema up to date; safe to run by any number of processes at once. */
RT_MUST_USE rt_status eds_store_migrate(struct rt_ctx *ctx, int *from_version, int *to_version);

/* Whose a session is, and whom its result is sent to. */
struct eds_callback {
	const char *account_id;
	const char *url; /* NULL: nobody */
	const char *secret;
};

struct eds_outbox_seen;

struct eds_session {
	const char *test_id;
	int64_t created_at_ms;
	int64_t expires_at_ms;
	bool completed;     /* there is a result, and no message waits that came over HTTP */
	const char *result; /* JSON object with spamScore, verdict, results, scoreBreakdown; NULL
			       before the first */
	int message_count;  /* with those that wait */
	const char *callback_secret; /* when it was made just now, and by us; else NULL */
	const char *callback_url;    /* NULL: there is none */
	const struct eds_outbox_seen *callback; /* its latest delivery (outbox.h), NULL before */
};

struct eds_signing_name {
	const char *domain; /* d=, in lower case */
	const char *selector;
};

struct eds_session_message {
	const char *message_id;
	int64_t received_at_ms;
	const char *client_ip; /* of the envelope as the event gave it; NULL where it did not */
	const char *helo;
	const char *mail_from;
	const char *tls;
	const char *counted_ip; /* whose room the message takes; NULL: nobody knows */
	size_t octets;          /* in the mail store; 0: they are counted already */
	const char *notice;     /* what the session's callback is told; NULL: nothing */
	/* Of its DKIM signatures that verified: the session's account, where it has one, has signed
	 * with these selectors. */
	const struct eds_signing_name *signing_names;
	size_t signing_name_count;
};

/* Makes a pending session with a fresh id. RT_LIMIT "too-many-sessions" (retry_after_s set) when
 * the client made per_hour of them within the last hour, or the IPv6 /48 around it twice as many;
 * per_hour 0: no limit. client is an address, IPv6 cut to its /64, for counting. */
RT_MUST_USE rt_status eds_store_session_create(struct rt_ctx *ctx, struct eds_store *store,
	const char *client, int per_hour, struct eds_session *session);

/* The same with a callback, NULL for none. */
RT_MUST_USE rt_status eds_store_session_create_calling(struct rt_ctx *ctx, struct eds_store *store,
	const char *client, int per_hour, const struct eds_callback *callback,
	struct eds_session *session);

/* Live sessions only; unknown, malformed and expired alike: RT_NOT_FOUND "session-not-found". */
RT_MUST_USE rt_status eds_store_session_get(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, struct eds_session *session);

/* Keeps the message and, when it is the newest by (received_at_ms, message_id), its result as the
 * session's; the results of the others are gone. The same message twice overwrites its result and
 * counts once. Selectors that it is signed with, for domains of the session's account, are
 * discovered ones from now on, within EDS_DISCOVERED_DOMAIN_MAX. The result of each message is told
 * to the session's callback once, while it is the newest. RT_NOT_FOUND "session-not-found" when it
 * expired; RT_LIMIT "session-full" past EDS_SESSION_MESSAGES_MAX. result is the compact text of an
 * object with members (rt_json_format), else RT_INTERNAL "result-invalid". */
RT_MUST_USE rt_status eds_store_session_complete(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const struct eds_session_message *message, const char *result);

/* Up to EDS_SESSION_MESSAGES_MAX messages of the session that newer ones have taken the place of,
 * whose bytes no session needs any more and which are not forgotten yet. Delete their bytes first,
 * then call eds_store_message_forget, so that a crash in between forgets nothing. */
RT_MUST_USE rt_status eds_store_messages_replaced(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char ***message_ids, size_t *count);
RT_MUST_USE rt_status eds_store_message_forget(
	struct rt_ctx *ctx, struct eds_store *store, const char *test_id, const char *message_id);

/* Whether a live session has had the message already: an event that comes again is answered
 * without analysing twice. False for a session that is unknown or over. */
RT_MUST_USE rt_status eds_store_session_has_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char *message_id, bool *has);

/* The newest message of a live session. RT_NOT_FOUND "session-not-found"; RT_CONFLICT
 * "session-pending" when none arrived yet. */
RT_MUST_USE rt_status eds_store_session_message(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, struct eds_session_message *message);

/* The right to analyse a live session's message anew: one at a time. RT_LIMIT "reanalyzed-just-now"
 * (retry_after_s set) while another analysis holds it, for EDS_REANALYZE_LEASE_MS at most, and for
 * EDS_REANALYZE_PAUSE_MS after it was given back; "too-many-reanalyses" (retry_after_s set) when
 * the client, counted as for a new session, has used up its per_hour, which come back one by one;
 * per_hour 0: no limit. RT_NOT_FOUND "session-not-found". */
RT_MUST_USE rt_status eds_store_reanalysis_begin(struct rt_ctx *ctx, struct eds_store *store,
	const char *test_id, const char *client, int per_hour);
RT_MUST_USE rt_status eds_store_reanalysis_end(
	struct rt_ctx *ctx, struct eds_store *store, const char *test_id);

/* Up to EDS_EXPIRE_BATCH messages that no live session holds any more. Delete their bytes first,
 * then call eds_store_sessions_purge, so that a crash in between forgets nothing. */
RT_MUST_USE rt_status eds_store_messages_expired(
	struct rt_ctx *ctx, struct eds_store *store, const char ***message_ids, size_t *count);

/* Removes those messages' rows, and sessions past their time that have no message left. */
RT_MUST_USE rt_status eds_store_sessions_purge(struct rt_ctx *ctx, struct eds_store *store,
	const char *const *message_ids, size_t count, size_t *sessions_removed);

#endif
