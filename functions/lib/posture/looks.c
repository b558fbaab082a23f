#include "functions/lib/posture/looks.h"
#include "runtime/time.h"

#include "functions/lib/dnssec/dnssec.h"

enum {
	LOOK_MS = 8000,
	/* The maximum number of evaluations of a look. Each answer can lead to a further question;
	 * SPF allows a chain of ten records. */
	ROUNDS_MAX = 24,
};

struct eds_looks {
	struct rt_ctx *ctx;
	struct eds_one_look *first;
	size_t count;
	struct eds_posture posture; /* result of the look that is being evaluated */
};

struct eds_looks *eds_looks_new(struct rt_ctx *ctx)
{
	struct eds_looks *looks = rt_alloc(ctx, sizeof *looks);

	looks->ctx = ctx;
	return looks;
}

rt_status eds_looks_start(struct eds_looks *looks, struct eds_one_look *look)
{
	int64_t until_ms = rt_monotonic_ms() + LOOK_MS;

	if (look->ctx->deadline_ms > until_ms)
		look->ctx->deadline_ms = until_ms;
	RT_TRY(eds_dns_open(look->ctx, &look->dns));
	eds_dns_never_wait(look->dns);
	if (look->question.public_only)
		eds_dns_public_only(look->dns);
	eds_posture_prefetch(look->ctx, look->dns, look->question.domain);
	if (look->question.validates) {
		eds_dnssec_open(look->ctx, &look->question.dnssec);
		eds_dnssec_ask(look->question.dnssec, look->question.domain, EDS_DNSSEC_ZONE);
	}
	look->rounds = 0;
	look->next = looks->first;
	looks->first = look;
	looks->count++;
	return RT_OK;
}

size_t eds_looks_count(const struct eds_looks *looks)
{
	return looks->count;
}

/* The JSON of a look is allocated in the look's own memory. */
static void judge(struct eds_looks *looks, struct eds_one_look *look)
{
	RT_JSON_MEMORY(look->ctx);

	look->rounds++;
	eds_posture_look(look->ctx, look->dns, &look->question, &looks->posture);
}

static bool waits(const struct eds_one_look *look)
{
	return eds_dns_in_flight(look->dns) > 0 ||
		(look->question.dnssec != NULL && eds_dnssec_pending(look->question.dnssec) > 0);
}

static bool is_ready(const struct eds_one_look *look)
{
	return !waits(look) || rt_remaining_ms(look->ctx) == 0;
}

/* True when the look has no open question, or has used up its time or its rounds. */
static bool is_over(const struct eds_one_look *look)
{
	return is_ready(look) || look->rounds >= ROUNDS_MAX;
}

/* Reads the next pointer first, because done() may free the look's memory. */
static void end(struct eds_looks *looks, struct eds_one_look **at)
{
	struct eds_one_look *look = *at;

	*at = look->next;
	looks->count--;
	look->done(look, &looks->posture);
}

static void judge_ready(struct eds_looks *looks)
{
	struct eds_one_look **at = &looks->first;

	while (*at != NULL) {
		struct eds_one_look *look = *at;
		bool judged = is_ready(look);

		if (judged)
			judge(looks, look);
		if (judged && is_over(look))
			end(looks, at);
		else
			at = &look->next;
	}
}

void eds_looks_turn(struct eds_looks *looks, int max_ms)
{
	struct eds_one_look *any = looks->first;
	bool ready = false;

	for (struct eds_one_look *look = looks->first; look != NULL; look = look->next) {
		ready = ready || is_ready(look);
		if (eds_dns_in_flight(look->dns) > 0)
			any = look;
	}
	if (any != NULL && !ready) /* one call of eds_dns_step() handles the answers of all looks */
		eds_dns_step(any->dns, eds_dnssec_fd(), max_ms);
	eds_dnssec_turn();
	judge_ready(looks);
}

void eds_looks_cancel(struct eds_looks *looks)
{
	while (looks->first != NULL) {
		judge(looks, looks->first);
		end(looks, &looks->first);
	}
}
