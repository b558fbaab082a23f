/* SPF records as published: selects the TXT record and parses its terms (RFC 7208 sections 4.5,
 * 12).
 *
 *     v=spf1 mx ip4:192.0.2.0/24 include:_spf.example.net -all exp=why.example.com
 *
 * The whole record is checked against the ABNF before any evaluation (section 4.6), so that later
 * code can rely on its form.
 */
#ifndef EDS_SPF_RECORD_H
#define EDS_SPF_RECORD_H

#include "functions/lib/spf/spf.h"

enum eds_spf_kind {
	EDS_SPF_ALL,
	EDS_SPF_INCLUDE,
	EDS_SPF_A,
	EDS_SPF_MX,
	EDS_SPF_PTR,
	EDS_SPF_IP4,
	EDS_SPF_IP6,
	EDS_SPF_EXISTS,
	EDS_SPF_REDIRECT,
	EDS_SPF_EXP,
	EDS_SPF_OTHER, /* an unknown modifier: ignored, but its syntax must be valid */
};

struct eds_spf_term {
	enum eds_spf_kind kind;
	char qualifier;     /* '+', '-', '~' or '?'; '+' if none is written, and for modifiers */
	const char *text;   /* the term as written */
	const char *target; /* the domain-spec; "" when the term has none */
	bool macros;        /* target contains a macro */
	struct rt_cidr network; /* the network, for ip4 and ip6 */
	unsigned prefix4;       /* prefix length for IPv4, of an a or mx term */
	unsigned prefix6;       /* prefix length for IPv6, of an a or mx term */
};

struct eds_spf_record {
	struct eds_spf_term *terms; /* the terms in their order */
	size_t count;
	const char *bad; /* the first term that is invalid, or a second redirect= or exp=; the first
			  * octets of a record that is too long or does not begin with "v=spf1". A
			  * question mark replaces each control character. "" for a valid record */
};

enum eds_spf_choice {
	EDS_SPF_CHOICE_NONE,
	EDS_SPF_CHOICE_ONE,
	EDS_SPF_CHOICE_SEVERAL,
};

/* Finds the SPF record among the TXT records of an answer: the record begins with "v=spf1", in
 * upper or lower case, and then has a space or ends (section 4.5). *record is set for
 * EDS_SPF_CHOICE_ONE. */
enum eds_spf_choice eds_spf_choose(
	const struct eds_dns_answer *answer, const struct eds_dns_record **record);

/* The printable text of a TXT record that was meant for SPF but does not begin as an SPF record
 * must, such as "v=spf1; mx -all"; NULL when the answer has none. */
const char *eds_spf_misspelt(struct rt_ctx *ctx, const struct eds_dns_answer *answer);

/* Parses a chosen record of at most EDS_SPF_RECORD_MAX octets. False when it breaks the ABNF
 * anywhere; then `bad` is set, and there are no terms. */
bool eds_spf_record_parse(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_spf_record *record);

/* The first term of this kind, which for redirect and exp is the only one; NULL when there is none.
 */
const struct eds_spf_term *eds_spf_record_find(
	const struct eds_spf_record *record, enum eds_spf_kind kind);

/* True when the term needs DNS and counts towards EDS_SPF_TERMS_MAX (section 4.6.4). */
bool eds_spf_term_counts(const struct eds_spf_term *term);

#endif
