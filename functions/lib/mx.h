/* Checks whether the sender's domain can receive mail, especially bounces (RFC 5321 section 5.1,
 * RFC 7505). */
#ifndef EDS_MX_H
#define EDS_MX_H

#include "functions/lib/dns/dns.h"

enum {
	EDS_MX_EXCHANGES_MAX = 10, /* exchanges whose addresses are looked up */
	EDS_MX_ADDRESSES_MAX = 8,  /* stored addresses per exchange */
};

enum eds_mx_verdict {
	EDS_MX_STATE_VALID,
	EDS_MX_STATE_NONE,    /* no MX record */
	EDS_MX_STATE_INVALID, /* null MX, or every exchange is an alias or has no public address */
	EDS_MX_STATE_UNKNOWN,
};

struct eds_mx_exchange {
	unsigned preference;
	const char *name; /* "" for the root of a null MX */
	bool alias;       /* the name is a CNAME, which an exchange must not be */
	bool exists;      /* DNS has an address for it, even if private */
	bool unknown;     /* an address lookup failed temporarily */
	struct rt_ip addresses[EDS_MX_ADDRESSES_MAX];
	size_t address_count;
};

struct eds_mx_result {
	enum eds_mx_verdict state;
	const char *domain; /* NULL when the message names none */
	struct eds_mx_exchange exchanges[EDS_MX_EXCHANGES_MAX]; /* the most preferred, in order */
	size_t count;
	bool null_mx;
	bool no_domain; /* not in public DNS: no such name, or a single label like localhost */
	bool alias;     /* an exchange has a public address, but is an alias */
	bool implicit;  /* without MX record, but with an address: RFC 5321 would deliver there */
	const char *reason;
};

/* Starts the queries in advance: MX, and the addresses of its exchanges as they become known.
 * domain may be NULL. */
void eds_mx_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain);

void eds_mx_check(
	struct rt_ctx *ctx, struct eds_dns *dns, const char *domain, struct eds_mx_result *result);

const char *eds_mx_state_name(
	enum eds_mx_verdict state); /* "valid", "none", "invalid", "unknown" */

#endif
