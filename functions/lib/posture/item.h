/* Code shared by the files of this folder, which examine one subject of a domain each, and add
 * findings to the subject's item. */
#ifndef EDS_POSTURE_ITEM_H
#define EDS_POSTURE_ITEM_H

#include "functions/lib/mx.h"
#include "functions/lib/posture/posture.h"

struct eds_look {
	struct rt_ctx *ctx;
	struct eds_dns *dns;
	const struct eds_posture_question *question;
	const char *domain; /* the domain that is examined */
	struct eds_mx_result mx;
	bool takes_mail;               /* the domain has an MX other than a null MX */
	bool resolver_is_away;         /* our own resolver cannot be reached or gives no answers,
					* so nothing can be known about any name */
	struct eds_posture_item *item; /* the item being filled */
};

/* Adds a finding, whose message is made from format; raises the item's state to that of the
 * finding. When the item already has EDS_POSTURE_FINDINGS_MAX findings, the new finding overwrites
 * the last one. Never returns NULL; the caller may set the record. */
struct eds_posture_finding *eds_look_find(struct eds_look *look, enum eds_posture_state state,
	const char *code, const char *advice, const char *format, ...) RT_PRINTF(5, 6);

/* Adds the finding "DNS gave no answer …" about a name, in state unknown. */
void eds_look_unanswered(struct eds_look *look, const char *code, const char *name);

/* Adds a line to the records that the item shows as published, if they then have at most
 * EDS_POSTURE_RECORD_MAX octets. Octets other than printable ASCII become question marks. */
void eds_look_show(struct eds_look *look, const char *text, size_t length);

/* Returns "LABEL.DOMAIN". */
const char *eds_look_name(const struct eds_look *look, const char *label);

/* True when the record is printable ASCII. A finding suggests a changed record only for such a
 * record. */
bool eds_look_is_plain(const char *text, size_t length);

/* The maximum number of names that eds_look_caa_names() returns; the CAA records at all of them are
 * looked up (RFC 8659 section 3). */
enum { EDS_CAA_NAMES_MAX = 10 };

/* A label that no domain uses. If there are records at the name with this label, they come from a
 * wildcard. */
#define EDS_POSTURE_NOBODY "_eds-no-such-name"

#endif
