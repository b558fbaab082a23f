/* Numbers that a function counts beside its answers: the outcomes of its DNS queries.
 *
 * The numbers belong to the process. After each event the handler loop passes them to its
 * supervisor, behind the answer (process.h), and resets them. The runner adds them up in /metrics;
 * a cloud adapter logs them as metrics.
 */
#ifndef RT_COUNTS_H
#define RT_COUNTS_H

#include "runtime/buffer.h"

enum rt_count {
	RT_COUNT_DNS_ASKED,
	RT_COUNT_DNS_TIMEOUT,
	RT_COUNT_DNS_UNREACHABLE, /* no DNS server accepts queries */
	RT_COUNT_DNS_REFUSED,
	RT_COUNT_DNS_SERVFAIL,
	RT_COUNT_DNS_BOGUS, /* SERVFAIL because the records do not validate (RFC 8914) */
	RT_COUNT_DNS_MALFORMED,
	RT_COUNT_DNS_OTHER,
	RT_COUNTS,
};

enum {
	RT_COUNTS_TEXT_MAX = 512, /* octets that rt_counts_take adds at most */
};

void rt_count(enum rt_count count);

/* "dnsTimeout" */
const char *rt_count_name(enum rt_count count);

/* Adds " dnsAsked=3,dnsTimeout=1", without counts of 0, and resets the counts. Adds nothing when
 * all are 0.
 */
void rt_counts_take(struct rt_buffer *line);

#endif
