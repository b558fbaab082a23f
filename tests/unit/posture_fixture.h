/* Code shared by the tests of a look at a domain: a zone without faults, and looks at zones. */
#ifndef POSTURE_FIXTURE_H
#define POSTURE_FIXTURE_H

#include "tests/support/test-event.h"

#include "functions/lib/posture/names.h"
#include "functions/lib/posture/posture-json.h"
#include "functions/lib/posture/posture.h"
#include "runtime/config/config.h"
#include "tests/support/dns-table.h"

/* A domain without faults. */
#define ZONE                                                                                       \
	"example.com NS ns1.example.com\nexample.com NS ns2.example.com\n"                         \
	"ns1.example.com A 1.1.1.53\nns2.example.com AAAA 2a00::53\n"
#define MX "example.com MX 10 mx.example.com\nmx.example.com A 1.1.1.1\n"
#define SPF "example.com TXT v=spf1 mx -all\n"
#define DMARC "_dmarc.example.com TXT v=DMARC1; p=reject; rua=mailto:d@example.com\n"
#define STS "_mta-sts.example.com TXT v=STSv1; id=a1\nmta-sts.example.com A 1.1.1.2\n"
#define RPT "_smtp._tls.example.com TXT v=TLSRPTv1; rua=mailto:t@example.com\n"

#define IN_ORDER ZONE MX SPF DMARC STS RPT

static struct eds_posture *posture; /* the findings of the latest look */

static inline void ask(const struct eds_posture_question *question, const char *zone)
{
	struct eds_dns *dns;

	dns_table(zone);
	assert_int_equal(eds_dns_open(&test_event, &dns), RT_OK);
	posture = rt_alloc(&test_event, sizeof *posture);
	eds_posture_look(&test_event, dns, question, posture);
	assert_true(eds_dns_query_count(dns) <= 200);
}

static inline void look(const char *zone)
{
	struct eds_posture_question question = {.domain = "example.com", .authority = "ca.example"};

	ask(&question, zone);
}

/* The question for a domain that is registered here. */
static inline void look_as_own(const char *zone)
{
	struct eds_posture_question question = {.domain = "example.com",
		.authority = "ca.example",
		.report_address = "r@reports.example",
		.hosted = true};

	ask(&question, zone);
}

static inline const struct eds_posture_finding *find(
	enum eds_posture_subject subject, const char *code)
{
	const struct eds_posture_item *item = &posture->items[subject];

	for (size_t i = 0; i < item->count; i++)
		if (strcmp(item->findings[i].code, code) == 0)
			return &item->findings[i];
	return NULL;
}

static inline void assert_found(
	enum eds_posture_subject subject, const char *code, enum eds_posture_state state)
{
	const struct eds_posture_finding *finding = find(subject, code);

	if (finding == NULL)
		fail_msg("%s has no %s", eds_posture_subject_name(subject), code);
	assert_string_equal(eds_posture_state_name(finding->state), eds_posture_state_name(state));
	assert_true(finding->message[0] != '\0');
	assert_true(posture->items[subject].state >= state);
	assert_true(posture->state >= state);
}

static inline void assert_record(enum eds_posture_subject subject, const char *code,
	const char *name, const char *old, const char *value)
{
	const struct eds_posture_finding *finding = find(subject, code);

	assert_non_null(finding);
	assert_string_equal(finding->record.name, name);
	assert_string_equal(finding->record.value, value);
	if (old != NULL)
		assert_string_equal(finding->record.old, old);
	else
		assert_null(finding->record.old);
}

#endif
