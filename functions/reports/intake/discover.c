#include "functions/reports/intake/discover.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/dkim/selector.h"
#include "functions/lib/dns/name.h"
#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"
#include "functions/reports/detail-json.h"
#include "functions/reports/line.h"

/* The store's answers about names below the domain: each name about which the store was asked, with
 * the account's monitored domain of that name. */
struct owners {
	struct rt_ctx *ctx;
	struct eds_store *store;
	const struct eds_domain *domain;
	struct {
		const char *name;
		/* monitored domain with this name; NULL: the account has none */
		const struct eds_domain *domain;
	} asked[REPORT_SUBDOMAINS_MAX];
	size_t count;
};

static rt_status ask_subdomain(
	struct owners *owners, const char *name, const struct eds_domain **owner)
{
	struct eds_domain *found = rt_alloc(owners->ctx, sizeof *found);
	rt_status status = eds_store_domain_named(
		owners->ctx, owners->store, owners->domain->account_id, name, found);

	if (status == RT_NOT_FOUND)
		rt_fail_clear(owners->ctx);
	else if (status != RT_OK)
		return status;
	*owner = status == RT_OK ? found : NULL;
	owners->asked[owners->count].name = name;
	owners->asked[owners->count++].domain = *owner;
	return RT_OK;
}

static rt_status find_owner(
	struct owners *owners, const char *given, const struct eds_domain **owner)
{
	const char *name = eds_domain_normalize(owners->ctx, given, strlen(given));

	*owner = NULL;
	if (name == NULL)
		return RT_OK;
	if (strcmp(name, owners->domain->name) == 0) {
		*owner = owners->domain;
		return RT_OK;
	}
	if (!eds_dns_name_covers(owners->domain->name, name))
		return RT_OK;
	for (size_t i = 0; i < owners->count; i++)
		if (strcmp(owners->asked[i].name, name) == 0) {
			*owner = owners->asked[i].domain;
			return RT_OK;
		}
	return owners->count < REPORT_SUBDOMAINS_MAX ? ask_subdomain(owners, name, owner) : RT_OK;
}

static enum eds_named_outcome first_look(
	struct rt_ctx *ctx, const struct eds_domain *owner, const char *selector)
{
	if (owner == NULL)
		return EDS_NAMED_ELSEWHERE;
	if (eds_dkim_selector_validate(ctx, selector) == RT_OK)
		return EDS_NAMED_OPEN;
	rt_fail_clear(ctx);
	return eds_dkim_selector_is_dotted(selector) ? EDS_NAMED_OPEN : EDS_NAMED_ILLEGAL;
}

/* Sets the counts of passing and failing messages. A signature that was not verified, for whatever
 * reason, counts as failed. */
static void count_messages(
	const struct eds_report_signature *signature, struct eds_named_selector *named)
{
	uint64_t messages = (uint64_t)report_count(signature->messages);
	uint64_t passed = (uint64_t)report_count(signature->passed);

	named->pass_count = (int64_t)(passed < messages ? passed : messages);
	named->fail_count = (int64_t)messages - named->pass_count;
}

/* Finds the element of the list that has the same selector and monitored domain as `one`, adds the
 * counts of `one` to that element, and returns the index of the element. Returns `count` if there
 * is no such element, or if the outcome of `one` is decided already. Selectors that differ only in
 * case are the same. */
static size_t place(
	struct eds_named_selector *list, size_t count, const struct eds_named_selector *one)
{
	if (one->outcome != EDS_NAMED_OPEN)
		return count;
	for (size_t i = 0; i < count; i++) {
		if (list[i].domain != one->domain || list[i].outcome != EDS_NAMED_OPEN ||
			strcasecmp(list[i].selector, one->selector) != 0)
			continue;
		list[i].pass_count += one->pass_count;
		list[i].fail_count += one->fail_count;
		return i;
	}
	return count;
}

/* Adds the selectors that count for a monitored domain if `counting` is true, else all other
 * selectors. */
static rt_status add_signatures(struct owners *owners, const struct eds_report *report,
	bool counting, struct eds_report_item *item, uint16_t *of_signature)
{
	for (size_t i = 0; i < report->signature_count; i++) {
		const struct eds_report_signature *signature = &report->signatures[i];
		struct eds_named_selector one = {
			.domain_name = signature->domain, .selector = signature->selector};

		RT_TRY(find_owner(owners, signature->domain, &one.domain));
		one.outcome = first_look(owners->ctx, one.domain, one.selector);
		if ((one.outcome == EDS_NAMED_OPEN) != counting)
			continue;
		count_messages(signature, &one);
		of_signature[i] = (uint16_t)place(item->named, item->named_count, &one);
		if (of_signature[i] == item->named_count)
			item->named[item->named_count++] = one;
	}
	return RT_OK;
}

rt_status report_named(struct rt_ctx *ctx, struct eds_store *store, const struct eds_domain *domain,
	const struct eds_report *report, struct eds_report_item *item)
{
	struct owners *owners = rt_alloc(ctx, sizeof *owners);
	uint16_t *of_signature = rt_alloc_array(
		ctx, report->signature_count + 1, sizeof *of_signature);

	*owners = (struct owners){.ctx = ctx, .store = store, .domain = domain};
	item->named = rt_alloc_array(ctx, report->signature_count + 1, sizeof *item->named);
	item->named_count = 0;
	item->of_signature = of_signature;
	item->signature_count = report_signatures_kept(report);
	RT_TRY(add_signatures(owners, report, true, item, of_signature));
	return add_signatures(owners, report, false, item, of_signature);
}
