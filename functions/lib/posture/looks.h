/* Looks at many domains at once, in one loop. A look is the examination of one domain in DNS; while
 * it waits for answers, the looks at other domains continue.
 *
 * The loop evaluates a look repeatedly with the answers so far, until the look asks no further
 * question (eds_dns_never_wait). So each look costs as many round trips as its longest chain of
 * questions, and a domain with hanging name servers delays only itself.
 *
 *     looks = eds_looks_new(ctx);
 *     eds_looks_start(looks, &one); …
 *     while (eds_looks_count(looks) > 0)
 *             eds_looks_turn(looks, max_ms);           (calls one.done, once)
 */
#ifndef EDS_POSTURE_LOOKS_H
#define EDS_POSTURE_LOOKS_H

#include "functions/lib/posture/posture.h"

struct eds_one_look {
	struct rt_ctx *ctx; /* has a deadline, which eds_looks_start() may bring forward */
	struct eds_posture_question question;
	/* Called once, when the look has ended. The posture is valid only during the call. The
	 * function may start further looks. */
	void (*done)(struct eds_one_look *look, const struct eds_posture *posture);
	void *arg;

	/* The members below are private to looks.c. */
	struct eds_dns *dns;
	struct eds_one_look *next;
	int rounds;
};

struct eds_looks;

struct eds_looks *eds_looks_new(struct rt_ctx *ctx);

/* Starts a look at a domain. Fails with RT_INTERNAL "dns-unavailable". */
RT_MUST_USE rt_status eds_looks_start(struct eds_looks *looks, struct eds_one_look *look);

size_t eds_looks_count(const struct eds_looks *looks); /* The number of looks that have not
							* ended. */

/* Waits at most max_ms for an answer and ends the looks that are complete or past their
 * deadline. */
void eds_looks_turn(struct eds_looks *looks, int max_ms);

/* Ends all looks with the answers so far; items without an answer are unknown. */
void eds_looks_cancel(struct eds_looks *looks);

#endif
