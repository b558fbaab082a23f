/* Many questions of which each is asked once: for jobs over more names than an event's cache and
 * budget (dns.h) are made for.
 *
 * A window of them is in flight at any time; an answer lives for the call that hands it over, so
 * memory stays the same however many names there are.
 *
 *     struct eds_dns_bulk bulk = {.type = EDS_DNS_TXT, .count = n, .name = name_of, .done = take,
 *             .arg = &job, .wait_ms = 40000};
 *     RT_TRY(eds_dns_bulk(ctx, &bulk));   (take() has been called n times)
 */
#ifndef EDS_DNS_BULK_H
#define EDS_DNS_BULK_H

#include "functions/lib/dns/queue.h"

struct eds_dns_bulk {
	enum eds_dns_type type;
	size_t count;
	/* The name of question i, below count; borrowed until the next call. */
	const char *(*name)(void *arg, size_t i);
	/* Its answer, in any order, exactly once. ctx and answer are gone when this returns. */
	void (*done)(void *arg, size_t i, struct rt_ctx *ctx, const struct eds_dns_answer *answer);
	void *arg;
	int wait_ms; /* past that what is unanswered is a temporary failure */
};

/* Asks them all and returns when the last is answered. RT_INTERNAL "dns-unavailable". */
RT_MUST_USE rt_status eds_dns_bulk(struct rt_ctx *ctx, const struct eds_dns_bulk *bulk);

#endif
