/* Domains: their checks, and the one(s) in a From field (RFC 5322 section 3.4, 3.6.2; RFC 6854
 * groups; RFC 9989 section on the Author Domain). */
#ifndef EDS_MAIL_FROM_H
#define EDS_MAIL_FROM_H

#include "functions/lib/mail/header.h"

enum {
	EDS_FROM_DOMAINS_MAX = 16,
};

enum eds_from_state {
	EDS_FROM_ONE,     /* exactly one domain, in domains[0] */
	EDS_FROM_NONE,    /* no From field, or none with an address */
	EDS_FROM_SEVERAL, /* several From fields, or addresses under several domains */
	EDS_FROM_INVALID, /* cannot be parsed, or its domain is no domain (address literal, bad
			     label) */
};

struct eds_from {
	enum eds_from_state state;
	const char *domains[EDS_FROM_DOMAINS_MAX]; /* distinct, lower case, A-labels */
	size_t count;
	size_t mailboxes;   /* addresses, those of one domain too */
	const char *reason; /* a sentence unless EDS_FROM_ONE; "" */
};

/* Reads all From fields of the header. */
void eds_from_read(struct rt_ctx *ctx, const struct eds_header *header, struct eds_from *from);

/* Parses one address list; the fuzz target and tests come in here. */
void eds_from_parse(struct rt_ctx *ctx, const char *value, size_t length, struct eds_from *from);

/* A domain name as given by a stranger, U-labels or A-labels (libidn2), to lower-case A-labels
 * without a final dot; NULL when it is no host or mail domain name (labels 1 to 63, 253 in all,
 * letters, digits, hyphen, underscore). An address literal is none. */
char *eds_domain_normalize(struct rt_ctx *ctx, const char *name, size_t length);

/* The same name in U-labels; as it is where an A-label stands for none. */
char *eds_domain_unicode(struct rt_ctx *ctx, const char *name);

/* A part of a name, as somebody types it: as it would stand in U-labels, in lower case and
 * composed. What no label can be stays as it is but for the case of its ASCII letters. */
char *eds_domain_part_unicode(struct rt_ctx *ctx, const char *part);

/* The domain behind the last @ of an envelope address, normalised; NULL for "" or no domain. */
char *eds_address_domain(struct rt_ctx *ctx, const char *address);

#endif
