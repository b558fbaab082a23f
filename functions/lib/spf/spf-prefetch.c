#include <string.h>

#include "functions/lib/spf/spf-prefetch.h"
#include "functions/lib/spf/spf-record.h"

/* The maximum number of mail servers whose addresses are asked for in advance. */
enum { EXCHANGES_MAX = 10 };

/* The state of one prefetch, with the numbers of terms and of mail servers whose names it has asked
 * for. All records that it reads share these counts. */
struct prefetch {
	struct rt_ctx *ctx;
	struct eds_dns *dns;
	unsigned names;
	unsigned exchanges;
};

/* The argument of record_arrived(): the domain whose SPF record was asked for. It is the default
 * target of the record's terms a and mx. */
struct arrival {
	struct prefetch *prefetch;
	const char *domain;
};

static void start_addresses(struct eds_dns *dns, const char *name)
{
	eds_dns_start(dns, name, EDS_DNS_A);
	eds_dns_start(dns, name, EDS_DNS_AAAA);
}

static void exchanges_arrived(void *arg, const struct eds_dns_answer *answer)
{
	struct prefetch *prefetch = arg;

	/* more exchanges are an error (RFC 7208 section 4.6.4); their addresses are not needed */
	if (answer->state != EDS_DNS_FOUND || answer->count > EXCHANGES_MAX)
		return;
	for (size_t i = 0; i < answer->count && prefetch->exchanges < EXCHANGES_MAX; i++) {
		if (answer->records[i].name[0] == '\0')
			continue;
		start_addresses(prefetch->dns, answer->records[i].name);
		prefetch->exchanges++;
	}
}

static void start_record(struct prefetch *prefetch, const char *domain);

static void start_term(
	struct prefetch *prefetch, const struct eds_spf_term *term, const char *domain)
{
	const char *name = term->target[0] != '\0' ? term->target : domain;

	/* what a ptr term or a name with macros asks for depends on the message */
	if (!eds_spf_term_counts(term) || term->kind == EDS_SPF_PTR || term->macros ||
		prefetch->names == EDS_SPF_TERMS_MAX)
		return;
	prefetch->names++;
	switch (term->kind) {
	case EDS_SPF_INCLUDE:
	case EDS_SPF_REDIRECT:
		start_record(prefetch, name);
		break;
	case EDS_SPF_A:
		start_addresses(prefetch->dns, name);
		break;
	case EDS_SPF_MX:
		eds_dns_when(prefetch->dns, name, EDS_DNS_MX, exchanges_arrived, prefetch);
		break;
	default: /* exists */
		eds_dns_start(prefetch->dns, name, EDS_DNS_A);
		break;
	}
}

static void record_arrived(void *arg, const struct eds_dns_answer *answer)
{
	const struct arrival *arrival = arg;
	struct prefetch *prefetch = arrival->prefetch;
	const struct eds_dns_record *found;
	struct eds_spf_record record;

	if (eds_spf_choose(answer, &found) != EDS_SPF_CHOICE_ONE ||
		found->txt_length > EDS_SPF_RECORD_MAX ||
		!eds_spf_record_parse(prefetch->ctx, found->txt, found->txt_length, &record))
		return;
	/* terms after the term "all" are never evaluated */
	for (size_t i = 0; i < record.count && record.terms[i].kind != EDS_SPF_ALL; i++)
		start_term(prefetch, &record.terms[i], arrival->domain);
}

static void start_record(struct prefetch *prefetch, const char *domain)
{
	struct arrival *arrival = rt_alloc(prefetch->ctx, sizeof *arrival);

	arrival->prefetch = prefetch;
	arrival->domain = domain;
	eds_dns_when(prefetch->dns, domain, EDS_DNS_TXT, record_arrived, arrival);
}

void eds_spf_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain)
{
	struct prefetch *prefetch = rt_alloc(ctx, sizeof *prefetch);

	prefetch->ctx = ctx;
	prefetch->dns = dns;
	start_record(prefetch, rt_strdup(ctx, domain));
}
