/* DKIM selectors: their names, and the check of the key record of a selector in DNS (RFC 6376
 * section 3.6.2).
 *
 *     s1._domainkey.example.com  TXT  "v=DKIM1; k=rsa; p=MIIB…"
 *
 * errors and warnings are those of key-record.h, and one warning more:
 *     key-wildcard   a random sibling of the selector has a TXT record too, so the answer may be a
 *                    wildcard's rather than the selector's own
 */
#ifndef EDS_DKIM_SELECTOR_H
#define EDS_DKIM_SELECTOR_H

#include "functions/lib/dkim/key-record.h"
#include "functions/lib/dkim/selector-state.h"

enum {
	EDS_SELECTOR_MAX = 63,       /* maximum number of octets of a selector with one label */
	EDS_SELECTOR_NAME_MAX = 127, /* maximum number of octets of a selector with several
				      * labels */
	EDS_KEY_RECORD_SHOWN_MAX = 2048,

	EDS_RECHECK_VALID_MS = 3600 * 1000,
	EDS_RECHECK_TEMPORARY_MS = 60 * 1000,
	/* The job that checks selectors begins at each full minute, but checks end some seconds
	 * later. So the next check is planned this much before the interval ends, unless the TTL of
	 * the answer sets the time of that check. */
	EDS_RECHECK_EARLY_MS = 15 * 1000,
	EDS_RECHECK_TTL_MS_MAX = 3600 * 1000, /* the longest TTL that delays a check; a longer TTL
					       * counts as this one */
	EDS_PROBE_MS = 24 * 3600 * 1000,      /* interval between two checks for a wildcard */
};

struct eds_dkim_check {
	enum eds_selector_state state; /* EDS_SELECTOR_UNKNOWN when DNS failed */
	bool found;                    /* the selector's name has a TXT record of any kind */
	const char *key_type;          /* "rsa", "ed25519"; NULL when unknown */
	unsigned key_bits;             /* bits of the key; 0 if unknown */
	const char *alias;             /* target of a CNAME; NULL if none */
	bool wildcard;                 /* the warnings contain key-wildcard */
	int64_t probed_at_ms;          /* time of the wildcard check; 0 if none */
	struct eds_findings errors;
	struct eds_findings warnings;
	uint32_t ttl_s;
	int64_t checked_at_ms;
	int64_t digest;     /* equal digests mean the same key record, CNAME target, errors and
			     * warnings, apart from key-wildcard */
	int64_t key_digest; /* digest of the key only; 0 without a key that can be read */
	/* The record as published, unprintable octets shown as "?", cut at
	 * EDS_KEY_RECORD_SHOWN_MAX; NULL unless exactly one record may be the key. */
	const char *record;
	/* SHA-256 of the key, in hex; NULL when the record has no key that can be read. For RSA the
	 * hash is that of the SubjectPublicKeyInfo, as `openssl pkey -pubin -outform DER |
	 * sha256sum` prints it; for Ed25519 that of the 32 octets of the key. */
	const char *key_hash;
};

/* Accepts 1 to 63 of the characters A-Z a-z 0-9 _ and -. Fails with RT_BAD_INPUT "selector-invalid"
 * for any other text, and names the field. */
RT_MUST_USE rt_status eds_dkim_selector_validate(struct rt_ctx *ctx, const char *selector);

/* True for a selector of several labels, like "mail.2026" (RFC 6376 section 3.1), whose labels
 * contain only the characters that eds_dkim_selector_validate() accepts. The API does not
 * register such a selector. */
bool eds_dkim_selector_is_dotted(const char *selector);

/* The DNS name of the selector's key, and a random sibling name that no owner has published on
 * purpose. */
char *eds_dkim_selector_name(struct rt_ctx *ctx, const char *selector, const char *domain);
char *eds_dkim_sibling_name(struct rt_ctx *ctx, const char *domain);

/* Asks DNS, in one round trip, and judges the answers. A DNS failure is a result too. Fails with
 * RT_INTERNAL "dns-unavailable" only when the resolver cannot be set up. */
RT_MUST_USE rt_status eds_dkim_check_selector(
	struct rt_ctx *ctx, const char *domain, const char *selector, struct eds_dkim_check *check);

/* eds_dkim_check_read judges an answer that has already arrived. If the answer has a TXT record,
 * the caller then calls eds_dkim_check_sibling with the answer for the sibling's name. The texts of
 * the check are in ctx's memory. */
void eds_dkim_check_read(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, struct eds_dkim_check *check);
void eds_dkim_check_sibling(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, struct eds_dkim_check *check);

/* The two parts of eds_dkim_check_read(). The first does not set key_digest, record and key_hash,
 * which the caller does not need when the store has them for the same digest. The second sets them;
 * the caller must call the second while ctx's memory still holds the key. */
void eds_dkim_check_begin(struct rt_ctx *ctx, const struct eds_dns_answer *answer,
	struct eds_key_record *key, struct eds_dkim_check *check);
void eds_dkim_check_complete(
	struct rt_ctx *ctx, const struct eds_key_record *key, struct eds_dkim_check *check);

/* A copy of the check and its texts, in ctx's memory. */
struct eds_dkim_check *eds_dkim_check_copy(struct rt_ctx *ctx, const struct eds_dkim_check *check);
/* Takes the wildcard result from an earlier check instead of asking DNS for the sibling again. */
void eds_dkim_check_probed(
	struct rt_ctx *ctx, struct eds_dkim_check *check, bool wildcard, int64_t probed_at_ms);

/* The time of the next check. A valid key is checked hourly. Any other key is checked every 10
 * minutes on the first day after its last change, hourly until the end of the first week, and then
 * daily. The next check waits until the TTL of the answer has ended; a TTL of more than an hour
 * counts as an hour. After a temporary failure the next check follows within a minute. */
int64_t eds_dkim_next_check_ms(const struct eds_dkim_check *check, int64_t changed_at_ms);

#endif
