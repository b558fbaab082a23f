/* XML of DMARC aggregate reports: valid, repaired and refused documents. */
#include "tests/unit/reports_fixture.h"

static void a_report_is_read(void **state)
{
	const struct eds_report *report = read_text(XML_REPORT);

	(void)state;
	assert_read(report);
	assert_int_equal(report->kind, EDS_REPORT_DMARC);
	assert_string_equal(report->org, "Reporter");
	assert_string_equal(report->email, "r@reporter.example");
	assert_string_equal(report->report_id, "r-1");
	assert_string_equal(report->domain, "sender.example");
	assert_int_equal(report->begin_s, 1767225600);
	assert_int_equal(report->end_s, 1767311999);
	assert_string_equal(report->policy.adkim, "r");
	assert_string_equal(report->policy.aspf, "s");
	assert_string_equal(report->policy.p, "reject");
	assert_string_equal(report->policy.sp, "none");
	assert_int_equal(report->policy.pct, 50);
	assert_false(report->repaired);
	assert_int_equal(found_count, 1);
}

static void records_and_signatures_are_read(void **state)
{
	const struct eds_report *report = read_text(XML_REPORT);
	char source[RT_IP_TEXT_MAX];

	(void)state;
	assert_int_equal(report->records, 1);
	assert_int_equal(report->messages, 3);
	assert_int_equal(report->row_count, 1);
	rt_ip_format(&report->rows[0].source, source);
	assert_string_equal(source, "192.0.2.1");
	assert_int_equal(report->rows[0].disposition, EDS_DISPOSITION_NONE);
	assert_int_equal(report->rows[0].dkim, EDS_ALIGNMENT_PASS);
	assert_int_equal(report->rows[0].spf, EDS_ALIGNMENT_FAIL);
	assert_int_equal(report->signature_count, 1);
	assert_string_equal(report->signatures[0].domain, "sender.example");
	assert_string_equal(report->signatures[0].selector, "s1");
	assert_int_equal(report->signatures[0].results[EDS_DKIM_RESULT_PASS], 1);
	assert_int_equal(report->signatures[0].messages, 3);
	assert_int_equal(report->signatures[0].passed, 3);
}

static void elements_are_recognized_without_their_prefix(void **state)
{
	const struct eds_report *report = read_text(
		"<d:feedback xmlns:d=\"urn:ietf:params:xml:ns:dmarc-2.0\"><d:policy_published>"
		"<d:domain>Sender.Example.</d:domain><d:np>reject</d:np><d:testing>y</d:testing>"
		"</d:policy_published></d:feedback>");

	(void)state;
	assert_read(report);
	assert_string_equal(report->domain, "sender.example");
	assert_string_equal(report->policy.np, "reject");
	assert_string_equal(report->policy.testing, "y");
	assert_int_equal(report->policy.pct, -1);
}

static void senseless_values_count_as_unknown(void **state)
{
	const struct eds_report *report = read_text(
		"<feedback><report_metadata><date_range><begin>soon</begin><end>-1</end>"
		"</date_range></report_metadata><policy_published><domain>a.example</domain>"
		"<pct>101</pct></policy_published><record><row><source_ip>nowhere</source_ip>"
		"<count>many</count><policy_evaluated><disposition>eaten</disposition>"
		"</policy_evaluated></row><auth_results><dkim><result>perhaps</result></dkim>"
		"</auth_results></record></feedback>");

	(void)state;
	assert_read(report);
	assert_int_equal(report->begin_s, 0);
	assert_int_equal(report->end_s, 0);
	assert_int_equal(report->policy.pct, -1);
	assert_int_equal(report->messages, 0);
	assert_int_equal(report->rows[0].source.family, 0);
	assert_int_equal(report->rows[0].disposition, EDS_DISPOSITION_UNKNOWN);
	assert_int_equal(report->rows[0].dkim, EDS_ALIGNMENT_UNKNOWN);
	assert_int_equal(report->signatures[0].results[EDS_DKIM_RESULT_OTHER], 1);
	assert_string_equal(report->signatures[0].selector, "");
}

static void words_in_capitals_count(void **state)
{
	const struct eds_report *report = read_text(
		"<feedback><policy_published><domain>a.example</domain></policy_published><record>"
		"<row><policy_evaluated><disposition>None</disposition><dkim>Pass</dkim>"
		"<spf>FAIL</spf></policy_evaluated></row><auth_results><dkim><result>PASS</result>"
		"</dkim></auth_results></record></feedback>");

	(void)state;
	assert_read(report);
	assert_int_equal(report->rows[0].disposition, EDS_DISPOSITION_NONE);
	assert_int_equal(report->rows[0].dkim, EDS_ALIGNMENT_PASS);
	assert_int_equal(report->rows[0].spf, EDS_ALIGNMENT_FAIL);
	assert_int_equal(report->signatures[0].results[EDS_DKIM_RESULT_PASS], 1);
}

static void a_record_has_no_value_of_the_record_before(void **state)
{
	const struct eds_report *report = read_text(
		XML_HEAD XML_RECORD "<record><row></row></record>" XML_TAIL);

	(void)state;
	assert_read(report);
	assert_int_equal(report->records, 2);
	assert_int_equal(report->messages, 3);
	assert_int_equal(report->row_count, 2);
	assert_int_equal(report->rows[1].messages, 0);
	assert_int_equal(report->rows[1].source.family, 0);
	assert_int_equal(report->rows[1].disposition, EDS_DISPOSITION_UNKNOWN);
	assert_int_equal(report->rows[1].dkim, EDS_ALIGNMENT_UNKNOWN);
	assert_int_equal(report->rows[1].spf, EDS_ALIGNMENT_UNKNOWN);
}

static void the_first_of_several_values_of_a_policy_counts(void **state)
{
	const struct eds_report *report = read_text(
		"<feedback><policy_published><domain>a.example</domain><adkim>r</adkim>"
		"<adkim>s</adkim><aspf></aspf><aspf>s</aspf><p>none</p><p>reject</p>"
		"</policy_published></feedback>");

	(void)state;
	assert_read(report);
	assert_string_equal(report->policy.adkim, "r");
	assert_string_equal(report->policy.aspf, "s");
	assert_string_equal(report->policy.p, "none");
}

static void elements_in_the_wrong_place_are_ignored(void **state)
{
	const struct eds_report *report = read_text(
		"<feedback><domain>x.example</domain><policy_published><domain>a.example<p>none</p>"
		"</domain></policy_published><row><count>7</count></row><record><selector>s9"
		"</selector></record></feedback>");

	(void)state;
	/* the domain has an element <p> inside it, so its text does not count */
	assert_fault(report, "report-no-domain");
	assert_int_equal(report->messages, 0);
}

static void a_report_without_a_domain_is_refused(void **state)
{
	(void)state;
	assert_fault(read_text("<feedback><record/></feedback>"), "report-no-domain");
}

static void a_report_within_other_xml_is_found(void **state)
{
	(void)state;
	assert_read(read_text(
		"<?xml version=\"1.0\"?><xs:schema><x>1</x><feedback><policy_published><domain>"
		"a.example</domain></policy_published></feedback>"));
}

static void raw_ampersands_are_repaired(void **state)
{
	const struct eds_report *report = read_text(
		"<feedback><report_metadata><org_name>A & B &amp; C &nbsp; &#68; &#x45;"
		"</org_name><email><![CDATA[x&y]]></email></report_metadata><policy_published>"
		"<domain>a.example</domain></policy_published></feedback>&");

	(void)state;
	assert_read(report);
	assert_string_equal(report->org, "A & B & C &nbsp; D E");
	assert_string_equal(report->email, "x&y");
	assert_true(report->repaired);
}

static void octets_that_are_not_utf8_are_repaired(void **state)
{
	const struct eds_report *report = read_text(
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?><feedback><report_metadata><org_name>"
		"Soci\xe9t\xe9 \xc3\xa9 \xef\xbf\xbf</org_name></report_metadata>"
		"<policy_published><domain>a.example</domain></policy_published></feedback>");

	(void)state;
	assert_read(report);
	assert_string_equal(report->org,
		"Soci\xef\xbf\xbdt\xef\xbf\xbd \xc3\xa9 "
		"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	assert_true(report->repaired);
}

static void latin1_is_read_as_declared(void **state)
{
	const struct eds_report *report = read_text(
		"<?xml version='1.0' encoding = 'ISO-8859-1' ?><feedback><report_metadata>"
		"<org_name>Soci\xe9t\xe9</org_name></report_metadata><policy_published>"
		"<domain>a.example</domain></policy_published></feedback>");

	(void)state;
	assert_read(report);
	assert_string_equal(report->org, "Soci\xc3\xa9t\xc3\xa9");
	assert_false(report->repaired);
}

/* The text in UTF-16, with the least significant octet first, or the most significant one if big is
 * set. */
static struct bytes utf16(const char *text, const char *mark, bool big)
{
	char *room = made_room();
	size_t length = strlen(mark);

	memcpy(room, mark, length);
	for (; *text != '\0'; text++) {
		room[length++] = big ? '\0' : *text;
		room[length++] = big ? *text : '\0';
	}
	return (struct bytes){.at = room, .length = length};
}

static void utf16_is_read(void **state)
{
	static const char xml[] = "<feedback><policy_published><domain>a.example</domain>"
				  "</policy_published></feedback>";

	(void)state;
	assert_read(read_made(utf16(xml, "\xff\xfe", false)));
	assert_read(read_made(utf16(xml, "\xfe\xff", true)));
	assert_read(read_made(utf16(xml, "", false)));
	assert_read(read_made(utf16(xml, "", true)));
	assert_int_equal(found_count, 4);
	for (size_t i = 0; i < found_count; i++)
		assert_string_equal(found[i].domain, "a.example");
}

static void text_wrongly_declared_as_utf16_is_read(void **state)
{
	(void)state;
	assert_read(read_text(
		"\xef\xbb\xbf \r\n<?xml version=\"1.0\" encoding=\"UTF-16\"?><feedback>"
		"<policy_published><domain>a.example</domain></policy_published></feedback>"));
}

static void other_encodings_are_refused(void **state)
{
	(void)state;
	assert_fault(read_bytes("\xff\xfe\0\0<\0\0\0", 8), "report-encoding");
	assert_fault(read_bytes("\0\0\xfe\xff\0\0\0<", 8), "report-encoding");
	assert_fault(read_bytes("\0\0\0<\0\0\0f", 8), "report-encoding");
	assert_fault(read_bytes("<\0\0\0f\0\0\0", 8), "report-encoding");
	assert_fault(read_bytes("Lo\xa7\x94\x93", 5), "report-encoding");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_report_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(records_and_signatures_are_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			elements_are_recognized_without_their_prefix, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			senseless_values_count_as_unknown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(words_in_capitals_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_record_has_no_value_of_the_record_before, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_first_of_several_values_of_a_policy_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			elements_in_the_wrong_place_are_ignored, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_report_without_a_domain_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_report_within_other_xml_is_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(raw_ampersands_are_repaired, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			octets_that_are_not_utf8_are_repaired, set_up, tear_down),
		cmocka_unit_test_setup_teardown(latin1_is_read_as_declared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(utf16_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			text_wrongly_declared_as_utf16_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_encodings_are_refused, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
