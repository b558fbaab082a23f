/* Can the sender's domain receive mail, bounces above all? (RFC 5321 section 5.1, RFC 7505) */
#ifndef EDS_MX_H
#define EDS_MX_H

#include "functions/lib/dns/dns.h"

enum {
	EDS_MX_EXCHANGES_MAX = 10, /* whose addresses are looked up */
	EDS_MX_ADDRESSES_MAX = 8,  /* shown of one exchange */
};

enum eds_mx_verdict {
	EDS_MX_STATE_VALID,
	EDS_MX_STATE_NONE,    /* no MX record */
	EDS_MX_STATE_INVALID, /* null MX, or no exchange with a public address that is no alias */
	EDS_MX_STATE_UNKNOWN,
};

struct eds_mx_exchange {
	unsigned preference;
	const char *name; /* "" for the root of a null MX */
	bool alias;       /* the name is a CNAME, which an exchange must not be */
	bool exists;      /* DNS knows an address of it, be it a private one */
	bool unknown;     /* an address lookup failed for now */
	struct rt_ip addresses[EDS_MX_ADDRESSES_MAX];
	size_t address_count;
};

struct eds_mx_result {
	enum eds_mx_verdict state;
	const char *domain; /* NULL when the message names none */
	struct eds_mx_exchange exchanges[EDS_MX_EXCHANGES_MAX]; /* the most preferred, in order */
	size_t count;
	bool null_mx;
	bool alias;    /* an exchange has a public address, but is an alias */
	bool implicit; /* without MX record, but with an address: RFC 5321 would deliver there */
	const char *reason;
};

/* Asks ahead: MX, and the addresses of its exchanges as they become known. domain may be NULL. */
void eds_mx_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain);

void eds_mx_check(
	struct rt_ctx *ctx, struct eds_dns *dns, const char *domain, struct eds_mx_result *result);

const char *eds_mx_state_name(
	enum eds_mx_verdict state); /* "valid", "none", "invalid", "unknown" */

#endif
