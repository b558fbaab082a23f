/* DNS blocklists (RFC 5782): checks whether the sending address is on the four configured lists.
 *
 * An address is "Listed" only when the answer is in the list's set of codes. 127.255.255.x,
 * 127.0.0.1, other codes, answers outside 127/8, time-outs and dead lists give EDS_DNSBL_UNKNOWN.
 * The zone may contain a customer's key and is never shown: results have the list's label instead.
 */
#ifndef EDS_DNSBL_H
#define EDS_DNSBL_H

#include "functions/lib/dns/dns.h"
#include "functions/lib/dnsbl/operator.h"
#include "runtime/config/config.h"

enum {
	EDS_DNSBL_CODES_MAX = 16,
};

enum eds_dnsbl_state { EDS_DNSBL_CLEAN, EDS_DNSBL_LISTED, EDS_DNSBL_UNKNOWN };

struct eds_dnsbl_result {
	const char *label; /* "combined", "relay", "reputation", "reported" */
	enum eds_dnsbl_state state;
	const char *codes[EDS_DNSBL_CODES_MAX]; /* the addresses in the answer, as "127.0.0.4";
						 * sorted */
	size_t code_count;
	const struct eds_dnsbl_operator *known; /* the operator of the list; NULL when we do not
						 * know it */
	const char *reason;                     /* explains the state, as a sentence part */
	bool failed; /* the lookup failed temporarily, so a later one may succeed */
};

void eds_dnsbl_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const struct rt_ip *ip);

/* The label of a list: "combined", "relay", "reputation", "reported". */
const char *eds_dnsbl_label(enum rt_dnsbl_kind kind);

/* Asks all lists about the address. ip is NULL when the address is unknown or not public; every
 * result is then EDS_DNSBL_UNKNOWN. A list that is switched off is not asked; its result is
 * EDS_DNSBL_UNKNOWN with the reason "not configured". */
void eds_dnsbl_check(struct rt_ctx *ctx, struct eds_dns *dns, const struct rt_ip *ip,
	struct eds_dnsbl_result results[RT_DNSBL_KINDS]);

#endif
