/* Code shared by the tests of DMARC: a message, its DNS records, and DMARC's result for it. */
#ifndef DMARC_FIXTURE_H
#define DMARC_FIXTURE_H

#include "functions/lib/dmarc/dmarc.h"
#include "functions/lib/dmarc/evaluate.h"
#include "tests/support/dns-table.h"
#include "tests/support/test-event.h"

/* One message: its From domain, the domains that passed, and its DNS records. */
struct message {
	const char *from;
	const char *spf;  /* the domain for which SPF passed; NULL for none */
	const char *dkim; /* d= of the one valid signature; NULL for none */
	const char *zone;
};

static inline struct eds_spf_result spf_of(enum eds_spf_code code, const char *domain)
{
	return (struct eds_spf_result){.code = code, .domain = domain};
}

static inline struct eds_dkim_result signed_by(enum eds_dkim_state state, const char *domain)
{
	return (struct eds_dkim_result){.count = 1,
		.total = 1,
		.failure = "",
		.signatures[0] = {.state = state, .domain = domain}};
}

static inline struct eds_dmarc_result evaluate(const char *zone, const char *from_value,
	const struct eds_spf_result *spf, const struct eds_dkim_result *dkim)
{
	struct eds_dmarc_result result;
	struct eds_from from;
	struct eds_dns *dns;

	dns_table(zone);
	assert_int_equal(eds_dns_open(&test_event, &dns), RT_OK);
	eds_from_parse(&test_event, from_value, strlen(from_value), &from);
	eds_dmarc_evaluate(&test_event, dns, &from, spf, dkim, &result);
	eds_dmarc_look_for_author(dns, &from, &result);
	return result;
}

static inline struct eds_dmarc_result judge(const struct message *m)
{
	struct eds_spf_result spf = spf_of(
		m->spf ? EDS_SPF_PASS : EDS_SPF_NONE, m->spf ? m->spf : "");
	struct eds_dkim_result dkim = signed_by(EDS_DKIM_VALID, m->dkim);

	dkim.count = dkim.total = m->dkim != NULL;
	return evaluate(m->zone, rt_printf(&test_event, "a@%s", m->from), &spf, &dkim);
}

#define EXAMPLE "_dmarc.example.com TXT v=DMARC1; p=reject; sp=quarantine\n"

#endif
