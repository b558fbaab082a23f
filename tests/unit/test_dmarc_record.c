#include "functions/lib/dmarc/dmarc.h"
#include "functions/lib/dmarc/record.h"
#include "tests/support/test-event.h"

#define NONE EDS_DMARC_P_NONE
#define QUARANTINE EDS_DMARC_P_QUARANTINE
#define REJECT EDS_DMARC_P_REJECT
#define RUA "rua=mailto:d@example.com"

static bool parse(const char *text, struct eds_dmarc_record *record)
{
	size_t length = strlen(text);

	return eds_dmarc_record_parse(
		&test_event, rt_memdup(&test_event, text, length), length, record);
}

static void policies_are_read(void **state)
{
	static const struct {
		const char *text;
		enum eds_dmarc_policy p, sp, np;
	} cases[] = {
		{"v=DMARC1; p=none", NONE, NONE, NONE},
		{"v=DMARC1; p=quarantine", QUARANTINE, QUARANTINE, QUARANTINE},
		{"v=DMARC1; p=reject", REJECT, REJECT, REJECT},
		{"v=DMARC1; p=reject; sp=none", REJECT, NONE, NONE},
		{"v=DMARC1; p=reject; np=quarantine", REJECT, REJECT, QUARANTINE},
		{"v=DMARC1; p=none; sp=quarantine; np=reject", NONE, QUARANTINE, REJECT},
		{"v=DMARC1; np=reject; sp=quarantine; p=none", NONE, QUARANTINE, REJECT},
		{"v=DMARC1;p=reject;", REJECT, REJECT, REJECT},
		{"v=DMARC1 ; p = reject ; ", REJECT, REJECT, REJECT},
		{"v = DMARC1;\tp\t=\treject", REJECT, REJECT, REJECT},
		{"V=DMARC1; P=REJECT", REJECT, REJECT, REJECT},
		{"v=DMARC1; p=Quarantine;;", QUARANTINE, QUARANTINE, QUARANTINE},
		{"v=DMARC1;;; p=reject", REJECT, REJECT, REJECT},
		{"v=DMARC1; p=reject; x=y", REJECT, REJECT, REJECT},
		{"v=DMARC1; junk; p=reject", REJECT, REJECT, REJECT},
		{"v=DMARC1; =x; p=reject", REJECT, REJECT, REJECT},
		{"v=DMARC1; p=none; p=reject", NONE, NONE, NONE},
		{"v=DMARC1; p=reject; v=DMARC2", REJECT, REJECT, REJECT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_dmarc_record record;

		if (!parse(cases[i].text, &record))
			fail_msg("%s was not read", cases[i].text);
		if (record.p != cases[i].p || record.sp != cases[i].sp || record.np != cases[i].np)
			fail_msg("%s gave %d %d %d", cases[i].text, record.p, record.sp, record.np);
	}
}

static void text_that_does_not_begin_with_the_version_is_not_a_record(void **state)
{
	static const char *const cases[] = {
		"",
		" ",
		";",
		"v",
		"v=",
		"v=DMARC",
		"v=dmarc1; p=reject",
		"v=Dmarc1; p=reject",
		"v=DMARC2; p=reject",
		"v=DMARC11; p=reject",
		"v=DMARC1 p=reject",
		"v=DMARC1, p=reject",
		"v=\"DMARC1\"; p=reject",
		"\"v=DMARC1; p=reject\"",
		" v=DMARC1; p=reject",
		"; v=DMARC1; p=reject",
		"p=reject; v=DMARC1",
		"vv=DMARC1; p=reject",
		"DMARC1; p=reject",
		"v:DMARC1; p=reject",
		"v=spf1 -all",
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_dmarc_record record;

		if (parse(cases[i], &record))
			fail_msg("%s was read", cases[i]);
	}
}

static void a_record_without_a_valid_policy_counts_as_p_none_or_not_at_all(void **state)
{
	static const struct {
		const char *text;
		bool usable;
	} cases[] = {
		{"v=DMARC1", false},
		{"v=DMARC1;", false},
		{"v=DMARC1; " RUA, true},
		{"v=DMARC1; p=", false},
		{"v=DMARC1; p=; " RUA, true},
		{"v=DMARC1; p=rejected", false},
		{"v=DMARC1; p=rejected; " RUA, true},
		{"v=DMARC1; p=reject none; " RUA, true},
		{"v=DMARC1; p=reject; sp=x", false},
		{"v=DMARC1; p=reject; sp=x; " RUA, true},
		{"v=DMARC1; p=reject; sp=; " RUA, true},
		{"v=DMARC1; p=reject; np=x", false},
		{"v=DMARC1; p=reject; np=x; " RUA, true},
		{"v=DMARC1; p=reject; sp=quarantine; np=\x01; " RUA, true},
		{"v=DMARC1; sp=reject; " RUA, true},
		{"v=DMARC1; p=x; rua=", false},
		{"v=DMARC1; p=x; rua=d@example.com", false},
		{"v=DMARC1; p=x; rua=mailto:", false},
		{"v=DMARC1; p=x; rua=mailto:d", false},
		{"v=DMARC1; p=x; rua=mailto:@example.com", false},
		{"v=DMARC1; p=x; rua=mailto:d@", false},
		{"v=DMARC1; p=x; rua=mailto:d@exa mple.com", false},
		{"v=DMARC1; p=x; rua=mailto:d@-x", false},
		{"v=DMARC1; p=x; rua=,,", false},
		{"v=DMARC1; p=x; rua=,junk, mailto:d@example.com ,", true},
		{"v=DMARC1; p=x; rua=MAILTO:d@example.com", true},
		{"v=DMARC1; p=x; rua=mailto:d@example.com!10m", true},
		{"v=DMARC1; p=x; rua=mailto:d@example.com?subject=x", true},
		{"v=DMARC1; p=x; rua=https://example.com/dmarc", true},
		{"v=DMARC1; p=x; rua=://example.com", false},
		{"v=DMARC1; p=x; rua=1https://example.com", false},
		{"v=DMARC1; p=x; rua=https:", false},
		{"v=DMARC1; p=x; rua=https://<example>", false},
		{"v=DMARC1; p=x; ruf=mailto:d@example.com", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_dmarc_record record;

		if (parse(cases[i].text, &record) != cases[i].usable)
			fail_msg("%s: %s", cases[i].text, cases[i].usable ? "not read" : "read");
		assert_int_equal(record.p, NONE);
		assert_int_equal(record.sp, NONE);
		assert_int_equal(record.np, NONE);
		assert_int_not_equal(record.warnings.count, 0);
	}
}

static void wrong_modes_and_flags_count_as_their_defaults(void **state)
{
	static const struct {
		const char *text;
		bool dkim, spf, testing;
		enum eds_dmarc_psd psd;
		bool warned;
	} cases[] = {
		{"v=DMARC1; p=none", false, false, false, EDS_DMARC_PSD_UNKNOWN, false},
		{"v=DMARC1; p=none; adkim=s", true, false, false, EDS_DMARC_PSD_UNKNOWN, false},
		{"v=DMARC1; p=none; adkim=S; aspf=s", true, true, false, EDS_DMARC_PSD_UNKNOWN,
			false},
		{"v=DMARC1; p=none; adkim=r; aspf=r", false, false, false, EDS_DMARC_PSD_UNKNOWN,
			false},
		{"v=DMARC1; p=none; adkim=strict", false, false, false, EDS_DMARC_PSD_UNKNOWN,
			true},
		{"v=DMARC1; p=none; aspf=", false, false, false, EDS_DMARC_PSD_UNKNOWN, true},
		{"v=DMARC1; p=none; t=y", false, false, true, EDS_DMARC_PSD_UNKNOWN, false},
		{"v=DMARC1; p=none; T=Y", false, false, true, EDS_DMARC_PSD_UNKNOWN, false},
		{"v=DMARC1; p=none; t=n", false, false, false, EDS_DMARC_PSD_UNKNOWN, false},
		{"v=DMARC1; p=none; t=yes", false, false, false, EDS_DMARC_PSD_UNKNOWN, true},
		{"v=DMARC1; p=none; psd=y", false, false, false, EDS_DMARC_PSD_YES, false},
		{"v=DMARC1; p=none; psd=n", false, false, false, EDS_DMARC_PSD_NO, false},
		{"v=DMARC1; p=none; psd=u", false, false, false, EDS_DMARC_PSD_UNKNOWN, false},
		{"v=DMARC1; p=none; psd=1", false, false, false, EDS_DMARC_PSD_UNKNOWN, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_dmarc_record record;

		assert_true(parse(cases[i].text, &record));
		if (record.strict_dkim != cases[i].dkim || record.strict_spf != cases[i].spf ||
			record.testing != cases[i].testing || record.psd != cases[i].psd ||
			eds_finding_has(&record.warnings, "dmarc-tag-invalid") != cases[i].warned)
			fail_msg("%s", cases[i].text);
	}
}

static void oddities_give_warnings(void **state)
{
	static const struct {
		const char *text;
		const char *code; /* NULL: no warning at all */
	} cases[] = {
		{"v=DMARC1; p=none; " RUA, NULL},
		{"v=DMARC1; p=none; fo=1", NULL},
		{"v=DMARC1; p=none; fo=0:d:s", NULL},
		{"v=DMARC1; p=none; fo=2", "dmarc-tag-invalid"},
		{"v=DMARC1; p=none; fo=", "dmarc-tag-invalid"},
		{"v=DMARC1; p=none; fo=:1", "dmarc-tag-invalid"},
		{"v=DMARC1; p=none; pct=50", "dmarc-tag-removed"},
		{"v=DMARC1; p=none; pct=100", "dmarc-tag-historic"},
		{"v=DMARC1; p=none; rf=afrf", "dmarc-tag-historic"},
		{"v=DMARC1; p=none; RI=86400", "dmarc-tag-historic"},
		{"v=DMARC1; p=none; foo=bar", "dmarc-tag-unknown"},
		{"v=DMARC1; p=none; p2=x", "dmarc-tag-unknown"},
		{"v=DMARC1; p=none; p=none", "dmarc-tag-repeated"},
		{"v=DMARC1; p=none; rua=mailto:a@b.example; " RUA, "dmarc-tag-repeated"},
		{"v=DMARC1; p=none junk", "dmarc-tag-invalid"},
		{"v=DMARC1; junk; p=none", "dmarc-tag-syntax"},
		{"v=DMARC1; " RUA, "dmarc-policy-missing"},
		{"v=DMARC1; p=none; rua=mailto:a@b.example!5m", "dmarc-uri-size"},
		{"v=DMARC1; p=none; rua=https://b.example/", "dmarc-uri-scheme"},
		{"v=DMARC1; p=none; rua=a@b.example", "dmarc-uri-invalid"},
		{"v=DMARC1; p=none; ruf=a@b.example", "dmarc-uri-invalid"},
		{"v=DMARC1; p=none; ruf=", "dmarc-tag-invalid"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_dmarc_record record;

		parse(cases[i].text, &record);
		if (cases[i].code ? !eds_finding_has(&record.warnings, cases[i].code)
				  : record.warnings.count > 0)
			fail_msg("%s: %zu warnings, the first %s", cases[i].text,
				record.warnings.count,
				record.warnings.count ? record.warnings.items[0].code : "");
	}
}

static void a_record_shows_whether_reports_are_wanted(void **state)
{
	struct eds_dmarc_record record;

	(void)state;
	assert_true(parse("v=DMARC1; p=none; " RUA, &record));
	assert_true(record.has_rua);
	assert_true(parse("v=DMARC1; p=none; rua=junk", &record));
	assert_false(record.has_rua);
	assert_true(parse("v=DMARC1; p=none", &record));
	assert_false(record.has_rua);
}

static void octets_of_any_kind_do_no_harm(void **state)
{
	static const char value[] = "v=DMARC1; p=reject\0; sp=none";
	static const char tag[] = "v=DMARC1; p=reject; \0\xff\x80=\0";
	struct eds_dmarc_record record;

	(void)state;
	assert_false(eds_dmarc_record_parse(&test_event, value, sizeof value - 1, &record));
	assert_true(eds_dmarc_record_parse(&test_event, tag, sizeof tag - 1, &record));
	assert_int_equal(record.p, REJECT);
	assert_string_equal(record.warnings.items[0].message,
		"The tag ??"
		"?= is unknown and has no effect; correct its name, or remove it.");
}

static void each_warning_has_advice(void **state)
{
	static const struct {
		const char *text;
		const char *message;
	} cases[] = {
		{"v=DMARC1; p=none; ri=86400",
			"The tag ri= is no longer part of DMARC and has no effect (RFC 9989); "
			"it may be removed."},
		{"v=DMARC1; p=none; pp=x",
			"The tag pp= is unknown and has no effect; correct its name, or remove it."},
		{"v=DMARC1; p=none; adkim=s; adkim=r",
			"The tag adkim= occurs several times; the first counts here, but receivers "
			"differ. Keep one."},
		{"v=DMARC1; p=none; junk",
			"\"junk\" does not have the form tag=value; write it in this form, with a "
			"semicolon before and after it."},
		{"v=DMARC1; p=none; adkim=x",
			"The value \"x\" of the tag adkim= is not valid; correct it, or remove the "
			"tag."},
		{"v=DMARC1; " RUA,
			"The record has no p= tag; add p=none, p=quarantine or p=reject."},
		{"v=DMARC1; p=none; rua=https://a.example",
			"A report address is not a mailto: URI; name a mailbox, as reports are only "
			"sent by mail."},
		{"v=DMARC1; p=none; rua=mailto:nobody",
			"A report address has no valid mail address after mailto:; correct it."},
		{"v=DMARC1; p=none; rua=mailto:a@b.example!10m",
			"The size limit after \"!\" in a report address is no longer part of "
			"DMARC; remove it."},
	};
	struct eds_dmarc_record record;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		parse(cases[i].text, &record);
		assert_true(record.warnings.count > 0);
		assert_string_equal(record.warnings.items[0].message, cases[i].message);
	}
}

static void a_record_over_4096_octets_is_refused(void **state)
{
	char *text = rt_alloc(&test_event, 5000);
	struct eds_dmarc_record record;

	(void)state;
	memset(text, ';', 4999);
	memcpy(text, "v=DMARC1; p=reject", 18);
	assert_true(eds_dmarc_record_parse(&test_event, text, 4096, &record));
	assert_false(eds_dmarc_record_parse(&test_event, text, 4097, &record));
}

static void a_flood_of_odd_tags_fills_the_findings_to_their_limit(void **state)
{
	char *text = rt_alloc(&test_event, 4097);
	struct eds_dmarc_record record;

	(void)state;
	for (size_t i = 0; i < 1024; i++)
		memcpy(text + 4 * i, "a=b;", 4);
	memcpy(text, "v=DMARC1;p=none;", 16);
	assert_true(eds_dmarc_record_parse(&test_event, text, 4096, &record));
	assert_int_equal(record.warnings.count, 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(policies_are_read),
		TEST(text_that_does_not_begin_with_the_version_is_not_a_record),
		TEST(a_record_without_a_valid_policy_counts_as_p_none_or_not_at_all),
		TEST(wrong_modes_and_flags_count_as_their_defaults),
		TEST(oddities_give_warnings),
		TEST(a_record_shows_whether_reports_are_wanted),
		TEST(each_warning_has_advice),
		TEST(octets_of_any_kind_do_no_harm),
		TEST(a_record_over_4096_octets_is_refused),
		TEST(a_flood_of_odd_tags_fills_the_findings_to_their_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
