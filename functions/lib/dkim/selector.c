#include "functions/lib/dkim/selector.h"

#include <string.h>

enum {
	SIBLING_BYTES = 8, /* random; twice as many characters */

	MINUTE_MS = 60 * 1000,
	HOUR_MS = 60 * MINUTE_MS,
	DAY_MS = 24 * HOUR_MS,
};

rt_status eds_dkim_selector_validate(struct rt_ctx *ctx, const char *selector)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
	size_t length = strlen(selector);

	if (length > 0 && length <= EDS_SELECTOR_MAX && strspn(selector, allowed) == length)
		return RT_OK;
	rt_fail_field(ctx, "selector",
		"1 to %d letters, digits, underscores and hyphens: the name before ._domainkey "
		"alone",
		EDS_SELECTOR_MAX);
	return rt_fail(ctx, RT_BAD_INPUT, "selector-invalid",
		"selector must be 1 to %d letters, digits, underscores and hyphens",
		EDS_SELECTOR_MAX);
}

char *eds_dkim_selector_name(struct rt_ctx *ctx, const char *selector, const char *domain)
{
	return rt_printf(ctx, "%s._domainkey.%s", selector, domain);
}

char *eds_dkim_sibling_name(struct rt_ctx *ctx, const char *domain)
{
	static const char digits[] = "0123456789abcdef";
	char random[SIBLING_BYTES];
	char label[2 * SIBLING_BYTES + 1] = "";

	rt_random(random, sizeof random);
	for (size_t i = 0; i < SIBLING_BYTES; i++) {
		label[2 * i] = digits[random[i] >> 4 & 15];
		label[2 * i + 1] = digits[random[i] & 15];
	}
	return eds_dkim_selector_name(ctx, label, domain);
}

/* FNV-1a over 64 bits, each text with the NUL behind it. */
static uint64_t digest_add(uint64_t digest, const char *text)
{
	do
		digest = (digest ^ (uint8_t)*text) * 1099511628211U;
	while (*text++ != '\0');
	return digest;
}

static uint64_t digest_codes(uint64_t digest, const struct eds_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		digest = digest_add(digest, findings->items[i].code);
	return digest_add(digest, "");
}

static int64_t digest_of(const struct eds_dkim_check *check, const struct eds_key_record *key)
{
	uint64_t digest = digest_add(14695981039346656037U, key->text);

	digest = digest_add(digest, check->alias ? check->alias : "");
	digest = digest_codes(digest, &check->errors);
	return (int64_t)digest_codes(digest, &check->warnings);
}

static enum eds_selector_state state_of(const struct eds_key_record *key)
{
	if (strcmp(key->state, "found") == 0)
		return EDS_SELECTOR_VALID;
	if (strcmp(key->state, "revoked") == 0)
		return EDS_SELECTOR_REVOKED;
	if (strcmp(key->state, "temporary") == 0)
		return EDS_SELECTOR_UNKNOWN;
	return EDS_SELECTOR_INVALID;
}

void eds_dkim_check_read(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, struct eds_dkim_check *check)
{
	struct eds_key_record key;

	eds_key_record_from_answer(ctx, answer, &key);
	*check = (struct eds_dkim_check){
		.state = state_of(&key),
		.found = answer->state == EDS_DNS_FOUND,
		.key_type = key.type != EDS_KEY_UNKNOWN ? eds_key_type_name(key.type) : NULL,
		.key_bits = key.bits,
		.alias = answer->aliased ? rt_strdup(ctx, answer->canonical) : NULL,
		.errors = key.errors,
		.warnings = key.warnings,
		.ttl_s = answer->ttl_s,
		.checked_at_ms = rt_wall_ms(),
	};
	check->digest = digest_of(check, &key);
}

static void copy_messages(struct rt_ctx *ctx, struct eds_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		findings->items[i].message = rt_strdup(ctx, findings->items[i].message);
}

struct eds_dkim_check *eds_dkim_check_copy(struct rt_ctx *ctx, const struct eds_dkim_check *check)
{
	struct eds_dkim_check *copy = rt_alloc(ctx, sizeof *copy);

	*copy = *check;
	copy->alias = check->alias ? rt_strdup(ctx, check->alias) : NULL;
	copy_messages(ctx, &copy->errors);
	copy_messages(ctx, &copy->warnings);
	return copy;
}

void eds_dkim_check_probed(
	struct rt_ctx *ctx, struct eds_dkim_check *check, bool wildcard, int64_t probed_at_ms)
{
	check->probed_at_ms = probed_at_ms;
	check->wildcard = wildcard;
	if (wildcard)
		eds_finding_add(ctx, &check->warnings, "key-wildcard",
			"Any name beside the selector has a TXT record too, so a wildcard may be "
			"answering; publish the key under the selector's own name.");
}

void eds_dkim_check_sibling(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, struct eds_dkim_check *check)
{
	if (answer->state != EDS_DNS_TEMPORARY)
		eds_dkim_check_probed(
			ctx, check, answer->state == EDS_DNS_FOUND, check->checked_at_ms);
}

rt_status eds_dkim_check_selector(
	struct rt_ctx *ctx, const char *domain, const char *selector, struct eds_dkim_check *check)
{
	const char *name = eds_dkim_selector_name(ctx, selector, domain);
	const char *sibling = eds_dkim_sibling_name(ctx, domain);
	struct eds_dns *dns;

	RT_TRY(eds_dns_open(ctx, &dns));
	eds_dns_start(dns, name, EDS_DNS_TXT);
	eds_dns_start(dns, sibling, EDS_DNS_TXT);
	eds_dkim_check_read(ctx, eds_dns_get(dns, name, EDS_DNS_TXT), check);
	if (check->found)
		eds_dkim_check_sibling(ctx, eds_dns_get(dns, sibling, EDS_DNS_TXT), check);
	return RT_OK;
}

static int64_t interval_ms(const struct eds_dkim_check *check, int64_t changed_at_ms)
{
	int64_t age_ms = check->checked_at_ms - changed_at_ms;

	if (check->state == EDS_SELECTOR_VALID)
		return EDS_RECHECK_VALID_MS;
	if (age_ms < DAY_MS)
		return 10 * MINUTE_MS;
	return age_ms < 7 * DAY_MS ? HOUR_MS : DAY_MS;
}

int64_t eds_dkim_next_check_ms(const struct eds_dkim_check *check, int64_t changed_at_ms)
{
	int64_t wait_ms = interval_ms(check, changed_at_ms);
	int64_t ttl_ms = (int64_t)check->ttl_s * 1000;

	if (check->state == EDS_SELECTOR_UNKNOWN) {
		wait_ms = EDS_RECHECK_TEMPORARY_MS;
		ttl_ms = 0;
	}
	wait_ms -= EDS_RECHECK_EARLY_MS;
	if (ttl_ms > EDS_RECHECK_TTL_MS_MAX)
		ttl_ms = EDS_RECHECK_TTL_MS_MAX;
	return check->checked_at_ms + (ttl_ms > wait_ms ? ttl_ms : wait_ms);
}
