#include "functions/reports/sources/source-finding.h"

#include <string.h>

#include "functions/lib/dns/name.h"
#include "functions/lib/reports/report.h"
#include "functions/reports/sources/source-words.h"
#include "runtime/json-format.h"
#include "runtime/json.h"

/* What the authentication results of one group of messages show. */
struct evidence {
	const char *own; /* domain of a signature that did not verify, if is_ours(); NULL: none */
	const char *foreign; /* domain of a valid signature, if not is_ours(); NULL: none */
	const char *spf;     /* the domain that SPF checked; NULL: none */
	bool spf_passed;
};

/* True for the monitored domain, and for the domains above and below it. */
static bool is_ours(const struct eds_domain *domain, const char *name)
{
	return eds_dns_name_covers(domain->name, name) || eds_dns_name_covers(name, domain->name);
}

static struct evidence read_evidence(
	struct rt_ctx *ctx, const struct eds_domain *domain, const char *auth)
{
	struct evidence evidence = {0};
	struct report_word word;

	for (const char *at = report_word_first(auth); report_word_read(ctx, &at, &word);) {
		if (word.is_spf) {
			evidence.spf = word.domain;
			evidence.spf_passed = word.passed;
		} else if (is_ours(domain, word.domain) && !word.passed) {
			evidence.own = word.domain;
		} else if (!is_ours(domain, word.domain) && word.passed) {
			evidence.foreign = word.domain;
		}
	}
	return evidence;
}

static const struct eds_report_source_auth *most_failed(const struct eds_report_source *source)
{
	for (size_t i = 0; i < source->auth_count; i++)
		if (source->auths[i].class == EDS_CLASS_FAILED)
			return &source->auths[i];
	return NULL;
}

static const char *spf_sentence(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct evidence *evidence)
{
	if (evidence->spf == NULL)
		return "";
	if (evidence->spf_passed && !is_ours(domain, evidence->spf))
		return rt_printf(ctx, " SPF passes for %s alone, which is not the domain in From.",
			evidence->spf);
	if (evidence->spf_passed)
		return "";
	return rt_printf(ctx, " The SPF record of %s does not name the address of the source.",
		evidence->spf);
}

static json_t *finding(struct rt_ctx *ctx, const char *code, const char *message)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "code", code);
	rt_json_set_text(ctx, json, "message", message);
	return json;
}

static json_t *failed_finding(struct rt_ctx *ctx, const struct eds_domain *domain, const char *auth)
{
	const struct evidence evidence = read_evidence(ctx, domain, auth);
	const char *spf = spf_sentence(ctx, domain, &evidence);

	if (evidence.own != NULL)
		return finding(ctx, "signature-broken",
			rt_printf(ctx,
				"It signs as %s, but the signature does not verify: the mail was "
				"changed on its way, or DNS has another key.%s",
				evidence.own, spf));
	if (evidence.foreign != NULL)
		return finding(ctx, "signature-foreign",
			rt_printf(ctx, "It signs as %s and not as %s.%s", evidence.foreign,
				domain->name, spf));
	return finding(
		ctx, "not-signed", rt_printf(ctx, "It does not sign as %s.%s", domain->name, spf));
}

json_t *report_source_finding(
	struct rt_ctx *ctx, const struct eds_domain *domain, const struct eds_report_source *source)
{
	const struct eds_report_source_auth *failed = most_failed(source);

	if (source->sum.failed > 0 && failed != NULL && *failed->auth != '-')
		return failed_finding(ctx, domain, failed->auth);
	if (source->sum.failed > 0)
		return finding(ctx, "not-told", "The reports do not say why its mail fails.");
	if (source->sum.forwarded > 0)
		return finding(ctx, "forwarded",
			"It forwards mail that was sent to somebody else; such mail passes only "
			"with a signature that survives the forwarding.");
	return json_null();
}
