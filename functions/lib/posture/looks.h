/* Looks at many domains at once, in one loop: while one waits for DNS the others go on.
 *
 * A look is judged again and again, with the answers that are there, until it asks nothing more
 * (eds_dns_never_wait): each costs as many round trips as its longest chain of questions, and a
 * domain whose name servers hang holds up nobody but itself.
 *
 *     eds_looks_new(ctx, &looks);
 *     eds_looks_start(looks, &one); …
 *     while (eds_looks_count(looks) > 0)
 *             eds_looks_turn(looks, max_ms);           (calls one.done, once)
 */
#ifndef EDS_POSTURE_LOOKS_H
#define EDS_POSTURE_LOOKS_H

#include "functions/lib/posture/posture.h"

struct eds_one_look {
	struct rt_ctx *ctx; /* memory of its own; its deadline is set */
	struct eds_posture_question question;
	/* The posture is gone when it returns; it may start further looks. */
	void (*done)(struct eds_one_look *look, const struct eds_posture *posture);
	void *arg;

	/* of the looks */
	struct eds_dns *dns;
	struct eds_one_look *next;
	int rounds;
};

struct eds_looks;

struct eds_looks *eds_looks_new(struct rt_ctx *ctx);

/* RT_INTERNAL "dns-unavailable". */
RT_MUST_USE rt_status eds_looks_start(struct eds_looks *looks, struct eds_one_look *look);

size_t eds_looks_count(const struct eds_looks *looks); /* under way */

/* Waits max_ms at most for an answer and ends the looks that are ready or past their time. */
void eds_looks_turn(struct eds_looks *looks, int max_ms);

/* Ends them all, with what is known: the rest is unknown. */
void eds_looks_cancel(struct eds_looks *looks);

#endif
