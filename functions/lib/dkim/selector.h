/* DKIM selectors: their names, and the check of what DNS publishes for one (RFC 6376
 * section 3.6.2).
 *
 *     s1._domainkey.example.com  TXT  "v=DKIM1; k=rsa; p=MIIB…"
 *
 * errors and warnings are those of key-record.h, and one warning more:
 *     key-wildcard   a random name beside the selector has a TXT record too, so the answer may be a
 *                    wildcard's and not the selector's own
 */
#ifndef EDS_DKIM_SELECTOR_H
#define EDS_DKIM_SELECTOR_H

#include "functions/lib/dkim/key-record.h"
#include "functions/lib/dkim/selector-state.h"

enum {
	EDS_SELECTOR_MAX = 63,       /* octets of a label */
	EDS_SELECTOR_NAME_MAX = 127, /* of one that is several labels */
	EDS_KEY_RECORD_SHOWN_MAX = 2048,

	EDS_RECHECK_VALID_MS = 3600 * 1000,
	EDS_RECHECK_TEMPORARY_MS = 60 * 1000,
	/* Times of next checks are that much early, but for a TTL: runs begin with the minute,
	 * checks end some seconds into it. */
	EDS_RECHECK_EARLY_MS = 15 * 1000,
	EDS_RECHECK_TTL_MS_MAX = 3600 * 1000, /* a longer TTL is not waited for */
	EDS_PROBE_MS = 24 * 3600 * 1000,      /* a wildcard is looked for again after that */
};

struct eds_dkim_check {
	enum eds_selector_state state; /* UNKNOWN: DNS failed for now */
	bool found;                    /* some TXT record stands there */
	const char *key_type;          /* "rsa", "ed25519"; NULL when unknown */
	unsigned key_bits;             /* 0 unknown */
	const char *alias;             /* where a CNAME leads, NULL without one */
	bool wildcard;                 /* the warning is among the warnings */
	int64_t probed_at_ms;          /* when a wildcard was looked for, 0 not */
	struct eds_findings errors;
	struct eds_findings warnings;
	uint32_t ttl_s;
	int64_t checked_at_ms;
	int64_t digest;     /* equal digests: DNS said the same, wildcard left aside */
	int64_t key_digest; /* of the key alone, 0 without a usable one */
	/* The record as published, octets that are not printable as "?", cut at
	 * EDS_KEY_RECORD_SHOWN_MAX; NULL without one. */
	const char *record;
	/* SHA-256 of the key, in hex; NULL without a usable one. Of RSA: of SubjectPublicKeyInfo,
	 * as `openssl pkey -pubin -outform DER | sha256sum` has it; of Ed25519: of its 32 octets.
	 */
	const char *key_hash;
};

/* 1 to 63 of A-Z a-z 0-9 _ -; RT_BAD_INPUT "selector-invalid" with the field. */
RT_MUST_USE rt_status eds_dkim_selector_validate(struct rt_ctx *ctx, const char *selector);

/* Whether it is several labels of these characters (RFC 6376 section 3.1: "mail.2026"), which the
 * interface cannot register. */
bool eds_dkim_selector_is_dotted(const char *selector);

/* The DNS name of its key, and of a sibling that nobody can have published on purpose. */
char *eds_dkim_selector_name(struct rt_ctx *ctx, const char *selector, const char *domain);
char *eds_dkim_sibling_name(struct rt_ctx *ctx, const char *domain);

/* Asks DNS, in one round trip, and judges. Whatever DNS does is a result; RT_INTERNAL
 * "dns-unavailable" when the resolver cannot be set up. */
RT_MUST_USE rt_status eds_dkim_check_selector(
	struct rt_ctx *ctx, const char *domain, const char *selector, struct eds_dkim_check *check);

/* The same for an answer that is there already; then, where TXT was found, for the sibling's. What
 * they say lives in ctx's memory. */
void eds_dkim_check_read(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, struct eds_dkim_check *check);
void eds_dkim_check_sibling(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, struct eds_dkim_check *check);
/* A copy in ctx's memory. */
struct eds_dkim_check *eds_dkim_check_copy(struct rt_ctx *ctx, const struct eds_dkim_check *check);
/* What an earlier look at the sibling said. */
void eds_dkim_check_probed(
	struct rt_ctx *ctx, struct eds_dkim_check *check, bool wildcard, int64_t probed_at_ms);

/* When to check next: a valid key hourly; another one every 10 minutes for a day after its last
 * change, hourly for a week, then daily; never before the answer's TTL, an hour at most. After a
 * temporary failure in a minute. */
int64_t eds_dkim_next_check_ms(const struct eds_dkim_check *check, int64_t changed_at_ms);

#endif
