/* Questions that are each asked once and answered by a call back, any number of them, while the
 * caller also waits for other sockets: for jobs over more names than an event's cache and budget
 * (dns.h) are made for.
 *
 * A window of them is in flight at any time, the others wait for a place. An answer lives for the
 * call that hands it over.
 *
 *     RT_TRY(eds_dns_queue_new(ctx, &queue));
 *     eds_dns_queue_ask(queue, "example.com", EDS_DNS_MX, take, job, 0);
 *     while (eds_dns_queue_count(queue) > 0)
 *             if (eds_dns_queue_turn(queue, other_fd, max_ms))
 *                     …        (other_fd can be read)
 */
#ifndef EDS_DNS_QUEUE_H
#define EDS_DNS_QUEUE_H

#include "functions/lib/dns/dns.h"

enum {
	EDS_DNS_WINDOW = 256, /* in flight: what socket buffers hold of large answers */
};

struct eds_dns_queue;

/* Called exactly once for each question, by a turn or by cancelling; it may ask further questions.
 * ctx and answer are gone when it returns. */
typedef void (*eds_dns_queue_done)(
	void *arg, size_t tag, struct rt_ctx *ctx, const struct eds_dns_answer *answer);

/* Its memory is ctx's, and with it the queue ends: what is unanswered then is never called back.
 * RT_INTERNAL "dns-unavailable". */
RT_MUST_USE rt_status eds_dns_queue_new(struct rt_ctx *ctx, struct eds_dns_queue **queue);

/* tag: a number that is the caller's business. The question is sent by the next turn. */
void eds_dns_queue_ask(struct eds_dns_queue *queue, const char *name, enum eds_dns_type type,
	eds_dns_queue_done done, void *arg, size_t tag);

/* Questions without an answer. */
size_t eds_dns_queue_count(const struct eds_dns_queue *queue);

/* Sends what there is room for, waits until something arrives, fd (-1 for none) can be read, or
 * max_ms have passed; hands over what arrived. True for fd. */
bool eds_dns_queue_turn(struct eds_dns_queue *queue, int fd, int max_ms);

/* Every question without an answer gets a temporary failure, now. */
void eds_dns_queue_cancel(struct eds_dns_queue *queue);

#endif
