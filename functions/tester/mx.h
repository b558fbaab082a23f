/* Can the sender's domain receive mail, bounces above all? (RFC 5321 section 5.1, RFC 7505) */
#ifndef TESTER_MX_H
#define TESTER_MX_H

#include "functions/lib/dns/dns.h"

enum {
	MX_EXCHANGES_MAX = 10, /* whose addresses are looked up */
	MX_ADDRESSES_MAX = 8,  /* shown of one exchange */
};

enum mx_state {
	MX_STATE_VALID,
	MX_STATE_NONE,    /* no MX record */
	MX_STATE_INVALID, /* null MX, or no exchange with a public address */
	MX_STATE_UNKNOWN,
};

struct mx_exchange {
	unsigned preference;
	const char *name; /* "" for the root of a null MX */
	struct rt_ip addresses[MX_ADDRESSES_MAX];
	size_t address_count;
};

struct mx_result {
	enum mx_state state;
	const char *domain;                             /* NULL when the message names none */
	struct mx_exchange exchanges[MX_EXCHANGES_MAX]; /* the most preferred, in order */
	size_t count;
	bool null_mx;
	bool implicit; /* without MX record, but with an address: RFC 5321 would deliver there */
	const char *reason;
};

/* Asks ahead: MX, and the addresses of its exchanges as they become known. domain may be NULL. */
void mx_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain);

void mx_check(
	struct rt_ctx *ctx, struct eds_dns *dns, const char *domain, struct mx_result *result);

const char *mx_state_name(enum mx_state state); /* "valid", "none", "invalid", "unknown" */

#endif
