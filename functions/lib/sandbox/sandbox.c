#include "functions/lib/sandbox/sandbox.h"

#include <string.h>
#include <sys/wait.h>

#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"
#include "functions/lib/sandbox/verifier-talk.h"
#include "runtime/log.h"

enum {
	SPF_STAGES = EDS_STAGE_SPF | EDS_STAGE_SPF_HELO,
	HELPER_TRIES = 2, /* a helper that dies while a message is verified is replaced once */
};

/* The finding for a failed child. */
struct fault {
	const char *code;
	const char *what; /* the words after "The verification" or "The evaluation" in a sentence */
};

static struct fault fault_of(const struct eds_verifier_talk *talk)
{
	switch (talk->end) {
	case EDS_CHILD_HUNG:
		return (struct fault){"verifier-hung", "did not end"};
	case EDS_CHILD_FLOODED:
		return (struct fault){"verifier-flooded", "asked too many DNS questions"};
	case EDS_CHILD_LIED:
		return (struct fault){"verifier-lied", "gave an answer that makes no sense"};
	case EDS_CHILD_DEADLINE: /* the event's time is over, mostly because the sender's DNS is
				  * slow; another try would be as slow */
		return (struct fault){"out-of-time", "was not complete when its time ran out"};
	default:
		break;
	}
	return (struct fault){"verifier-crashed", "ended before it was complete"};
}

/* The domain that SPF checks for this identity. */
static const char *identity_domain(
	struct rt_ctx *ctx, const struct eds_verify_input *input, bool helo_identity)
{
	const char *domain;

	if (helo_identity || input->mail_from[0] == '\0')
		return input->helo;
	domain = eds_address_domain(ctx, input->mail_from);
	return domain == NULL ? "" : domain;
}

static void blank_spf(struct eds_spf_result *result, enum eds_spf_code code, const char *domain)
{
	memset(result, 0, sizeof *result);
	result->code = code;
	result->domain = domain;
	result->record = result->mechanism = result->explanation = "";
	result->reason_code = result->reason = "";
}

static void fail_spf(struct rt_ctx *ctx, const struct eds_verify_input *input, bool helo_identity,
	const struct fault *fault, struct eds_spf_result *result)
{
	blank_spf(result, EDS_SPF_TEMPERROR, identity_domain(ctx, input, helo_identity));
	result->reason_code = fault->code;
	result->reason = rt_printf(
		ctx, "The evaluation %s, so SPF could not be decided.", fault->what);
}

static void fail_dkim(struct rt_ctx *ctx, const struct fault *fault, struct eds_dkim_result *result)
{
	memset(result, 0, sizeof *result);
	result->failure = rt_printf(
		ctx, "The verification %s, so the signatures were not checked.", fault->what);
}

/* The stages to run. SPF is left out when the client's address is unknown, because it then has
 * nothing to check. The stage for HELO is also left out if MAIL FROM is <>, because the stage for
 * MAIL FROM then checks HELO. */
static unsigned stages_of(const struct eds_verify_input *input)
{
	unsigned stages = EDS_STAGE_DKIM | (input->shape ? EDS_STAGE_SHAPE : 0);

	if (input->client.family == 0)
		return stages;
	return stages | (input->mail_from[0] == '\0' ? EDS_STAGE_SPF : SPF_STAGES);
}

/* The shape is only additional information, so an error of ours here is logged and does not make
 * the event fail and repeat. */
static const char *explain_shape(struct rt_ctx *ctx, enum eds_child_end end)
{
	if (eds_conversation_trouble(
		    ctx, EDS_HELPER_VERIFIER, end, "reading of a message's parts") != RT_OK) {
		rt_log(ctx, RT_LOG_ERROR, "%s", ctx->failure.detail);
		rt_fail_clear(ctx);
		return "The program that reads the parts of a message is not available.";
	}
	switch (end) {
	case EDS_CHILD_HUNG:
	case EDS_CHILD_DEADLINE:
		return "Reading the parts of the message took too long.";
	case EDS_CHILD_LIED:
	case EDS_CHILD_FLOODED:
		return "Reading the parts of the message gave an answer that makes no sense.";
	default:
		return "Reading the parts of the message ended before it was complete.";
	}
}

static void note_crash(
	struct rt_ctx *ctx, const struct eds_verifier_talk *talk, struct eds_verify_output *output)
{
	if (talk->end == EDS_CHILD_DIED && WIFSIGNALED(talk->wait_status))
		output->crash = rt_strdup(ctx, strsignal(WTERMSIG(talk->wait_status)));
}

static void give_up_shape(
	struct rt_ctx *ctx, const struct eds_verifier_talk *talk, struct eds_verify_output *output)
{
	note_crash(ctx, talk, output);
	output->shape = (struct eds_shape){.failure = explain_shape(ctx, talk->end)};
}

/* Writes the findings for the stage in which the child failed; returns the stages that another
 * child may still try. When the child failed in SPF for one identity, SPF is given up for both: for
 * the other identity, the same library would read the same DNS data. */
static unsigned give_up_stage(struct rt_ctx *ctx, const struct eds_verify_input *input,
	const struct eds_verifier_talk *talk, unsigned left, struct eds_verify_output *output)
{
	struct fault fault = fault_of(talk);

	note_crash(ctx, talk, output);
	if (left & EDS_STAGE_SPF)
		fail_spf(ctx, input, false, &fault, &output->spf);
	if (left & EDS_STAGE_SPF_HELO)
		fail_spf(ctx, input, true, &fault, &output->spf_helo);
	if (left & SPF_STAGES)
		return left & ~(unsigned)SPF_STAGES;
	fail_dkim(ctx, &fault, &output->dkim);
	return left & EDS_STAGE_SHAPE;
}

static rt_status verify_stages(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct eds_verify_input *input, unsigned left, struct eds_verify_output *output)
{
	unsigned helpers = 0;

	while (left != 0) {
		struct eds_verifier_talk talk = {.stages = left};

		eds_verifier_converse(ctx, dns, input, &talk, output);
		left &= ~talk.finished;
		if (talk.end == EDS_CHILD_NO_HELPER && ++helpers < HELPER_TRIES)
			continue;
		if (left == EDS_STAGE_SHAPE) {
			give_up_shape(ctx, &talk, output);
			break;
		}
		RT_TRY(eds_conversation_trouble(
			ctx, EDS_HELPER_VERIFIER, talk.end, "verification"));
		if (left != 0)
			left = give_up_stage(ctx, input, &talk, left, output);
	}
	return RT_OK;
}

rt_status eds_verify(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_verify_input *input,
	struct eds_verify_output *output)
{
	memset(output, 0, sizeof *output);
	output->dkim.failure = "";
	output->shape.failure = "";
	output->crash = "";
	blank_spf(&output->spf, EDS_SPF_NONE, identity_domain(ctx, input, false));
	blank_spf(&output->spf_helo, EDS_SPF_NONE, identity_domain(ctx, input, true));
	RT_TRY(verify_stages(ctx, dns, input, stages_of(input), output));
	if (input->mail_from[0] == '\0')
		output->spf_helo = output->spf;
	return RT_OK;
}

void eds_sandbox_warm(void)
{
	eds_helper_prepare(EDS_HELPER_VERIFIER);
}
