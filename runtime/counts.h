/* What a function counts beside its answers: how its questions to DNS end.
 *
 * The numbers belong to the process. The handler loop hands those of each event to its supervisor,
 * behind the answer (process.h), and begins anew; the runner adds them up in /metrics, the adapter
 * of a cloud writes them as metrics into its log.
 */
#ifndef RT_COUNTS_H
#define RT_COUNTS_H

#include "runtime/buffer.h"

enum rt_count {
	RT_COUNT_DNS_ASKED,
	RT_COUNT_DNS_TIMEOUT,
	RT_COUNT_DNS_UNREACHABLE, /* no server of DNS takes questions */
	RT_COUNT_DNS_REFUSED,
	RT_COUNT_DNS_SERVFAIL,
	RT_COUNT_DNS_BOGUS, /* SERVFAIL, as the records do not validate (RFC 8914) */
	RT_COUNT_DNS_MALFORMED,
	RT_COUNT_DNS_OTHER,
	RT_COUNTS,
};

enum {
	RT_COUNTS_TEXT_MAX = 512, /* octets of what rt_counts_take adds */
};

void rt_count(enum rt_count count);

/* "dnsTimeout" */
const char *rt_count_name(enum rt_count count);

/* Adds " dnsAsked=3,dnsTimeout=1", without what is 0, and begins anew. Adds nothing when all are.
 */
void rt_counts_take(struct rt_buffer *line);

#endif
