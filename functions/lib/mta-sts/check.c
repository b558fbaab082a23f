#include "functions/lib/mta-sts/check.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/mta-sts/policy-fetch.h"
#include "functions/lib/mta-sts/probe.h"
#include "runtime/config/config.h"

#define POLICY_PATH "/.well-known/mta-sts.txt"

enum tag { TAG_A, TAG_AAAA, TAG_ALIAS, TAG_OWN_HOST, TAG_ID, TAG_REPORTS, TAG_MX };

struct eds_checks {
	struct rt_ctx *ctx;
	struct eds_fetcher *fetcher;
	struct eds_dns_queue *dns;
	struct eds_probes *probes;
	struct eds_policy_fetches *policies;
	const char *own_canonical; /* the name at which the aliases of our policy host end; NULL
				      while no answer of DNS has shown this name */
	size_t count;
};

static void put_id_errors_first(struct eds_check *check)
{
	struct eds_findings errors = check->id_errors;
	const struct eds_findings *others = &check->seen.errors;

	for (size_t i = 0; i < others->count && errors.count < EDS_FINDINGS_MAX; i++)
		errors.items[errors.count++] = others->items[i];
	check->seen.errors = errors;
}

static struct eds_certificate earlier_certificate(const struct eds_check *check, const char *host)
{
	for (size_t i = 0; i < check->before->mx_count; i++)
		if (strcmp(check->before->mx[i].host, host) == 0)
			return check->before->mx[i].certificate;
	return (struct eds_certificate){0};
}

/* Keeps what an earlier check knew about the certificates of servers that could not be reached this
 * time. */
static void keep_certificates(struct eds_check *check)
{
	struct eds_mta_sts_seen *seen = &check->seen;

	if (check->before == NULL)
		return;
	for (size_t i = 0; i < seen->mx_count; i++)
		if (seen->mx[i].starttls == EDS_STARTTLS_UNKNOWN &&
			seen->mx[i].certificate.until_ms == 0)
			seen->mx[i].certificate = earlier_certificate(check, seen->mx[i].host);
	if (check->config->enabled && seen->certificate.until_ms == 0)
		seen->certificate = check->before->certificate;
}

/* Marks one part of the check as done. After the last part, completes the verdict. */
static void part_done(void *arg)
{
	struct eds_check *check = arg;

	if (--check->waiting > 0)
		return;
	put_id_errors_first(check);
	keep_certificates(check);
	eds_mta_sts_judge_mx(check->ctx, check->config, &check->seen);
	check->checks->count--;
	check->done(check->arg, check);
}

static void take_policy(void *arg, const struct eds_fetched *fetched)
{
	struct eds_check *check = arg;

	eds_policy_fetch_end(check->checks->policies, check, fetched);
	check->seen.certificate = fetched->certificate;
	if (eds_mta_sts_judge_fetched(check->ctx, fetched, &check->seen)) {
		check->seen.policy_fetched = true;
		eds_mta_sts_judge_policy(
			check->ctx, check->config, fetched->body, fetched->length, &check->seen);
	}
	part_done(check);
}

static void take_postponed(struct eds_check *check)
{
	part_done(check);
}

rt_status eds_checks_new(
	struct rt_ctx *ctx, const struct eds_address_hours *hours, struct eds_checks **checks)
{
	struct eds_checks *made = rt_alloc(ctx, sizeof *made);

	made->ctx = ctx;
	RT_TRY(eds_fetcher_new(ctx, &made->fetcher));
	made->dns = eds_fetcher_dns(made->fetcher);
	made->probes = eds_probes_new(ctx, made->fetcher, hours);
	made->policies = eds_policy_fetches_new(ctx, made->fetcher, hours, take_postponed);
	*checks = made;
	return RT_OK;
}

/* True when the addresses in an answer belong to our own policy host, whose name may itself be an
 * alias; also when the answer has no addresses (canonical is NULL). An answer for CNAME with our
 * name proves nothing: the owner of the domain's zone can give that answer, and still give other
 * addresses. */
static bool is_of_own_host(const struct eds_check *check, const char *canonical)
{
	const char *own = check->checks->own_canonical;

	return canonical == NULL || strcmp(canonical, rt_config()->policy_host) == 0 ||
		(own != NULL && strcmp(canonical, own) == 0);
}

static bool leads_to_own_host(const struct eds_check *check)
{
	return check->seen.alias == EDS_ALIAS_RIGHT &&
		is_of_own_host(check, check->canonical[TAG_A]) &&
		is_of_own_host(check, check->canonical[TAG_AAAA]);
}

/* The policy host reads from the store which domains to serve, so the state of the TXT record must
 * be stored before the policy is fetched. */
static bool waits_for_look(const struct eds_check *check)
{
	return check->looked != NULL && check->config->enabled && check->config->hosted;
}

static void ask_own_host(struct eds_check *check);

static void host_answered(struct eds_check *check)
{
	struct eds_checks *checks = check->checks;

	if (--check->host_answers > 0)
		return;
	if (check->fetch.address_count > 0) {
		if (check->seen.alias == EDS_ALIAS_RIGHT && !leads_to_own_host(check) &&
			checks->own_canonical == NULL)
			ask_own_host(check);
		else
			eds_policy_fetch_add(checks->policies, check, leads_to_own_host(check));
		return;
	}
	check->host.forbidden = check->fetch.forbidden;
	eds_mta_sts_judge_host(check->ctx, &check->host, &check->seen);
	part_done(check);
}

static void take_alias(struct eds_check *check, const struct eds_dns_answer *answer)
{
	const char *target = "";

	if (answer->state == EDS_DNS_FOUND)
		target = answer->records[0].name;
	check->seen.alias_target = rt_strdup(check->ctx, target);
	if (answer->state == EDS_DNS_TEMPORARY)
		check->seen.alias = EDS_ALIAS_UNKNOWN;
	else if (*target == '\0')
		check->seen.alias = EDS_ALIAS_NONE;
	else if (strcmp(target, rt_config()->policy_host) == 0)
		check->seen.alias = EDS_ALIAS_RIGHT;
	else
		check->seen.alias = EDS_ALIAS_OTHER;
}

static void take_host(
	void *arg, size_t tag, struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	struct eds_check *check = arg;

	(void)ctx;
	if (tag == TAG_ALIAS) {
		take_alias(check, answer);
	} else if (tag == TAG_OWN_HOST) {
		check->checks->own_canonical = rt_strdup(check->checks->ctx, answer->canonical);
	} else {
		eds_fetch_vet(&check->fetch, answer);
		if (answer->state == EDS_DNS_FOUND)
			check->canonical[tag] = rt_strdup(check->ctx, answer->canonical);
		check->host.aliased = check->host.aliased || answer->aliased;
		check->host.resolver_is_away = check->host.resolver_is_away ||
			eds_dns_resolver_is_away(answer);
		*(tag == TAG_A ? &check->host.a : &check->host.aaaa) = answer->state;
	}
	host_answered(check);
}

static void ask_own_host(struct eds_check *check)
{
	check->host_answers = 1;
	eds_dns_queue_ask_own(check->checks->dns, rt_config()->policy_host, EDS_DNS_A, take_host,
		check, TAG_OWN_HOST);
}

static void take_txt(void *arg, size_t tag, struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	struct eds_check *check = arg;
	struct eds_mta_sts_seen *seen = &check->seen;

	(void)ctx;
	if (tag == TAG_REPORTS) {
		seen->tlsrpt = eds_tlsrpt_read(answer);
	} else {
		seen->dns_id = eds_mta_sts_record_id(check->ctx, answer, &check->id_errors);
		seen->temporary = seen->temporary || answer->state == EDS_DNS_TEMPORARY;
		if (waits_for_look(check) && answer->state == EDS_DNS_TEMPORARY)
			host_answered(check);
		else if (waits_for_look(check))
			check->looked(check->arg, check);
	}
	part_done(check);
}

static bool has_mx(const struct eds_mta_sts_seen *seen, const char *host)
{
	for (size_t i = 0; i < seen->mx_count; i++)
		if (strcmp(seen->mx[i].host, host) == 0)
			return true;
	return false;
}

static void add_mx(struct eds_check *check, const char *host)
{
	struct eds_mta_sts_seen *seen = &check->seen;

	if (seen->mx_count == EDS_MTA_STS_MX_MAX || has_mx(seen, host))
		return;
	seen->mx[seen->mx_count++] = (struct eds_mta_sts_mx){.host = rt_strdup(check->ctx, host),
		.reason = "The server has not been asked yet."};
}

/* RFC 5321 section 5.1 and RFC 7505: without MX records the domain itself is the mail server; with
 * the root as its only MX it has no mail server. */
static void read_mx(struct eds_check *check, const struct eds_dns_answer *answer)
{
	struct eds_mta_sts_seen *seen = &check->seen;

	switch (answer->state) {
	case EDS_DNS_FOUND:
		for (size_t i = 0; i < answer->count; i++)
			if (*answer->records[i].name != '\0')
				add_mx(check, answer->records[i].name);
		seen->mx_state = seen->mx_count > 0 ? EDS_MX_FOUND : EDS_MX_NULL;
		break;
	case EDS_DNS_TEMPORARY:
		seen->mx_state = EDS_MX_UNKNOWN;
		seen->temporary = seen->temporary || check->config->enabled;
		break;
	case EDS_DNS_NO_NAME:
	case EDS_DNS_NO_DATA:
		add_mx(check, check->config->name);
		seen->mx_state = EDS_MX_IMPLICIT;
		break;
	}
}

/* Takes the previous check's result for this server, if it is recent enough. */
static bool take_earlier(const struct eds_check *check, struct eds_mta_sts_mx *mx)
{
	for (size_t i = 0; check->before != NULL && i < check->before->mx_count; i++) {
		const struct eds_mta_sts_mx *earlier = &check->before->mx[i];
		int64_t age_ms = rt_wall_ms() - earlier->checked_at_ms;
		int64_t kept_ms = earlier->starttls == EDS_STARTTLS_YES ? EDS_PROBE_KEPT_MS
									: EDS_PROBE_AGAIN_MS;

		if (strcmp(earlier->host, mx->host) == 0 && age_ms >= 0 && age_ms < kept_ms) {
			*mx = *earlier;
			return true;
		}
	}
	return false;
}

static const char *account_of(const struct eds_check *check)
{
	const char *account = check->config->account_id;

	return account != NULL ? account : "";
}

static void take_mx(void *arg, size_t tag, struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	struct eds_check *check = arg;

	(void)tag;
	(void)ctx;
	read_mx(check, answer);
	for (size_t i = 0; i < check->seen.mx_count; i++) {
		struct eds_mta_sts_mx *mx = &check->seen.mx[i];

		if (!check->probe && take_earlier(check, mx))
			continue;
		check->waiting++;
		eds_probes_ask(check->checks->probes, account_of(check), mx, part_done, check);
	}
	part_done(check);
}

static void ask(struct eds_check *check, const char *prefix, enum eds_dns_type type,
	eds_dns_queue_done done, enum tag tag)
{
	char name[2 * EDS_DNS_NAME_MAX];
	size_t length = strlen(prefix);

	memcpy(name, prefix, length);
	memcpy(name + length, check->config->name, strlen(check->config->name) + 1);
	eds_dns_queue_ask(check->checks->dns, name, type, done, check, tag);
}

static void prepare_fetch(struct eds_check *check)
{
	check->fetch = (struct eds_fetch){
		.kind = EDS_FETCH_HTTPS,
		.host = rt_printf(check->ctx, "mta-sts.%s", check->config->name),
		.path = POLICY_PATH,
		.port = rt_config()->policy_fetch_port,
		.done = take_policy,
		.arg = check,
	};
}

void eds_checks_start(struct eds_checks *checks, struct eds_check *check)
{
	check->checks = checks;
	check->next = NULL;
	check->warming = false;
	check->placed = false;
	check->canonical[TAG_A] = NULL;
	check->canonical[TAG_AAAA] = NULL;
	check->id_errors = (struct eds_findings){0};
	check->host = (struct eds_mta_sts_host){0};
	check->seen = (struct eds_mta_sts_seen){.max_age_s = -1, .alias_target = ""};
	prepare_fetch(check);
	checks->count++;
	check->waiting = 2; /* the parts that begin here: the id in the TXT record, and the policy
			     * host; further parts are added below */
	check->host_answers = waits_for_look(check) ? 4 : 3;
	ask(check, "_mta-sts.", EDS_DNS_TXT, take_txt, TAG_ID);
	ask(check, "mta-sts.", EDS_DNS_CNAME, take_host, TAG_ALIAS);
	ask(check, "mta-sts.", EDS_DNS_A, take_host, TAG_A);
	ask(check, "mta-sts.", EDS_DNS_AAAA, take_host, TAG_AAAA);
	check->waiting++;
	ask(check, "", EDS_DNS_MX, take_mx, TAG_MX);
	if (!check->config->enabled)
		return; /* the TLS-RPT record matters only for the advice to a domain with
			 * MTA-STS */
	check->waiting++;
	ask(check, "_smtp._tls.", EDS_DNS_TXT, take_txt, TAG_REPORTS);
}

void eds_checks_go_on(struct eds_check *check)
{
	host_answered(check);
}

size_t eds_checks_count(const struct eds_checks *checks)
{
	return checks->count;
}

void eds_checks_turn(struct eds_checks *checks, int max_ms)
{
	max_ms = eds_policy_fetches_turn(checks->policies, max_ms);
	max_ms = eds_probes_turn(checks->probes, max_ms);
	/* the calls above may have ended the last check, so there may be nothing to wait for */
	if (checks->count > 0)
		eds_fetch_turn(checks->fetcher, max_ms);
}

/* Cancels DNS before the probes and the fetches, because answers of DNS start these. Repeats this,
 * because the end of one part may start another. */
void eds_checks_cancel(struct eds_checks *checks)
{
	while (checks->count > 0) {
		eds_policy_fetches_cancel(checks->policies);
		eds_dns_queue_cancel(checks->dns);
		eds_probes_cancel(checks->probes);
		eds_fetch_cancel(checks->fetcher);
	}
}
