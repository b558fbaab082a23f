#include "functions/lib/posture/posture.h"
#include "functions/lib/spf/spf-prefetch.h"

#include <string.h>

#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/dmarc.h"
#include "functions/lib/posture/dmarc.h"
#include "functions/lib/posture/dnssec.h"
#include "functions/lib/posture/exchanges.h"
#include "functions/lib/posture/item.h"
#include "functions/lib/posture/selectors.h"
#include "functions/lib/posture/sender.h"
#include "functions/lib/posture/transport.h"
#include "functions/lib/posture/web.h"
#include "functions/lib/posture/zone.h"

static void (*const looks[EDS_POSTURE_SUBJECTS])(struct eds_look *look) = {
	[EDS_POSTURE_ZONE] = eds_look_zone,
	[EDS_POSTURE_MX] = eds_look_mx,
	[EDS_POSTURE_SPF] = eds_look_spf,
	[EDS_POSTURE_DMARC] = eds_look_dmarc,
	[EDS_POSTURE_MTA_STS] = eds_look_mta_sts,
	[EDS_POSTURE_TLS_RPT] = eds_look_tls_rpt,
	[EDS_POSTURE_DANE] = eds_look_dane,
	[EDS_POSTURE_CAA] = eds_look_caa,
	[EDS_POSTURE_BIMI] = eds_look_bimi,
	[EDS_POSTURE_DNSSEC] = eds_look_dnssec,
};

struct asked {
	struct rt_ctx *ctx;
	struct eds_dns *dns;
};

static void ask_tlsa(void *arg, const struct eds_dns_answer *answer)
{
	const struct asked *asked = arg;

	for (size_t i = 0; i < answer->count && i < EDS_MX_EXCHANGES_MAX; i++)
		if (answer->records[i].name[0] != '\0')
			eds_dns_start(asked->dns,
				rt_printf(asked->ctx, "_25._tcp.%s", answer->records[i].name),
				EDS_DNS_TLSA);
}

/* Asks at once all questions that need no earlier answer: a look then waits only for chains in
 * which one answer leads to the next question. */
void eds_posture_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain)
{
	static const struct {
		const char *label;
		enum eds_dns_type type;
	} questions[] = {{"_mta-sts", EDS_DNS_TXT}, {"_smtp._tls", EDS_DNS_TXT},
		{"default._bimi", EDS_DNS_TXT}, {"mta-sts", EDS_DNS_A}, {"mta-sts", EDS_DNS_AAAA},
		{EDS_POSTURE_NOBODY, EDS_DNS_TXT}, {EDS_POSTURE_NOBODY, EDS_DNS_MX}};
	const char *names[EDS_CAA_NAMES_MAX];
	size_t count = eds_look_caa_names(ctx, domain, names);
	struct asked *asked = rt_alloc(ctx, sizeof *asked);

	*asked = (struct asked){.ctx = ctx, .dns = dns};
	eds_dns_start(dns, domain, EDS_DNS_NS);
	eds_mx_prefetch(ctx, dns, domain);
	eds_dns_when(dns, domain, EDS_DNS_MX, ask_tlsa, asked);
	eds_spf_prefetch(ctx, dns, domain);
	eds_dmarc_prefetch(ctx, dns, domain);
	for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
		eds_dns_start(dns, rt_printf(ctx, "%s.%s", questions[i].label, domain),
			questions[i].type);
	for (size_t i = 0; i < count; i++)
		eds_dns_start(dns, names[i], EDS_DNS_CAA);
}

/* True when the domain exists; if it does not, findings about names below it are pointless. */
static bool is_there(struct eds_look *look)
{
	struct eds_posture_item *zone = look->item;

	for (size_t i = 0; i < zone->count; i++)
		if (strcmp(zone->findings[i].code, "domain-missing") == 0)
			return false;
	return true;
}

enum eds_posture_state eds_posture_item_counts(const struct eds_posture_item *item)
{
	return item->aside && item->state == EDS_POSTURE_UNKNOWN ? EDS_POSTURE_OK : item->state;
}

void eds_posture_look(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct eds_posture_question *question, struct eds_posture *posture)
{
	struct eds_look look = {
		.ctx = ctx, .dns = dns, .question = question, .domain = question->domain};
	bool there = true;

	memset(posture, 0, sizeof *posture);
	eds_posture_prefetch(ctx, dns, look.domain);
	eds_mx_check(ctx, dns, look.domain, &look.mx);
	look.takes_mail = look.mx.count > 0 && !look.mx.null_mx;
	for (size_t i = 0; i < EDS_POSTURE_SUBJECTS; i++) {
		look.item = &posture->items[i];
		if (there || (i == EDS_POSTURE_DNSSEC && question->dnssec == NULL))
			looks[i](&look);
		else
			look.item->state = EDS_POSTURE_UNKNOWN;
		if (i == EDS_POSTURE_ZONE)
			there = is_there(&look);
		if (eds_posture_item_counts(look.item) > posture->state)
			posture->state = eds_posture_item_counts(look.item);
	}
	if (there && question->finds_selectors)
		eds_look_selectors(&look, posture);
}
