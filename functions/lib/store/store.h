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

#endif
