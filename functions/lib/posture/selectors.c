#include <string.h>

#include "functions/lib/dkim/tags.h"
#include "functions/lib/posture/item.h"
#include "functions/lib/posture/providers.h"
#include "functions/lib/posture/selectors.h"
#include "functions/lib/spf/spf-walk.h"

/* The default selectors of self-hosted mail software. */
static const char *const OWN = "default dkim mail";

struct names {
	struct rt_ctx *ctx;
	const char *items[EDS_POSTURE_SELECTORS_MAX];
	size_t count;
};

static void add_name(struct names *names, const char *text, size_t length)
{
	for (size_t i = 0; i < names->count; i++)
		if (strlen(names->items[i]) == length && memcmp(names->items[i], text, length) == 0)
			return;
	if (names->count < EDS_POSTURE_SELECTORS_MAX)
		names->items[names->count++] = rt_memdup(names->ctx, text, length);
}

/* Adds the names in a list, separated by spaces; the list may be NULL. */
static void add_names(struct names *names, const char *list)
{
	while (list != NULL && *list != '\0') {
		size_t length = strcspn(list, " ");

		add_name(names, list, length);
		list += length + strspn(list + length, " ");
	}
}

static bool is_own(const struct eds_look *look, const char *host)
{
	size_t length = strlen(host);
	size_t domain_length = strlen(look->domain);

	return length > domain_length && host[length - domain_length - 1] == '.' &&
		strcmp(host + length - domain_length, look->domain) == 0;
}

/* Collects the selectors to ask for. False when DNS failed for a record that names a provider. */
static bool find_names(struct eds_look *look, struct names *names)
{
	struct eds_spf_walk *walk = rt_alloc(look->ctx, sizeof *walk);
	bool are_mx_known = look->mx.count > 0 || look->mx.state != EDS_MX_STATE_UNKNOWN;

	for (size_t i = 0; i < look->mx.count; i++)
		add_names(names,
			is_own(look, look->mx.exchanges[i].name)
				? OWN
				: eds_provider_selectors(look->mx.exchanges[i].name));
	eds_spf_walk(look->ctx, look->dns, look->domain, walk);
	for (size_t i = 0; i < walk->tree_count; i++)
		add_names(names, eds_provider_selectors(walk->tree[i].domain));
	return are_mx_known && walk->failed == NULL;
}

/* True for any record with a key, even a faulty key: the check of the selector finds the faults. */
static bool has_key(const struct eds_dns_answer *answer)
{
	struct eds_tags tags;
	const struct eds_tag *key;

	for (size_t i = 0; i < answer->count; i++) {
		if (eds_tags_read(answer->records[i].txt, answer->records[i].txt_length, &tags) !=
			EDS_TAGS_OK)
			continue;
		key = eds_tags_find(&tags, "p");
		if (key != NULL && key->value_length > 0)
			return true;
	}
	return false;
}

static const struct eds_dns_answer *key_answer(struct eds_look *look, const char *selector)
{
	return eds_dns_get(look->dns,
		rt_printf(look->ctx, "%s._domainkey.%s", selector, look->domain), EDS_DNS_TXT);
}

static void find_keys(struct eds_look *look, const struct names *names, struct eds_posture *posture)
{
	for (size_t i = 0; i < names->count; i++) {
		const struct eds_dns_answer *answer = key_answer(look, names->items[i]);

		if (answer->state == EDS_DNS_TEMPORARY)
			posture->selectors_open = true;
		else if (has_key(answer))
			posture->selectors[posture->selector_count++] = names->items[i];
	}
}

void eds_look_selectors(struct eds_look *look, struct eds_posture *posture)
{
	struct names names = {.ctx = look->ctx};
	const struct eds_dns_answer *nobody;

	posture->selectors_open = !find_names(look, &names);
	if (names.count == 0)
		return;
	find_keys(look, &names, posture);
	nobody = key_answer(look, EDS_POSTURE_NOBODY);
	if (nobody->state == EDS_DNS_TEMPORARY)
		posture->selectors_open = true;
	if (nobody->state == EDS_DNS_TEMPORARY || has_key(nobody))
		posture->selector_count = 0; /* a wildcard answers for every name, so no selector
					      * counts as found */
}
