#include "functions/lib/dkim/selector.h"
#include "runtime/time.h"

#include <sha2.h>
#include <string.h>

#include "runtime/text/hex.h"

enum {
	SIBLING_BYTES = 8, /* random octets in the sibling's name, written as 16 hex digits */

	MINUTE_MS = 60 * 1000,
	HOUR_MS = 60 * MINUTE_MS,
	DAY_MS = 24 * HOUR_MS,
};

static const char ALLOWED[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

rt_status eds_dkim_selector_validate(struct rt_ctx *ctx, const char *selector)
{
	size_t length = strlen(selector);

	if (length > 0 && length <= EDS_SELECTOR_MAX && strspn(selector, ALLOWED) == length)
		return RT_OK;
	rt_fail_field(ctx, "selector",
		"must be 1 to %d letters, digits, underscores and hyphens: give only the part "
		"before ._domainkey",
		EDS_SELECTOR_MAX);
	return rt_fail(ctx, RT_BAD_INPUT, "selector-invalid",
		"selector must be 1 to %d letters, digits, underscores and hyphens",
		EDS_SELECTOR_MAX);
}

bool eds_dkim_selector_is_dotted(const char *selector)
{
	size_t labels = 0;

	if (strlen(selector) > EDS_SELECTOR_NAME_MAX)
		return false;
	for (const char *label = selector;; label++) {
		size_t length = strspn(label, ALLOWED);

		if (length == 0 || length > EDS_SELECTOR_MAX)
			return false;
		labels++;
		label += length;
		if (*label == '\0')
			return labels > 1;
		if (*label != '.')
			return false;
	}
}

char *eds_dkim_selector_name(struct rt_ctx *ctx, const char *selector, const char *domain)
{
	return rt_printf(ctx, "%s._domainkey.%s", selector, domain);
}

char *eds_dkim_sibling_name(struct rt_ctx *ctx, const char *domain)
{
	char random[SIBLING_BYTES];
	char label[2 * SIBLING_BYTES + 1] = "";

	rt_random(random, sizeof random);
	rt_hex_write(label, random, SIBLING_BYTES);
	return eds_dkim_selector_name(ctx, label, domain);
}

/* FNV-1a over 64 bits, over each text and its NUL. */
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

static int64_t key_digest_of(const struct eds_key_record *key)
{
	if (key->public_key == NULL)
		return 0;
	return (int64_t)digest_add(14695981039346656037U, key->public_key);
}

static const char *key_hash_of(struct rt_ctx *ctx, const struct eds_key_record *key)
{
	if (key->public_key == NULL)
		return NULL;
	return SHA256Data(
		key->public_octets, key->public_bytes, rt_alloc(ctx, SHA256_DIGEST_STRING_LENGTH));
}

static const char *shown_record(struct rt_ctx *ctx, const char *text)
{
	size_t length = strlen(text);
	bool cut = length > EDS_KEY_RECORD_SHOWN_MAX;
	char *shown;

	if (length == 0)
		return NULL;
	shown = rt_memdup(ctx, text, cut ? EDS_KEY_RECORD_SHOWN_MAX : length);
	for (char *at = shown; *at != '\0'; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return cut ? rt_printf(ctx, "%s...", shown) : shown;
}

static enum eds_selector_state state_of(const struct eds_key_record *key)
{
	switch (key->state) {
	case EDS_KEY_FOUND:
		return EDS_SELECTOR_VALID;
	case EDS_KEY_REVOKED:
		return EDS_SELECTOR_REVOKED;
	case EDS_KEY_TEMPORARY:
		return EDS_SELECTOR_UNKNOWN;
	default:
		return EDS_SELECTOR_INVALID;
	}
}

void eds_dkim_check_begin(struct rt_ctx *ctx, const struct eds_dns_answer *answer,
	struct eds_key_record *key, struct eds_dkim_check *check)
{
	eds_key_record_from_answer(ctx, answer, key);
	*check = (struct eds_dkim_check){
		.state = state_of(key),
		.found = answer->state == EDS_DNS_FOUND,
		.key_type = key->type != EDS_KEY_UNKNOWN ? eds_key_type_name(key->type) : NULL,
		.key_bits = key->bits,
		.alias = answer->aliased ? rt_strdup(ctx, answer->canonical) : NULL,
		.errors = key->errors,
		.warnings = key->warnings,
		.ttl_s = answer->ttl_s,
		.checked_at_ms = rt_wall_ms(),
	};
	check->digest = digest_of(check, key);
}

void eds_dkim_check_complete(
	struct rt_ctx *ctx, const struct eds_key_record *key, struct eds_dkim_check *check)
{
	check->key_digest = key_digest_of(key);
	check->record = shown_record(ctx, key->text);
	check->key_hash = key_hash_of(ctx, key);
}

void eds_dkim_check_read(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, struct eds_dkim_check *check)
{
	struct eds_key_record key;

	eds_dkim_check_begin(ctx, answer, &key, check);
	eds_dkim_check_complete(ctx, &key, check);
}

static void copy_messages(struct rt_ctx *ctx, struct eds_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		findings->items[i].message = rt_strdup(ctx, findings->items[i].message);
}

static const char *copy_text(struct rt_ctx *ctx, const char *text)
{
	return text != NULL ? rt_strdup(ctx, text) : NULL;
}

struct eds_dkim_check *eds_dkim_check_copy(struct rt_ctx *ctx, const struct eds_dkim_check *check)
{
	struct eds_dkim_check *copy = rt_alloc(ctx, sizeof *copy);

	*copy = *check;
	copy->alias = copy_text(ctx, check->alias);
	copy->record = copy_text(ctx, check->record);
	copy->key_hash = copy_text(ctx, check->key_hash);
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
			"A random name beside the selector has a TXT record too, so a wildcard may "
			"be answering; publish the key under the selector's own name.");
}

/* After a failed lookup the wildcard check counts as not made: probed_at_ms stays 0. */
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
	/* without a TXT record at the name, no wildcard can have answered */
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
