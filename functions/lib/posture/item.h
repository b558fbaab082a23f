/* What the files of this folder share: looking at one subject and adding findings to its item. */
#ifndef EDS_POSTURE_ITEM_H
#define EDS_POSTURE_ITEM_H

#include "functions/lib/mx.h"
#include "functions/lib/posture/posture.h"

struct eds_look {
	struct rt_ctx *ctx;
	struct eds_dns *dns;
	const struct eds_posture_question *question;
	const char *domain; /* of the question */
	struct eds_mx_result mx;
	bool takes_mail;               /* it has an MX that is no null MX */
	struct eds_posture_item *item; /* that is being filled */
};

/* One subject each; the item is empty before. */
void eds_look_zone(struct eds_look *look);
void eds_look_mx(struct eds_look *look);
void eds_look_spf(struct eds_look *look);
void eds_look_dmarc(struct eds_look *look);
void eds_look_mta_sts(struct eds_look *look);
void eds_look_tls_rpt(struct eds_look *look);
void eds_look_dane(struct eds_look *look);
void eds_look_caa(struct eds_look *look);
void eds_look_bimi(struct eds_look *look);
void eds_look_dnssec(struct eds_look *look);

/* When the subjects have been looked at. */
void eds_look_selectors(struct eds_look *look, struct eds_posture *posture);

/* Whether DNSSEC of this domain can be validated here; true while that is not known yet. */
bool eds_look_validates(const struct eds_look *look);

/* "signature expired" of "validation failure <example.com. SOA IN>: signature expired from
 * 192.0.2.53 for key example.com.": our resolver's address is nobody's business. */
const char *eds_look_bogus_reason(struct rt_ctx *ctx, const char *why);

/* Adds a finding and raises the item's state to it; format is the message. Past the maximum the
 * last one is overwritten. Never NULL: the caller may set the record. */
struct eds_posture_finding *eds_look_find(struct eds_look *look, enum eds_posture_state state,
	const char *code, const char *advice, const char *format, ...) RT_PRINTF(5, 6);

/* "DNS gave no answer …" about a name and a type, unknown. */
void eds_look_unanswered(struct eds_look *look, const char *code, const char *name);

/* Adds a line to what the item shows as published; octets that are no printable ASCII become
 * question marks. */
void eds_look_show(struct eds_look *look, const char *text, size_t length);

/* "LABEL.DOMAIN" */
const char *eds_look_name(const struct eds_look *look, const char *label);

/* Whether the record is printable ASCII: only then can it be given back with a change. */
bool eds_look_is_plain(const char *text, size_t length);

/* The names whose CAA records count for the policy host, in order (RFC 8659 section 3). */
enum { EDS_CAA_NAMES_MAX = 10 };
size_t eds_look_caa_names(
	struct rt_ctx *ctx, const char *domain, const char *names[EDS_CAA_NAMES_MAX]);

/* A name below the domain that nobody has. */
#define EDS_POSTURE_NOBODY "_eds-no-such-name"

#endif
