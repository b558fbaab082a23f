/* The rows of a DMARC report (RFC 9990, RFC 7489 appendix C): all their members are kept, only the
 * heaviest of very many rows, and each row has its class. */
#include "functions/lib/reports/rows-wire.h"
#include "tests/unit/reports_fixture.h"

#define RECORD(row, reasons, from, auth)                                                           \
	"<record><row>" row "<policy_evaluated><disposition>none</disposition>" reasons            \
	"</policy_evaluated></row><identifiers>" from "</identifiers><auth_results>" auth          \
	"</auth_results></record>"
#define ROW "<source_ip>192.0.2.1</source_ip><count>3</count>"
#define ALIGNED(dkim, spf) "<dkim>" dkim "</dkim><spf>" spf "</spf>"
#define FROM "<header_from>sender.example</header_from>"
#define SPF(domain, result) "<spf><domain>" domain "</domain><result>" result "</result></spf>"

static void everything_in_a_record_is_kept(void **state)
{
	const struct eds_report *report = read_text(XML_HEAD RECORD(ROW,
		ALIGNED("fail", "fail") "<reason><type>mailing_list</type><comment>by "
					"arc</comment></reason>"
					"<reason><type>OTHER</type></reason>",
		"<header_from>Sender.Example.</header_from><envelope_from>bounce.list.example"
		"</envelope_from><envelope_to>rcpt.example</envelope_to>",
		"<dkim><domain>sender.example</domain><selector>s1</selector><result>fail</result>"
		"<human_result>body hash</human_result></dkim>"
		"<dkim><domain>list.example</domain><result>pass</result></dkim>"
		"<spf><domain>bounce.list.example</domain><scope>mfrom</scope><result>SoftFail"
		"</result></spf>") XML_TAIL);
	const struct eds_report_auth *auth;

	(void)state;
	assert_read(report);
	assert_int_equal(report->row_count, 1);
	assert_int_equal(report->auth_count, 1);
	auth = &report->auths[report->rows[0].auth];
	assert_string_equal(auth->header_from, "sender.example");
	assert_string_equal(auth->envelope_from, "bounce.list.example");
	assert_string_equal(auth->envelope_to, "rcpt.example");
	assert_int_equal(auth->reason_count, 2);
	assert_string_equal(auth->reasons[0].domain, "mailing_list");
	assert_string_equal(auth->reasons[0].remark, "by arc");
	assert_string_equal(auth->reasons[1].domain, "other");
	assert_string_equal(auth->reasons[1].remark, "");
	assert_int_equal(auth->dkim_count, 2);
	assert_string_equal(auth->dkim[0].selector, "s1");
	assert_string_equal(auth->dkim[0].remark, "body hash");
	assert_string_equal(auth->dkim[1].domain, "list.example");
	assert_string_equal(auth->dkim[1].selector, "");
	assert_int_equal(auth->spf_count, 1);
	assert_string_equal(auth->spf[0].domain, "bounce.list.example");
	assert_string_equal(auth->spf[0].selector, "mfrom");
	assert_string_equal(auth->spf[0].result, "softfail");
	assert_int_equal(auth->left_out, 0);
}

static void everything_in_the_head_of_a_report_is_kept(void **state)
{
	const struct eds_report *report = read_text(
		"<feedback xmlns=\"urn:ietf:params:xml:ns:dmarc-2.0\"><version>1.0</version>"
		"<report_metadata><org_name>Reporter</org_name><extra_contact_info>https://r.example"
		"</extra_contact_info><error>DNS was slow.</error><error>Twice.</error>"
		"<generator>Reporter 1.2</generator></report_metadata><policy_published>"
		"<domain>sender.example</domain><discovery_method>treewalk</discovery_method>"
		"<np>reject</np><testing>n</testing><fo>1:d</fo></policy_published>" XML_TAIL);

	(void)state;
	assert_read(report);
	assert_string_equal(report->version, "1.0");
	assert_string_equal(report->extra_contact, "https://r.example");
	assert_string_equal(report->generator, "Reporter 1.2");
	assert_int_equal(report->error_count, 2);
	assert_string_equal(report->errors[0], "DNS was slow.");
	assert_string_equal(report->errors[1], "Twice.");
	assert_string_equal(report->policy.discovery, "treewalk");
	assert_string_equal(report->policy.np, "reject");
	assert_string_equal(report->policy.fo, "1:d");
}

static enum eds_report_class class_of(const char *record)
{
	const struct eds_report *report = read_text(
		rt_printf(&ctx, "%s%s%s", XML_HEAD, record, XML_TAIL));

	assert_read(report);
	assert_int_equal(report->row_count, 1);
	assert_int_equal(report->passed, report->rows[0].class == EDS_CLASS_PASSED ? 3 : 0);
	assert_int_equal(report->forwarded, report->rows[0].class == EDS_CLASS_FORWARDED ? 3 : 0);
	return report->rows[0].class;
}

static void passed_messages_are_distinguished_from_forwarded_ones(void **state)
{
	(void)state;
	assert_int_equal(
		class_of(RECORD(ROW, ALIGNED("pass", "pass"), FROM, SPF("sender.example", "pass"))),
		EDS_CLASS_PASSED);
	assert_int_equal(
		class_of(RECORD(ROW, ALIGNED("pass", "fail"), FROM, SPF("sender.example", "fail"))),
		EDS_CLASS_PASSED);
	assert_int_equal(class_of(RECORD(ROW, ALIGNED("pass", "fail"), FROM,
				 SPF("bounce.sender.example", "fail"))),
		EDS_CLASS_PASSED);
	assert_int_equal(
		class_of(RECORD(ROW, ALIGNED("pass", "fail"), FROM, "")), EDS_CLASS_PASSED);
	assert_int_equal(
		class_of(RECORD(ROW, ALIGNED("fail", "fail"), FROM, SPF("evil.example", "pass"))),
		EDS_CLASS_FAILED);
	assert_int_equal(class_of(RECORD(ROW, ALIGNED("pass", "fail"), FROM,
				 SPF("forwarder.example", "pass"))),
		EDS_CLASS_FORWARDED);
}

static void mail_of_a_service_that_sends_for_many_is_not_called_forwarded(void **state)
{
	(void)state;
	assert_int_equal(class_of(RECORD(ROW, ALIGNED("pass", "fail"), FROM,
				 SPF("eu-west-1.amazonses.com", "pass"))),
		EDS_CLASS_PASSED);
	assert_int_equal(class_of(RECORD(ROW, ALIGNED("pass", "fail"), FROM,
				 SPF("notamazonses.com", "pass"))),
		EDS_CLASS_FORWARDED);
}

static void mail_that_the_receiver_calls_forwarded_is_forwarded(void **state)
{
	static const char *const said[] = {"<reason><type>forwarded</type></reason>",
		"<reason><type>mailing_list</type></reason>",
		"<reason><type>trusted_forwarder</type></reason>",
		"<reason><type>local_policy</type><comment>ARC=pass as[1].d=x</comment></reason>"};
	static const char *const other[] = {"<reason><type>sampled_out</type></reason>",
		"<reason><type>local_policy</type><comment>arc=fail</comment></reason>",
		"<reason><type>other</type><comment>arc=pass</comment></reason>",
		"<reason><comment>forwarded</comment></reason>"};

	(void)state;
	for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
		assert_int_equal(class_of(rt_printf(&ctx, RECORD(ROW, "%s%s", FROM, ""),
					 ALIGNED("fail", "fail"), said[i])),
			EDS_CLASS_FORWARDED);
	for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
		assert_int_equal(class_of(rt_printf(&ctx, RECORD(ROW, "%s%s", FROM, ""),
					 ALIGNED("fail", "fail"), other[i])),
			EDS_CLASS_FAILED);
}

static void records_that_differ_in_anything_are_separate_rows(void **state)
{
	const struct eds_report *report = read_text(XML_HEAD RECORD(ROW, ALIGNED("pass", "pass"),
		FROM, SPF("a.example", "pass")) RECORD(ROW, ALIGNED("pass", "pass"), FROM,
		SPF("b.example", "pass")) RECORD("<source_ip>192.0.2.1</source_ip><count>4</count>",
		ALIGNED("pass", "pass"), FROM, SPF("b.example", "pass")) RECORD(ROW,
		ALIGNED("pass", "pass"), FROM, SPF("a.example", "pass")) XML_TAIL);

	(void)state;
	assert_read(report);
	assert_int_equal(report->records, 4);
	assert_int_equal(report->row_count, 2);
	assert_int_equal(report->rows[0].messages, 7);
	assert_string_equal(report->auths[report->rows[0].auth].spf[0].domain, "b.example");
	assert_int_equal(report->rows[1].messages, 6);
}

/* The report has 20,000 sources, and the last 50 of them have sent the most messages. */
static void the_heaviest_of_very_many_rows_are_kept_and_the_rest_summed(void **state)
{
	struct rt_buffer xml;
	const struct eds_report *report;
	uint64_t messages = 0;

	(void)state;
	rt_buffer_init(&xml, &ctx, 64 * 1024 * 1024);
	rt_buffer_text(&xml, XML_HEAD);
	for (unsigned i = 0; i < 20000; i++)
		rt_buffer_format(&xml,
			RECORD("<source_ip>10.0.%u.%u</source_ip><count>%u</count>",
				ALIGNED("pass", "pass"), FROM, SPF("a%u.example", "pass")),
			i >> 8, i & 255, i < 19950 ? 1 + i % 7 : 1000000 + i, i);
	rt_buffer_text(&xml, XML_TAIL);
	report = read_bytes(xml.bytes, xml.length);
	assert_read(report);
	assert_int_equal(report->records, 20000);
	assert_int_equal(report->row_count, 2000);
	for (size_t i = 0; i < 2000; i++)
		messages += report->rows[i].messages;
	assert_int_equal(report->rows[0].messages, 1019999);
	assert_string_equal(report->auths[report->rows[0].auth].spf[0].domain, "a19999.example");
	assert_int_equal(report->rows[49].messages, 1019950);
	assert_string_equal(report->auths[report->rows[49].auth].spf[0].domain, "a19950.example");
	assert_int_equal(report->rows[50].messages, 7);
	assert_int_equal(report->rows[1999].messages, 7);
	assert_int_equal(report->records_of_other_rows, 18000);
	/* the light rows have 1 to 7 messages in turn: 2850 times 28; the 50 heavy rows have
	 * 1000000 plus their number, 19950 to 19999 */
	assert_int_equal(report->messages, 2850 * 28 + 50 * 1000000 + 50 * 19950 + 1225);
	assert_int_equal(messages + report->messages_of_other_rows, report->messages);
}

/* If texts are long, fewer rows fit; the heaviest ones are kept. */
static void long_texts_displace_the_lightest_rows(void **state)
{
	char *remark = repeated("x", 200);
	struct rt_buffer xml;
	const struct eds_report *report;

	(void)state;
	rt_buffer_init(&xml, &ctx, 64 * 1024 * 1024);
	rt_buffer_text(&xml, XML_HEAD);
	for (unsigned i = 0; i < 1000; i++) {
		rt_buffer_format(&xml,
			"<record><row><source_ip>10.0.%u.%u</source_ip><count>%u</count></row>"
			"<auth_results>",
			i >> 8, i & 255, 1 + i);
		for (unsigned j = 0; j < 20; j++)
			rt_buffer_format(&xml,
				"<dkim><domain>d%u.example</domain><human_result>%s"
				"</human_result></dkim>",
				i, remark);
		rt_buffer_text(&xml, "</auth_results></record>");
	}
	rt_buffer_text(&xml, XML_TAIL);
	report = read_bytes(xml.bytes, xml.length);
	assert_read(report);
	assert_int_equal(report->messages, 500500);
	assert_in_range(report->row_count, 50, 140);
	assert_int_equal(report->rows[0].messages, 1000);
	assert_int_equal(report->rows[40].messages, 960);
	assert_int_equal(report->auths[report->rows[0].auth].dkim_count, 20);
}

static void the_first_of_very_many_signatures_of_a_record_are_kept(void **state)
{
	const struct eds_report *report = read_text(rt_printf(&ctx,
		"%s<record><row>%s</row><auth_results>%s%s</auth_results></record>%s", XML_HEAD,
		ROW,
		repeated("<dkim><domain>a.example</domain><selector>s</selector></dkim>", 1000),
		SPF("b.example", "pass"), XML_TAIL));
	const struct eds_report_auth *auth;

	(void)state;
	assert_read(report);
	auth = &report->auths[report->rows[0].auth];
	assert_in_range(auth->dkim_count, 100, 500);
	assert_int_equal(auth->dkim_count + auth->left_out, 1000);
	assert_int_equal(auth->spf_count, 1);
	assert_int_equal(report->signatures[0].results[EDS_DKIM_RESULT_OTHER], 1000);
}

static void the_complete_records_of_a_truncated_report_are_kept(void **state)
{
	static const char xml[] = XML_HEAD XML_RECORD XML_ROW("192.0.2.2", "9", "pass")
		XML_SIGNATURE("sender.example", "s2", "pass");
	const struct eds_report *report = read_text(xml);

	(void)state;
	assert_read(report);
	assert_string_equal(report->flaw_code, "report-truncated");
	assert_string_equal(
		report->flaw, "The report ends in the middle. Its complete records are kept.");
	assert_int_equal(report->messages, 3);
	assert_int_equal(report->row_count, 1);
	assert_int_equal(report->signature_count, 1);
	assert_string_equal(report->signatures[0].selector, "s1");
}

static void an_error_in_the_middle_ends_the_report_there(void **state)
{
	const struct eds_report *report = read_text(XML_HEAD XML_RECORD "<a></b>" XML_TAIL);

	(void)state;
	assert_read(report);
	assert_string_equal(report->flaw_code, "report-malformed");
	assert_string_equal(report->flaw,
		"The report is not well-formed XML: mismatched tag in line 2. Its complete records "
		"are kept.");
	assert_int_equal(report->messages, 3);
}

static void a_truncated_gzip_gives_its_complete_records(void **state)
{
	char *xml = rt_printf(&ctx, "%s%s", XML_HEAD, repeated(XML_RECORD, 20000));
	struct bytes made = gzip(xml, strlen(xml));
	const struct eds_report *report = read_bytes(made.at, made.length / 2);

	(void)state;
	assert_read(report);
	assert_string_equal(report->flaw_code, "report-truncated");
	assert_in_range(report->records, 1000, 19999);
	assert_int_equal(report->messages, 3 * report->records);
}

static void an_address_in_angle_brackets_is_read_as_text(void **state)
{
	static const char head[] =
		"<feedback><report_metadata><org_name>Reporter</org_name><email>Reports "
		"<dmarc@reporter.example></email></report_metadata><policy_published>"
		"<domain>sender.example</domain></policy_published>";
	const struct eds_report *report = read_text(
		rt_printf(&ctx, "%s%s%s", head, XML_RECORD, XML_TAIL));

	(void)state;
	assert_read(report);
	assert_string_equal(report->email, "Reports <dmarc@reporter.example>");
	assert_string_equal(report->flaw_code, "report-email-bare");
	assert_int_equal(report->messages, 3);
}

static void an_address_in_cdata_stays_unchanged(void **state)
{
	const struct eds_report *report = read_text(
		"<feedback><report_metadata><email><![CDATA[<a@b.example>]]></email>"
		"</report_metadata><policy_published><domain>sender.example</domain>"
		"</policy_published>" XML_TAIL);

	(void)state;
	assert_read(report);
	assert_string_equal(report->email, "<a@b.example>");
	assert_null(report->flaw_code);
	assert_fault(read_text("<feedback><email><b></email></feedback>"), "report-malformed");
}

/* Whether the parent believes this count in a frame from a child; *count gets it. */
static bool is_count(int64_t said, uint64_t *count)
{
	struct rt_buffer out;
	struct eds_wire wire;

	rt_buffer_init(&out, &ctx, 64);
	eds_put_i64(&out, said);
	wire = (struct eds_wire){.at = out.bytes, .end = out.bytes + out.length};
	*count = eds_get_number(&wire);
	return !wire.bad;
}

static void a_count_too_large_for_json_is_refused(void **state)
{
	static const int64_t counts[] = {0, 1, (int64_t)1 << 52, ((int64_t)1 << 53) - 1};
	static const int64_t lies[] = {
		-1, INT64_MIN, (int64_t)1 << 53, (int64_t)1 << 54, INT64_MAX};
	uint64_t count;

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		assert_true(is_count(counts[i], &count));
		assert_int_equal(count, counts[i]);
	}
	for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
		assert_false(is_count(lies[i], &count));
		assert_int_equal(count, 0);
	}
}

#define READS(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		READS(everything_in_a_record_is_kept),
		READS(everything_in_the_head_of_a_report_is_kept),
		READS(passed_messages_are_distinguished_from_forwarded_ones),
		READS(mail_of_a_service_that_sends_for_many_is_not_called_forwarded),
		READS(mail_that_the_receiver_calls_forwarded_is_forwarded),
		READS(records_that_differ_in_anything_are_separate_rows),
		READS(the_heaviest_of_very_many_rows_are_kept_and_the_rest_summed),
		READS(long_texts_displace_the_lightest_rows),
		READS(the_first_of_very_many_signatures_of_a_record_are_kept),
		READS(the_complete_records_of_a_truncated_report_are_kept),
		READS(an_error_in_the_middle_ends_the_report_there),
		READS(a_truncated_gzip_gives_its_complete_records),
		READS(an_address_in_angle_brackets_is_read_as_text),
		READS(an_address_in_cdata_stays_unchanged),
		READS(a_count_too_large_for_json_is_refused),
	};

	return cmocka_run_group_tests_name("reports: rows", tests, NULL, NULL);
}
