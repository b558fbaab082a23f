#include "functions/lib/mta-sts/verdict.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/mta-sts/pattern.h"

enum {
	SHOWN_MAX = 60, /* maximum number of octets that a sentence shows of a value from the
			 * network */
};

void eds_mta_sts_judge_host(
	struct rt_ctx *ctx, const struct eds_mta_sts_host *host, struct eds_mta_sts_seen *seen)
{
	bool temporary = host->a == EDS_DNS_TEMPORARY || host->aaaa == EDS_DNS_TEMPORARY;

	seen->temporary = seen->temporary || (temporary && !host->forbidden);
	if (host->forbidden)
		EDS_ERROR(ctx, seen, "host-address-forbidden",
			"The policy host has only addresses that are private or reserved, which "
			"no sender can reach; publish its public address.");
	else if (temporary && host->resolver_is_away)
		EDS_ERROR(ctx, seen, "host-temporary",
			"This service cannot reach its DNS resolver now, so nothing is known about "
			"the policy host.");
	else if (temporary)
		EDS_ERROR(ctx, seen, "host-temporary",
			"DNS gave no answer for the policy host; if this persists, check the "
			"domain's name servers.");
	else if (host->a == EDS_DNS_NO_NAME && host->aliased)
		EDS_ERROR(ctx, seen, "host-alias-dangling",
			"The policy host is an alias (CNAME) to a name that does not exist; "
			"correct the alias.");
	else if (host->a == EDS_DNS_NO_NAME)
		EDS_ERROR(ctx, seen, "host-missing",
			"The policy host does not exist in DNS; publish its record.");
	else
		EDS_ERROR(ctx, seen, "host-no-address",
			"The policy host has no address (neither A nor AAAA).");
}

struct failure {
	const char *code;
	const char *message;
};

/* The finding for each outcome of the fetch; an outcome that is not a failure has no finding. */
static const struct failure failures[] = {
	[EDS_FETCH_REFUSED] = {"fetch-refused",
		"The policy host refuses connections on port 443; let it serve HTTPS."},
	[EDS_FETCH_UNREACHABLE] = {"fetch-unreachable",
		"The policy host cannot be reached on port 443, or breaks the connection."},
	[EDS_FETCH_CONNECT_TIME] = {"fetch-timeout",
		"The policy host did not accept a connection in time."},
	[EDS_FETCH_TOTAL_TIME] = {"fetch-timeout",
		"The policy host did not send the whole policy file in time."},
	[EDS_FETCH_TLS] = {"fetch-tls", "The TLS handshake with the policy host failed."},
	[EDS_FETCH_TLS_REFUSED] = {"fetch-tls-refused",
		"The policy host refuses the TLS handshake, because it has no certificate for its "
		"own name. If the policy host was set up just now, wait a minute."},
	[EDS_FETCH_CERT_EXPIRED] = {"fetch-certificate-time",
		"The certificate of the policy host has expired; renew it."},
	[EDS_FETCH_CERT_EARLY] = {"fetch-certificate-time",
		"The certificate of the policy host is not valid yet."},
	[EDS_FETCH_CERT_NAME] = {"fetch-certificate-name",
		"The certificate of the policy host does not contain the host's own name; get one "
		"for exactly this name."},
	[EDS_FETCH_CERT_UNTRUSTED] = {"fetch-certificate-untrusted",
		"The certificate of the policy host is from no authority that senders know, or "
		"its chain is incomplete."},
	[EDS_FETCH_TOO_LARGE] = {"policy-too-large", "The policy file has over 65536 octets."},
	[EDS_FETCH_NO_STARTTLS] = {"fetch-protocol", /* only a mail server has this outcome */
		"The policy host does not speak HTTPS."},
	[EDS_FETCH_PROTOCOL] = {"fetch-protocol", "The policy host does not answer in HTTP."},
	[EDS_FETCH_FAILED] = {"fetch-failed",
		"The policy file could not be fetched because of a fault in this service; it is "
		"tried again."},
};

static bool is_text_plain(const char *type)
{
	static const char wanted[] = "text/plain";
	size_t length = sizeof wanted - 1;

	return type != NULL && strncasecmp(type, wanted, length) == 0 &&
		strchr("; \t", type[length]) != NULL;
}

/* The text comes from the policy host, so it is cut and made printable. */
static const char *shown(struct rt_ctx *ctx, const char *text)
{
	char *copy = rt_memdup(ctx, text, strnlen(text, SHOWN_MAX));

	for (char *c = copy; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return copy;
}

bool eds_mta_sts_judge_fetched(
	struct rt_ctx *ctx, const struct eds_fetched *fetched, struct eds_mta_sts_seen *seen)
{
	if (fetched->outcome != EDS_FETCH_DONE) {
		EDS_ERROR(ctx, seen, failures[fetched->outcome].code, "%s",
			failures[fetched->outcome].message);
		seen->temporary = seen->temporary || fetched->outcome == EDS_FETCH_FAILED;
	} else if (fetched->status >= 300 && fetched->status < 400) {
		EDS_ERROR(ctx, seen, "fetch-redirect",
			"The policy host answers with a redirect (%ld), which senders do not "
			"follow (RFC 8461 section 3.3); serve the file itself.",
			fetched->status);
	} else if (fetched->status != 200) {
		EDS_ERROR(ctx, seen, "fetch-status",
			"The policy host answers with status %ld; senders require status 200 for "
			"the policy file.",
			fetched->status);
	} else if (!is_text_plain(fetched->content_type)) {
		EDS_ERROR(ctx, seen, "fetch-media-type",
			"The policy file is served as %s; senders require text/plain (RFC 8461 "
			"section 3.2).",
			fetched->content_type != NULL ? shown(ctx, fetched->content_type)
						      : "no media type");
	} else if (fetched->encoded) {
		EDS_ERROR(ctx, seen, "fetch-encoding",
			"The policy file is served compressed, although the client did not ask for "
			"that; serve it uncompressed.");
	} else {
		return true;
	}
	return false;
}

static bool lists(const char *const *patterns, size_t count, const char *pattern)
{
	for (size_t i = 0; i < count; i++)
		if (strcasecmp(patterns[i], pattern) == 0)
			return true;
	return false;
}

/* True when both have the same patterns, in any order. */
static bool same_patterns(const struct eds_mx_patterns *wanted, const struct eds_policy *policy)
{
	for (size_t i = 0; i < policy->mx_count; i++)
		if (!lists(wanted->items, wanted->count, policy->mx[i]))
			return false;
	for (size_t i = 0; i < wanted->count; i++)
		if (!lists(policy->mx, policy->mx_count, wanted->items[i]))
			return false;
	return true;
}

static void compare(struct rt_ctx *ctx, const struct eds_mta_sts *config,
	const struct eds_policy *policy, struct eds_mta_sts_seen *seen)
{
	const char *mode = eds_policy_mode_name(config->mode);

	if (strcmp(eds_policy_mode_name(policy->mode), mode) != 0)
		EDS_ERROR(ctx, seen, "policy-mode-differs",
			"The served policy has mode %s, but the configuration has %s.",
			eds_policy_mode_name(policy->mode), mode);
	if (policy->max_age_s != config->max_age_s)
		EDS_ERROR(ctx, seen, "policy-max-age-differs",
			"The served policy has max_age %lld, but the configuration has %lld.",
			(long long)policy->max_age_s, (long long)config->max_age_s);
	if (config->mode != EDS_POLICY_NONE && !same_patterns(&config->patterns, policy))
		EDS_ERROR(ctx, seen, "policy-mx-differs",
			"The served policy lists other mx patterns than the configuration.");
}

static void copy_findings(
	struct rt_ctx *ctx, const struct eds_findings *from, struct eds_findings *to)
{
	for (size_t i = 0; i < from->count; i++)
		eds_finding_add(ctx, to, from->items[i].code, "%s", from->items[i].message);
}

struct policy_text {
	struct rt_ctx *keeper;
	const struct eds_mta_sts *config;
	const char *text;
	size_t length;
	struct eds_mta_sts_seen *seen;
};

static rt_status judge_text(struct rt_ctx *ctx, void *arg)
{
	const struct policy_text *served = arg;
	struct eds_mta_sts_seen *seen = served->seen;
	struct eds_policy policy;

	eds_policy_read(ctx, served->text, served->length, &policy);
	seen->mode = policy.mode;
	seen->max_age_s = policy.max_age_s;
	copy_findings(served->keeper, &policy.errors, &seen->errors);
	copy_findings(served->keeper, &policy.warnings, &seen->warnings);
	if (served->config->enabled && policy.errors.count == 0)
		compare(served->keeper, served->config, &policy, seen);
	return RT_OK;
}

/* Reads the policy in temporary memory, because the file may be large and only a little of it is
 * kept. */
void eds_mta_sts_judge_policy(struct rt_ctx *ctx, const struct eds_mta_sts *config,
	const char *text, size_t length, struct eds_mta_sts_seen *seen)
{
	struct policy_text served = {ctx, config, text, length, seen};

	if (rt_run_apart(ctx, judge_text, &served) != RT_OK)
		rt_fail_clear(ctx);
}

bool eds_mta_sts_is_covered(const struct eds_mta_sts *config, const char *host)
{
	for (size_t i = 0; i < config->patterns.count; i++)
		if (eds_mta_sts_pattern_matches(config->patterns.items[i], host))
			return true;
	return false;
}

static void add_uncovered(struct rt_ctx *ctx, const struct eds_mta_sts *config, const char *host,
	struct eds_mta_sts_seen *seen)
{
	if (config->mode == EDS_POLICY_ENFORCE)
		EDS_ERROR(ctx, seen, "mx-uncovered",
			"The mail server %s is covered by no MX pattern, so senders that "
			"enforce the policy do not deliver to it; add it to the MX patterns.",
			host);
	else
		EDS_ERROR(ctx, seen, "mx-uncovered",
			"The mail server %s is covered by no MX pattern: senders report this as a "
			"failure now, and would not deliver to it under enforce; add the server "
			"to the MX patterns.",
			host);
}

void eds_mta_sts_judge_mx(
	struct rt_ctx *ctx, const struct eds_mta_sts *config, struct eds_mta_sts_seen *seen)
{
	if (!config->enabled || config->mode == EDS_POLICY_NONE)
		return;
	if (config->mode == EDS_POLICY_ENFORCE && seen->mx_state == EDS_MX_UNKNOWN)
		EDS_ERROR(ctx, seen, "mx-temporary",
			"DNS gave no answer for the domain's MX records.");
	for (size_t i = 0; i < seen->mx_count; i++)
		if (!eds_mta_sts_is_covered(config, seen->mx[i].host))
			add_uncovered(ctx, config, seen->mx[i].host, seen);
}

enum eds_starttls eds_mta_sts_judge_starttls(enum eds_fetch_outcome outcome, const char **reason)
{
	static const struct {
		enum eds_starttls state;
		const char *reason;
	} verdicts[] = {
		[EDS_FETCH_DONE] = {EDS_STARTTLS_YES, ""},
		[EDS_FETCH_REFUSED] = {EDS_STARTTLS_UNKNOWN,
			"The server refuses connections on "
			"port 25."},
		[EDS_FETCH_UNREACHABLE] = {EDS_STARTTLS_UNKNOWN,
			"The server cannot be reached on port 25 from here."},
		[EDS_FETCH_CONNECT_TIME] = {EDS_STARTTLS_UNKNOWN,
			"The server does not accept connections on port 25 from here."},
		[EDS_FETCH_TOTAL_TIME] = {EDS_STARTTLS_UNKNOWN,
			"The server did not answer on port 25 in time."},
		[EDS_FETCH_TLS] = {EDS_STARTTLS_NO, "The TLS handshake with the server failed."},
		[EDS_FETCH_TLS_REFUSED] = {EDS_STARTTLS_NO,
			"The server refuses the TLS handshake for its name."},
		[EDS_FETCH_CERT_EXPIRED] = {EDS_STARTTLS_NO,
			"The server's certificate has expired."},
		[EDS_FETCH_CERT_EARLY] = {EDS_STARTTLS_NO,
			"The server's certificate is not valid "
			"yet."},
		[EDS_FETCH_CERT_NAME] = {EDS_STARTTLS_NO,
			"The server's certificate does not name "
			"the server."},
		[EDS_FETCH_CERT_UNTRUSTED] = {EDS_STARTTLS_NO,
			"The server's certificate is from no authority that senders know."},
		[EDS_FETCH_TOO_LARGE] = {EDS_STARTTLS_UNKNOWN, "The server does not speak SMTP."},
		[EDS_FETCH_NO_STARTTLS] = {EDS_STARTTLS_NO, "The server does not offer STARTTLS."},
		[EDS_FETCH_PROTOCOL] = {EDS_STARTTLS_UNKNOWN,
			"The server refused the SMTP session on port 25."},
		[EDS_FETCH_FAILED] = {EDS_STARTTLS_UNKNOWN, "The server could not be asked."},
	};

	*reason = verdicts[outcome].reason;
	return verdicts[outcome].state;
}
