/* One-click unsubscription (RFC 8058), part by part, so that a sender sees which part is missing.
 *
 *     List-Unsubscribe: <https://example.com/u/abc>, <mailto:u@example.com>
 *     List-Unsubscribe-Post: List-Unsubscribe=One-Click
 *     DKIM-Signature: … h=from:…:list-unsubscribe:list-unsubscribe-post; …
 */
#ifndef TESTER_UNSUBSCRIBE_H
#define TESTER_UNSUBSCRIBE_H

#include "functions/lib/dkim/dkim.h"
#include "functions/lib/dmarc/dmarc.h"
#include "functions/lib/mail/header.h"
#include "functions/tester/requirements/demand.h"

enum {
	UNSUBSCRIBE_URIS_MAX = 8,         /* maximum number of URIs read from the field */
	UNSUBSCRIBE_URI_BYTES_MAX = 1000, /* maximum number of octets shown of a URI */
};

enum unsubscribe_part {
	UNSUBSCRIBE_FIELD, /* List-Unsubscribe is there */
	UNSUBSCRIBE_HTTPS, /* List-Unsubscribe has at least one https URI */
	UNSUBSCRIBE_POST,  /* List-Unsubscribe-Post is there */
	/* the value of List-Unsubscribe-Post is exactly List-Unsubscribe=One-Click */
	UNSUBSCRIBE_POST_VALUE,
	UNSUBSCRIBE_ONCE,   /* each of the two fields occurs once at most */
	UNSUBSCRIBE_SIGNED, /* h= of a valid signature names both fields */
	/* a valid signature whose h= names both fields is aligned with From; RFC 8058 does not
	 * demand this */
	UNSUBSCRIBE_ALIGNED,
	UNSUBSCRIBE_PARTS
};

struct unsubscribe_result {
	struct demand parts[UNSUBSCRIBE_PARTS]; /* the judgement of each part, without advice */
	/* the demand of RFC 8058: the first missed part, else the first undecided one, else met */
	struct demand whole;
	/* the same demand including UNSUBSCRIBE_ALIGNED, without which Gmail shows no button */
	struct demand button;
	const char *uris[UNSUBSCRIBE_URIS_MAX]; /* URIs of List-Unsubscribe, as written */
	size_t uri_count;
	bool has_way; /* there is an https, http or mailto URI */
};

void unsubscribe_check(struct rt_ctx *ctx, const struct eds_header *header,
	const struct eds_dkim_result *dkim, const struct eds_dmarc_result *dmarc,
	const char *from_domain, struct unsubscribe_result *result);

/* name of the part: "list-unsubscribe", … */
const char *unsubscribe_part_name(enum unsubscribe_part part);

#endif
