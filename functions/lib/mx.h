/* Checks whether a domain can receive mail (RFC 5321 section 5.1, RFC 7505): the domain of a
 * sender, to which bounces go, or a domain whose posture is examined. */
#ifndef EDS_MX_H
#define EDS_MX_H

#include "functions/lib/dns/dns.h"

enum {
	EDS_MX_EXCHANGES_MAX = 10, /* maximum number of exchanges whose addresses are looked up */
	EDS_MX_ADDRESSES_MAX = 8,  /* maximum number of addresses kept of one exchange */
};

enum eds_mx_verdict {
	EDS_MX_STATE_VALID,
	EDS_MX_STATE_NONE,    /* no MX record */
	EDS_MX_STATE_INVALID, /* the domain has a null MX, or every exchange is an alias or has no
			       * public address */
	EDS_MX_STATE_UNKNOWN,
};

struct eds_mx_exchange {
	unsigned preference;
	const char *name; /* name of the mail server; "" for the root, which a null MX names */
	bool alias;       /* the name is a CNAME, which an exchange must not be */
	bool exists;      /* DNS has an address for the name; the address may be private */
	bool unknown;     /* an address lookup failed temporarily */
	struct rt_ip addresses[EDS_MX_ADDRESSES_MAX];
	size_t address_count;
};

struct eds_mx_result {
	enum eds_mx_verdict state;
	const char *domain; /* the domain that was checked; NULL when the message names no sender */
	struct eds_mx_exchange exchanges[EDS_MX_EXCHANGES_MAX]; /* the most preferred exchanges, in
								 * order of preference */
	size_t count;
	bool null_mx;
	bool no_domain; /* the domain is not in public DNS: no such name, or a single label like
			 * localhost */
	bool alias;     /* an exchange has a public address, but is an alias */
	bool implicit;  /* no MX record, but an address, to which senders deliver (RFC 5321 section
			 * 5.1) */
	const char *reason;
};

/* Sends the questions for MX, and for the addresses of the exchanges as they become known, and does
 * not wait. domain may be NULL. */
void eds_mx_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain);

void eds_mx_check(
	struct rt_ctx *ctx, struct eds_dns *dns, const char *domain, struct eds_mx_result *result);

const char *eds_mx_state_name(enum eds_mx_verdict state); /* The word for a verdict: "valid",
							   * "none", "invalid", "unknown" */

#endif
