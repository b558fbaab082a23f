#include "functions/lib/spf/spf-evaluate.h"

#include <string.h>

#include "functions/lib/spf/spf-check.h"
#include "functions/lib/spf/spf-libspf2.h"
#include "functions/lib/spf/spf-macro.h"

/* Splits the sender into local part and domain. The HELO identity, and MAIL FROM:<>, are checked as
 * postmaster@HELO (sections 2.3, 2.4); a MAIL FROM without a local part gets the local part
 * postmaster (section 4.3). */
static void split_sender(struct eds_spf_check *check)
{
	const struct eds_spf_input *input = check->input;
	bool helo = input->helo_identity || input->mail_from[0] == '\0';
	const char *address = helo ? input->helo : input->mail_from;
	const char *at = helo ? NULL : strrchr(address, '@');

	check->sender_domain = at != NULL ? at + 1 : address;
	check->local_part = "postmaster";
	if (at != NULL && at > address)
		check->local_part = rt_memdup(check->ctx, address, (size_t)(at - address));
	check->sender = rt_printf(check->ctx, "%s@%s", check->local_part, check->sender_domain);
}

static void take_domain(struct eds_spf_check *check)
{
	char *domain = rt_lower(check->ctx, check->sender_domain);
	size_t length = strlen(domain);

	if (length > 0 && domain[length - 1] == '.')
		domain[length - 1] = '\0';
	check->domain = domain;
	check->result->domain = domain;
}

static void clear(struct eds_spf_result *result)
{
	memset(result, 0, sizeof *result);
	result->domain = "";
	result->record = "";
	result->mechanism = "";
	result->explanation = "";
	result->reason_code = "";
	result->reason = "";
}

/* Adds the explanation; an error in it never changes the result (section 6.2). */
static void explain(struct eds_spf_check *check)
{
	struct eds_spf_result *result = check->result;

	check->result = rt_alloc(check->ctx, sizeof *check->result);
	result->explanation = eds_spf_explain(check, check->decider);
	check->result = result;
}

void eds_spf_evaluate(struct rt_ctx *ctx, const struct eds_lookup *lookup,
	const struct eds_spf_input *input, struct eds_spf_result *result)
{
	struct eds_spf_check *check = rt_alloc(ctx, sizeof *check);

	clear(result);
	check->ctx = ctx;
	check->lookup = lookup;
	check->input = input;
	check->result = result;
	split_sender(check);
	take_domain(check);
	if (eds_spf_domain_valid(check->sender_domain))
		eds_spf_run(check);
	else
		eds_spf_stop(check, EDS_SPF_NONE, "domain-malformed",
			"\"%s\" is not a domain name for which SPF can be published.",
			check->domain);
	if (result->code == EDS_SPF_FAIL && check->decider != NULL)
		explain(check);
}
