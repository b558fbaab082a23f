/* A queue of any number of DNS questions. Each question is asked once, and a callback receives its
 * answer; the caller can wait for another socket at the same time. The queue is for jobs that ask
 * about more names than the cache and budget of one event (dns.h) allow.
 *
 * Only a window of questions is in flight at any time; the others wait. An answer lives only for
 * its callback.
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
	EDS_DNS_WINDOW = 256, /* maximum number of questions in flight; the socket buffers have room
			       * for this many large answers */
};

struct eds_dns_queue;

/* Called exactly once for each question, by eds_dns_queue_turn() or eds_dns_queue_cancel(); it may
 * ask further questions. ctx and answer are freed when it returns. */
typedef void (*eds_dns_queue_done)(
	void *arg, size_t tag, struct rt_ctx *ctx, const struct eds_dns_answer *answer);

/* The queue is in the memory of ctx and ends with it; done is then not called for questions without
 * an answer. Names of the operator's own network are hidden from accounts as own-names.h describes.
 * Fails with RT_INTERNAL "dns-unavailable" when no server can be asked. */
RT_MUST_USE rt_status eds_dns_queue_new(struct rt_ctx *ctx, struct eds_dns_queue **queue);

/* Queues a question, which eds_dns_queue_turn() sends. tag is a number for the caller's own use,
 * handed back to done. */
void eds_dns_queue_ask(struct eds_dns_queue *queue, const char *name, enum eds_dns_type type,
	eds_dns_queue_done done, void *arg, size_t tag);

/* Like eds_dns_queue_ask(), for a name from the operator's settings. The name may belong to the
 * operator's own network. */
void eds_dns_queue_ask_own(struct eds_dns_queue *queue, const char *name, enum eds_dns_type type,
	eds_dns_queue_done done, void *arg, size_t tag);

/* Number of questions without an answer. */
size_t eds_dns_queue_count(const struct eds_dns_queue *queue);

/* Sends as many questions as the window allows, waits until a reply arrives, fd (-1 for none) is
 * readable, or max_ms have passed, and calls back for each reply. True when fd is readable. */
bool eds_dns_queue_turn(struct eds_dns_queue *queue, int fd, int max_ms);

/* Answers every open question with a temporary failure at once. */
void eds_dns_queue_cancel(struct eds_dns_queue *queue);

#endif
