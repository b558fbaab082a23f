#include "functions/lib/dnsbl/dnsbl.h"
#include "functions/lib/dns/name.h"

#include <stdlib.h>
#include <string.h>

#include "functions/lib/dnsbl/health.h"
#include "runtime/buffer.h"
#include "runtime/counts.h"

enum {
	REASON_BYTES_MAX = 1024,
};

static const char *const labels[RT_DNSBL_KINDS] = {
	[RT_DNSBL_COMBINED] = "combined",
	[RT_DNSBL_RELAY] = "relay",
	[RT_DNSBL_REPUTATION] = "reputation",
	[RT_DNSBL_REPORTED] = "reported",
};

const char *eds_dnsbl_label(enum rt_dnsbl_kind kind)
{
	return labels[kind];
}

/* The meaning of one address in a list's answer. */
enum verdict {
	NAMED, /* a code that the list's settings count as a listing */
	OTHER, /* a code that the list's settings do not count, which says nothing about the
		* address */
	ERROR, /* the address is 127.255.255.x: the list refuses the question */
	ALIEN, /* the address is outside 127/8: no blocklist gives such answers (RFC 5782 section
		* 2.1) */
};

/* Returns the reason why the list is not asked; NULL when it is asked. */
static const char *not_asked(const struct rt_dnsbl *list, const struct rt_ip *ip)
{
	if (list->zone[0] == '\0')
		return "not configured";
	if (ip == NULL || ip->family == 0)
		return "the sending address is not known or not public";
	if (ip->family == AF_INET6 && !list->ipv6)
		return "this list is not asked about IPv6 addresses";
	return NULL;
}

void eds_dnsbl_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const struct rt_ip *ip)
{
	for (enum rt_dnsbl_kind i = 0; i < RT_DNSBL_KINDS; i++) {
		const struct rt_dnsbl *list = &rt_config()->dnsbl[i];

		if (not_asked(list, ip) != NULL)
			continue;
		eds_dns_start_own(dns, eds_dns_reverse_name(ctx, ip, list->zone), EDS_DNS_A);
		eds_dnsbl_health_prefetch(ctx, dns, i);
	}
}

static enum verdict judge(const struct rt_dnsbl *list, const uint8_t code[4])
{
	if (code[0] != 127)
		return ALIEN;
	if (code[1] == 255 && code[2] == 255)
		return ERROR;
	/* Only 127.0.0.2 to 127.0.0.255 can mean "listed"; the configured codes are their last
	 * octets. */
	if (code[1] != 0 || code[2] != 0 || code[3] < 2)
		return OTHER;
	return list->codes[code[3]] ? NAMED : OTHER;
}

static int by_octets(const void *a, const void *b)
{
	return memcmp(a, b, 4);
}

/* Sorts the addresses in the answer and drops repeated ones. */
static size_t sorted_codes(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, uint8_t (**sorted)[4])
{
	uint8_t(*codes)[4] = rt_alloc_array(ctx, answer->count, sizeof *codes);
	size_t count = 0;

	for (size_t i = 0; i < answer->count; i++)
		memcpy(codes[i], answer->records[i].ip.bytes, sizeof *codes);
	qsort(codes, answer->count, sizeof *codes, by_octets);
	for (size_t i = 0; i < answer->count; i++)
		if (count == 0 || memcmp(codes[count - 1], codes[i], sizeof *codes) != 0)
			memmove(codes[count++], codes[i], sizeof *codes);
	*sorted = codes;
	return count;
}

static const char *joined_codes(struct rt_ctx *ctx, const struct eds_dnsbl_result *result)
{
	struct rt_buffer text;

	rt_buffer_init(&text, ctx, REASON_BYTES_MAX);
	for (size_t i = 0; i < result->code_count; i++)
		rt_buffer_format(&text, "%s%s", i > 0 ? ", " : "", result->codes[i]);
	return text.bytes;
}

/* One address outside 127/8 or one refusal makes the whole result unknown; otherwise a single code
 * that counts as a listing means that the address is listed. */
static void conclude(struct rt_ctx *ctx, const size_t seen[], struct eds_dnsbl_result *result)
{
	const char *codes = joined_codes(ctx, result);

	result->state = EDS_DNSBL_UNKNOWN;
	if (seen[ALIEN] > 0) {
		result->reason = rt_printf(ctx,
			"answered %s, which is not a blocklist answer: the list may be dead",
			codes);
	} else if (seen[ERROR] > 0) {
		result->reason = rt_printf(ctx,
			"refused to answer (%s), as lists do for public resolvers, unknown keys "
			"or too many questions",
			codes);
	} else if (seen[NAMED] > 0) {
		result->state = EDS_DNSBL_LISTED;
		result->reason = rt_printf(ctx, "listed with %s", codes);
	} else {
		result->reason = rt_printf(ctx,
			"answered %s, which this service's settings for the list do not count as a "
			"listing",
			codes);
	}
}

static void read_codes(struct rt_ctx *ctx, const struct rt_dnsbl *list,
	const struct eds_dns_answer *answer, struct eds_dnsbl_result *result)
{
	size_t seen[] = {[NAMED] = 0, [OTHER] = 0, [ERROR] = 0, [ALIEN] = 0};
	uint8_t(*codes)[4];
	size_t count = sorted_codes(ctx, answer, &codes);

	for (size_t i = 0; i < count; i++) {
		seen[judge(list, codes[i])]++;
		if (result->code_count < EDS_DNSBL_CODES_MAX)
			result->codes[result->code_count++] = rt_printf(ctx, "%u.%u.%u.%u",
				codes[i][0], codes[i][1], codes[i][2], codes[i][3]);
	}
	if (seen[ERROR] > 0)
		rt_count(RT_COUNT_LIST_REFUSED + (enum rt_count)(list - rt_config()->dnsbl));
	conclude(ctx, seen, result);
}

/* A dead or wildcarded zone answers the same for every address, so its answer proves nothing about
 * this address. */
static void judge_health(struct rt_ctx *ctx, struct eds_dns *dns, enum rt_dnsbl_kind kind,
	struct eds_dnsbl_result *result)
{
	const char *sick;

	if (result->state == EDS_DNSBL_UNKNOWN)
		return;
	sick = eds_dnsbl_sickness(ctx, dns, kind, result->state == EDS_DNSBL_LISTED);
	if (sick == NULL)
		return;
	result->state = EDS_DNSBL_UNKNOWN;
	result->reason = sick;
}

static void ask(struct rt_ctx *ctx, struct eds_dns *dns, const struct rt_dnsbl *list,
	const struct rt_ip *ip, struct eds_dnsbl_result *result)
{
	const struct eds_dns_answer *answer = eds_dns_get(
		dns, eds_dns_reverse_name(ctx, ip, list->zone), EDS_DNS_A);

	switch (answer->state) {
	case EDS_DNS_FOUND:
		read_codes(ctx, list, answer, result);
		break;
	case EDS_DNS_NO_NAME:
	case EDS_DNS_NO_DATA:
		result->state = EDS_DNSBL_CLEAN;
		result->reason = "not listed";
		break;
	case EDS_DNS_TEMPORARY:
		result->state = EDS_DNSBL_UNKNOWN;
		result->failed = true;
		result->reason = rt_printf(ctx, "the list could not be asked: %s", answer->reason);
		break;
	}
}

void eds_dnsbl_check(struct rt_ctx *ctx, struct eds_dns *dns, const struct rt_ip *ip,
	struct eds_dnsbl_result results[RT_DNSBL_KINDS])
{
	eds_dnsbl_prefetch(ctx, dns, ip);
	for (enum rt_dnsbl_kind i = 0; i < RT_DNSBL_KINDS; i++) {
		const struct rt_dnsbl *list = &rt_config()->dnsbl[i];
		const char *why_not = not_asked(list, ip);

		results[i] = (struct eds_dnsbl_result){
			.label = labels[i], .state = EDS_DNSBL_UNKNOWN, .reason = why_not};
		if (list->zone[0] != '\0')
			results[i].known = eds_dnsbl_operator(list->zone);
		if (why_not != NULL)
			continue;
		ask(ctx, dns, list, ip, &results[i]);
		judge_health(ctx, dns, i, &results[i]);
	}
}
