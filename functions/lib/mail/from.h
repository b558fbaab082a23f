/* The domains in a From field (RFC 5322 sections 3.4, 3.6.2; RFC 6854 groups; RFC 9989 section on
 * the Author Domain). */
#ifndef EDS_MAIL_FROM_H
#define EDS_MAIL_FROM_H

#include "functions/lib/mail/header.h"

enum {
	EDS_FROM_DOMAINS_MAX = 16,
};

enum eds_from_state {
	EDS_FROM_ONE,     /* exactly one domain, in domains[0] */
	EDS_FROM_NONE,    /* no From field, or the only From field has no address */
	EDS_FROM_SEVERAL, /* several From fields, or addresses under several domains */
	EDS_FROM_INVALID, /* the field cannot be parsed, its domain is invalid (address literal, bad
			   * label), or the header was not read to its end */
};

struct eds_from {
	enum eds_from_state state;
	const char *domains[EDS_FROM_DOMAINS_MAX]; /* the distinct domains, in lower case as
						    * A-labels */
	size_t count;
	size_t mailboxes;  /* number of addresses, including several of one domain */
	bool name_alone;   /* a comma follows words without an address: Doe, John <john@example.com>
			    */
	bool words_before; /* the local part of an address consists of several words, because a name
			    * stands before it without angle brackets: John john@example.com */
	const char *reason; /* a sentence that says why there is not exactly one domain; "" for
			       EDS_FROM_ONE */
};

/* Reads all From fields of the header. */
void eds_from_read(struct rt_ctx *ctx, const struct eds_header *header, struct eds_from *from);

/* Parses one address list; the entry point of the fuzz target and the tests. */
void eds_from_parse(struct rt_ctx *ctx, const char *value, size_t length, struct eds_from *from);

#endif
