/* The store: the system's persistent state, in SQLite or PostgreSQL.
 *
 * All SQL is in this folder: db.h is the interface to the two drivers, and the folder of each
 * subject contains the statements about this subject. Functions include this header and the headers
 * of the subjects. Every call returns RT_TEMPORARY "store-unavailable" when the database is locked,
 * full or unreachable. RT_OK from a call that writes means that the change is committed; only the
 * calls that say that they run within the caller's transaction leave this to the caller. Times are
 * epoch milliseconds.
 */
#ifndef EDS_STORE_H
#define EDS_STORE_H

#include "runtime/ctx.h"

enum {
	EDS_SESSION_LIFETIME_MS = 48 * 3600 * 1000,
	EDS_SESSION_MESSAGES_MAX = 20,
	EDS_TEST_ID_LENGTH = 26, /* characters of a test id: 128 random bits in base32 (the last
				  * character carries 3 bits) */
	EDS_EXPIRE_BATCH = 200,
	EDS_REANALYZE_LEASE_MS = 40 * 1000, /* how long a reanalysis blocks other reanalyses of the
					     * session: longer than the function may take */
	EDS_REANALYZE_PAUSE_MS = 10 * 1000,
};

struct eds_store;

/* Gives the process's database, opened at the first call. Waits a while when the schema of the
 * database lacks a step that this program knows. RT_TEMPORARY "store-not-migrated" when the step is
 * still missing then, when the schema only works with newer programs, or when the database is
 * missing or has no schema. */
RT_MUST_USE rt_status eds_store_open(struct rt_ctx *ctx, struct eds_store **store);

/* Runs `check` within the event's next transaction of eds_store_write() or
 * eds_store_write_guarded(), before its writes. When `check`
 * fails, nothing is written. `check` may run several times. The reads of `check` and the writes
 * after it have the same effect as if no other transaction ran at that time. */
typedef rt_status (*eds_store_check)(struct rt_ctx *ctx, struct eds_store *store, void *arg);
void eds_store_check_first(struct eds_store *store, eds_store_check check, void *arg);

/* Runs `also` within the same transaction as eds_store_check_first() says, after its writes. When
 * `also` fails, nothing is written. `also` may run several times. */
void eds_store_also(struct eds_store *store, eds_store_check also, void *arg);

/* The account of a session, and the receiver of the session's results. */
struct eds_callback {
	const char *account_id;
	const char *url; /* URL of the receiver; NULL if there is none */
	const char *secret;
};

struct eds_outbox_seen;

struct eds_session {
	const char *test_id;
	int64_t created_at_ms;
	int64_t expires_at_ms;
	bool completed;     /* there is a result, and no message that arrived over HTTP waits for
			     * its analysis */
	const char *result; /* JSON object with spamScore, verdict, results, scoreBreakdown; NULL
			     * before the first result */
	int message_count;  /* messages of the session, including those that wait for analysis */
	const char *callback_secret; /* secret of the callback, when the service has just made it;
				      * else NULL */
	const char *callback_url;    /* receiver of the results; NULL if there is none */
	const struct eds_outbox_seen
		*callback; /* latest delivery to the receiver (outbox.h); NULL before the first */
};

struct eds_signing_name {
	const char *domain; /* d= of the signature, in lower case */
	const char *selector;
};

struct eds_session_message {
	const char *message_id;
	int64_t received_at_ms;
	/* Address of the client. client_ip, helo, mail_from and tls are from the envelope of the
	 * event; each is NULL when the envelope does not have it. */
	const char *client_ip;
	const char *helo;
	const char *mail_from;
	const char *tls;
	const char *counted_ip; /* the client whose amount of stored mail the message increases;
				 * NULL if unknown */
	size_t octets;          /* octets of the message in the mail store; 0 when they are counted
				 * already */
	const char *notice;     /* body to send to the session's callback; NULL if nothing is
				 * sent */
	/* Domains and selectors of the message's verified DKIM signatures. If the session has an
	 * account, these selectors are added to the domains of the account as discovered
	 * selectors. */
	const struct eds_signing_name *signing_names;
	size_t signing_name_count;
};

#endif
