/* The DNS tree walk of DMARC (RFC 9989 section 4.10): the records that it finds, the record that
 * applies to a domain, and the organizational domain.
 *
 * A walk from a.mail.example.com asks _dmarc.a.mail.example.com, _dmarc.mail.example.com,
 * _dmarc.example.com and _dmarc.com, in this order, and stops early at a record with psd=y or
 * psd=n.
 */
#ifndef EDS_DMARC_DISCOVER_H
#define EDS_DMARC_DISCOVER_H

#include "functions/lib/dmarc/dmarc.h"

enum eds_dmarc_text {
	EDS_DMARC_TEXT_OTHER,    /* the text is not a DMARC record */
	EDS_DMARC_TEXT_UNUSABLE, /* a DMARC record with neither a valid policy nor a valid rua */
	EDS_DMARC_TEXT_USABLE,
};

/* A name that a walk asked DNS for, and the only DMARC record found at it. A name with no DMARC
 * record or with several is not a step. */
struct eds_dmarc_step {
	const char *domain; /* the domain of the name, without _dmarc. */
	const char *text;   /* the record, unprintable octets replaced */
	bool exact;         /* text equals the record in every octet */
	enum eds_dmarc_text kind;
	struct eds_dmarc_record record;
};

struct eds_dmarc_walk {
	struct eds_dmarc_step steps[EDS_DMARC_WALK_MAX]; /* records found, from the start upwards */
	size_t count;
	const char *org_domain; /* the organizational domain, never NULL; the domain at which the
				 * walk began when no record was found */
	const char *failed;     /* a domain whose lookup failed; NULL for none */
	const char
		*several; /* a domain with several records, which are all ignored; NULL if none */
};

/* Lists the names of a walk from domain, domain itself first. Returns their number. */
size_t eds_dmarc_walk_names(const char *domain, const char *names[EDS_DMARC_WALK_MAX]);

/* Walks up from the domain, which is normalized. Waits for DNS. */
void eds_dmarc_walk(
	struct rt_ctx *ctx, struct eds_dns *dns, const char *domain, struct eds_dmarc_walk *walk);

/* The record that applies to the author domain, at which the walk began: the record of the author
 * domain, else that of its organizational domain, else that of the public suffix above it (section
 * 4.7). NULL when no record applies. */
const struct eds_dmarc_step *eds_dmarc_walk_choose(
	const struct eds_dmarc_walk *walk, const char *author);

/* The step with the record of the domain; NULL when the walk found none. */
const struct eds_dmarc_step *eds_dmarc_walk_find(
	const struct eds_dmarc_walk *walk, const char *domain);

/* The printable text of a TXT record at _dmarc.DOMAIN that was meant for DMARC but does not begin
 * as a DMARC record must, such as "v=DMARC1 p=none"; NULL when there is no such record, or DNS gave
 * no answer. Waits for DNS. */
const char *eds_dmarc_misspelt(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain);

/* Sends the questions for every name that the walk from this domain may need, and does not wait. */
void eds_dmarc_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain);

/* The organizational domain of a normalized name; the name itself when the walk finds no DMARC
 * record. Waits for DNS; false when DNS gave no answer for a name of the walk. */
bool eds_dmarc_org_domain(
	struct rt_ctx *ctx, struct eds_dns *dns, const char *domain, const char **org_domain_name);

#endif
