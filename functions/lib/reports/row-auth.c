#include "functions/lib/reports/row-auth.h"

#include <string.h>

enum {
	ITEM_BYTES_MIN = 1 + 4 * sizeof(uint32_t),
	RESERVED = 1024, /* octets that dkim elements must leave free for the elements after them */
	ITEMS_MAX = EDS_REPORT_AUTH_BYTES_MAX / ITEM_BYTES_MIN,
};

void eds_row_auth_init(struct eds_row_auth *auth)
{
	auth->length = sizeof auth->left_out;
	auth->left_out = 0;
}

static void put(struct eds_row_auth *auth, enum eds_row_auth_kind kind, const char *const *texts,
	size_t count)
{
	static const size_t maxima[] = {EDS_REPORT_DOMAIN_MAX, EDS_REPORT_SELECTOR_MAX,
		EDS_REPORT_WORD_MAX, EDS_REPORT_REMARK_MAX};
	uint32_t lengths[4];
	char *at = auth->bytes + auth->length;
	size_t needed = 1;

	for (size_t i = 0; i < count; i++) {
		lengths[i] = (uint32_t)strnlen(texts[i], maxima[i]);
		needed += sizeof lengths[i] + lengths[i];
	}
	if (auth->length + needed > sizeof auth->bytes - (kind == EDS_AUTH_DKIM ? RESERVED : 0)) {
		auth->left_out++;
		return;
	}
	*at++ = (char)kind;
	for (size_t i = 0; i < count; i++) {
		memcpy(at, &lengths[i], sizeof lengths[i]);
		memcpy(at + sizeof lengths[i], texts[i], lengths[i]);
		at += sizeof lengths[i] + lengths[i];
	}
	auth->length += (uint32_t)needed;
}

void eds_row_auth_text(struct eds_row_auth *auth, enum eds_row_auth_kind kind, const char *text)
{
	put(auth, kind, &text, 1);
}

void eds_row_auth_item(struct eds_row_auth *auth, enum eds_row_auth_kind kind,
	const struct eds_report_auth_item *item)
{
	const char *texts[] = {item->domain, item->selector, item->result, item->remark};

	put(auth, kind, texts, sizeof texts / sizeof texts[0]);
}

void eds_row_auth_end(struct eds_row_auth *auth)
{
	memcpy(auth->bytes, &auth->left_out, sizeof auth->left_out);
}

struct items {
	enum eds_row_auth_kind kinds[ITEMS_MAX];
	struct eds_report_auth_item items[ITEMS_MAX];
	size_t count;
};

static const struct eds_report_auth_item *of_kind(
	struct rt_ctx *ctx, const struct items *all, enum eds_row_auth_kind kind, size_t *count)
{
	struct eds_report_auth_item *items;

	*count = 0;
	for (size_t i = 0; i < all->count; i++)
		*count += all->kinds[i] == kind;
	items = rt_alloc_array(ctx, *count, sizeof *items);
	for (size_t i = 0, to = 0; i < all->count; i++)
		if (all->kinds[i] == kind)
			items[to++] = all->items[i];
	return items;
}

static void get_item(
	struct rt_ctx *ctx, struct eds_wire *wire, enum eds_row_auth_kind kind, struct items *all)
{
	struct eds_report_auth_item *item = &all->items[all->count];

	if (all->count == ITEMS_MAX) {
		wire->bad = true;
		return;
	}
	all->kinds[all->count++] = kind;
	item->domain = eds_get_shown(ctx, wire, EDS_REPORT_DOMAIN_MAX);
	item->selector = eds_get_shown(ctx, wire, EDS_REPORT_SELECTOR_MAX);
	item->result = eds_get_shown(ctx, wire, EDS_REPORT_WORD_MAX);
	item->remark = eds_get_shown(ctx, wire, EDS_REPORT_REMARK_MAX);
}

void eds_row_auth_get(struct rt_ctx *ctx, struct eds_wire *wire, struct eds_report_auth *auth)
{
	const char **const texts[] = {[EDS_AUTH_HEADER_FROM] = &auth->header_from,
		[EDS_AUTH_ENVELOPE_FROM] = &auth->envelope_from,
		[EDS_AUTH_ENVELOPE_TO] = &auth->envelope_to};
	struct items all;

	all.count = 0;
	*auth = (struct eds_report_auth){.header_from = "", .envelope_from = "", .envelope_to = ""};
	auth->left_out = eds_get_u32(wire);
	while (!wire->bad && wire->at < wire->end) {
		enum eds_row_auth_kind kind = (enum eds_row_auth_kind)eds_get_enum(
			wire, EDS_AUTH_SPF);

		if (kind >= EDS_AUTH_REASON)
			get_item(ctx, wire, kind, &all);
		else if (kind >= EDS_AUTH_HEADER_FROM)
			*texts[kind] = eds_get_shown(ctx, wire, EDS_REPORT_DOMAIN_MAX);
		else
			wire->bad = true;
	}
	auth->reasons = of_kind(ctx, &all, EDS_AUTH_REASON, &auth->reason_count);
	auth->dkim = of_kind(ctx, &all, EDS_AUTH_DKIM, &auth->dkim_count);
	auth->spf = of_kind(ctx, &all, EDS_AUTH_SPF, &auth->spf_count);
}
