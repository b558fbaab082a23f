/* The store: the system's persistent state, in SQLite or PostgreSQL.
 *
 * All SQL is in this folder: db.h is the interface to the two drivers, the file of each subject
 * contains its statements, and functions include this header and those of the subjects. Every call
 * returns RT_TEMPORARY "store-unavailable" when the database is locked, full or unreachable. RT_OK
 * from a call that writes means that the change is committed. Times are epoch milliseconds.
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

/* Gives the process's database, opened at the first call. RT_TEMPORARY "store-not-migrated" when
 * its schema lacks a step of this program, for which it waits first, or only works with newer
 * programs. */
RT_MUST_USE rt_status eds_store_open(struct rt_ctx *ctx, struct eds_store **store);

/* Runs check within the event's next transaction that writes, before its writes. When check fails,
 * nothing is written. It may run several times. The reads of check and the writes then have the
 * same effect as if no other transaction ran. */
typedef rt_status (*eds_store_check)(struct rt_ctx *ctx, struct eds_store *store, void *arg);
void eds_store_check_first(struct eds_store *store, eds_store_check check, void *arg);

/* Runs also within the event's next transaction that writes, after its writes. When also fails,
 * nothing is written. It may run several times. */
void eds_store_also(struct eds_store *store, eds_store_check also, void *arg);

/* The account of a session, and the receiver of its result. */
struct eds_callback {
	const char *account_id;
	const char *url; /* NULL: no receiver */
	const char *secret;
};

struct eds_outbox_seen;

struct eds_session {
	const char *test_id;
	int64_t created_at_ms;
	int64_t expires_at_ms;
	bool completed;     /* there is a result, and no message that arrived over HTTP waits */
	const char *result; /* JSON object with spamScore, verdict, results, scoreBreakdown; NULL
			       before the first */
	int message_count;  /* including those that wait */
	const char *callback_secret; /* set when it was just made, by the service; else NULL */
	const char *callback_url;    /* NULL: there is none */
	const struct eds_outbox_seen
		*callback; /* latest delivery (outbox.h); NULL before the first */
};

struct eds_signing_name {
	const char *domain; /* d=, in lower case */
	const char *selector;
};

struct eds_session_message {
	const char *message_id;
	int64_t received_at_ms;
	const char *client_ip; /* of the envelope, as in the event; NULL if missing there */
	const char *helo;
	const char *mail_from;
	const char *tls;
	const char *counted_ip; /* client whose room the message takes; NULL: unknown */
	size_t octets;          /* size in the mail store; 0: counted already */
	const char *notice;     /* body for the session's callback; NULL: nothing is sent */
	/* Domains and selectors of its verified DKIM signatures. The selectors of the session's
	 * account, if it has one, are discovered from them. */
	const struct eds_signing_name *signing_names;
	size_t signing_name_count;
};

#endif
