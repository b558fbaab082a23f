/* Asks many DNS questions, each once, for jobs that ask about more names than the cache and budget
 * of one event (dns.h) allow.
 *
 * Only a window of questions is in flight at any time, and each answer lives only for its callback,
 * so memory use does not grow with the number of names.
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
	/* Returns the name of question i (0 to count - 1), borrowed until the next call. */
	const char *(*name)(void *arg, size_t i);
	/* Receives the answer to question i; called exactly once for each, in any order. ctx and
	 * answer are freed when it returns. */
	void (*done)(void *arg, size_t i, struct rt_ctx *ctx, const struct eds_dns_answer *answer);
	void *arg;
	int wait_ms; /* after this time, unanswered questions are temporary failures */
};

/* Asks all questions and returns when the last one is answered. Fails with RT_INTERNAL
 * "dns-unavailable" when no server can be asked. */
RT_MUST_USE rt_status eds_dns_bulk(struct rt_ctx *ctx, const struct eds_dns_bulk *bulk);

#endif
