#include "functions/reports/sources/source-network.h"
#include "functions/lib/dns/name.h"

#include <string.h>

#include "runtime/config/config.h"

enum {
	FIELD_BYTES_MAX = 100,
	DIGITS_MAX = 10,
};

/* The record of the smallest network that contains the address. */
struct origin {
	int64_t asn;
	const char *network;
	unsigned prefix;
};

struct asking {
	struct rt_ctx *ctx;
	struct eds_dns *dns;
	struct rt_ip ip;
};

static const char *origin_name(struct rt_ctx *ctx, const struct rt_ip *ip)
{
	return eds_dns_reverse_name(ctx, ip,
		rt_printf(ctx, "%s.%s", ip->family == AF_INET6 ? "origin6" : "origin",
			rt_config()->asn_zone));
}

static const char *as_name(struct rt_ctx *ctx, int64_t asn)
{
	return rt_printf(ctx, "as%lld.%s", (long long)asn, rt_config()->asn_zone);
}

/* The text before the next "|", without the blanks around it; *at moves past the "|", and is NULL
 * after the last field. */
static char *next_field(struct rt_ctx *ctx, const char **at)
{
	const char *begin = *at + strspn(*at, " ");
	size_t length = strcspn(begin, "|");

	*at = begin[length] == '|' ? begin + length + 1 : NULL;
	while (length > 0 && begin[length - 1] == ' ')
		length--;
	return rt_memdup(ctx, begin, length < FIELD_BYTES_MAX ? length : FIELD_BYTES_MAX);
}

/* The first number of "64500 64501"; 0 when the text does not begin with a number. */
static int64_t read_asn(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	int64_t asn = 0;

	if (digits == 0 || digits > DIGITS_MAX || (text[digits] != '\0' && text[digits] != ' '))
		return 0;
	for (size_t i = 0; i < digits; i++)
		asn = asn * 10 + (text[i] - '0');
	return asn <= UINT32_MAX ? asn : 0;
}

static void take_origin(struct rt_ctx *ctx, const struct eds_dns_record *record,
	const struct rt_ip *ip, struct origin *origin)
{
	const char *at = rt_memdup(ctx, record->txt, record->txt_length);
	int64_t asn = read_asn(next_field(ctx, &at));
	const char *network = at != NULL ? next_field(ctx, &at) : "";
	struct rt_cidr cidr;

	if (asn == 0 || !rt_cidr_parse(network, &cidr) || !rt_cidr_contains(&cidr, ip))
		return;
	if (origin->asn == 0 || cidr.prefix > origin->prefix)
		*origin = (struct origin){asn, network, cidr.prefix};
}

static struct origin read_origin(
	struct rt_ctx *ctx, const struct eds_dns_answer *answer, const struct rt_ip *ip)
{
	struct origin origin = {0};

	for (size_t i = 0; i < answer->count; i++)
		take_origin(ctx, &answer->records[i], ip, &origin);
	return origin;
}

/* Replaces all characters except printable ASCII: the store accepts only UTF-8, and names of
 * operators should be ASCII. */
static const char *printable(char *text)
{
	for (char *c = text; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return text;
}

static const char *read_name(struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	const char *at;
	char *name;

	if (answer->count == 0)
		return "";
	at = rt_memdup(ctx, answer->records[0].txt, answer->records[0].txt_length);
	do
		name = next_field(ctx, &at);
	while (at != NULL);
	return printable(name);
}

static void ask_name(void *arg, const struct eds_dns_answer *answer)
{
	const struct asking *asking = arg;
	struct origin origin = read_origin(asking->ctx, answer, &asking->ip);

	if (origin.asn > 0)
		eds_dns_start_own(asking->dns, as_name(asking->ctx, origin.asn), EDS_DNS_TXT);
}

void report_network_start(struct rt_ctx *ctx, struct eds_dns *dns, const struct rt_ip *ip)
{
	struct asking *asking;

	if (*rt_config()->asn_zone == '\0')
		return;
	asking = rt_alloc(ctx, sizeof *asking);
	*asking = (struct asking){ctx, dns, *ip};
	eds_dns_start_own(dns, origin_name(ctx, ip), EDS_DNS_TXT);
	eds_dns_when(dns, origin_name(ctx, ip), EDS_DNS_TXT, ask_name, asking);
}

static const struct eds_dns_answer *settled(struct eds_dns *dns, const char *name, bool *is_open)
{
	const struct eds_dns_answer *answer = eds_dns_peek(dns, name, EDS_DNS_TXT);

	if (answer != NULL && answer->state != EDS_DNS_TEMPORARY)
		return answer;
	*is_open = true;
	return NULL;
}

void report_network_read(struct rt_ctx *ctx, struct eds_dns *dns, const struct rt_ip *ip,
	struct eds_report_source *source, bool *is_open)
{
	const struct eds_dns_answer *answer;
	struct origin origin;

	if (*rt_config()->asn_zone == '\0')
		return;
	answer = settled(dns, origin_name(ctx, ip), is_open);
	if (answer == NULL)
		return;
	origin = read_origin(ctx, answer, ip);
	source->asn = origin.asn;
	source->network = origin.asn > 0 ? origin.network : "";
	source->as_name = "";
	if (origin.asn == 0)
		return;
	answer = settled(dns, as_name(ctx, origin.asn), is_open);
	if (answer != NULL)
		source->as_name = read_name(ctx, answer);
}
