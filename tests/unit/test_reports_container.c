/* Containers of reports: gzip, zip, tar, one within another, and any part of a mail. */
#include "runtime/text/base64.h"
#include "tests/unit/reports_fixture.h"

static struct bytes gzipped_report(void)
{
	return gzip(XML_REPORT, strlen(XML_REPORT));
}

static void a_gzip_is_opened(void **state)
{
	const struct eds_report *report = read_made(gzipped_report());

	(void)state;
	assert_read(report);
	assert_int_equal(report->xml_bytes, strlen(XML_REPORT));
}

static void a_gzip_in_a_gzip_is_opened(void **state)
{
	struct bytes inner = gzipped_report();

	(void)state;
	assert_read(read_made(gzip(inner.at, inner.length)));
}

static void containers_nested_too_deep_are_refused(void **state)
{
	const struct bytes innermost[] = {
		gzipped_report(), ZIP("a.xml", XML_REPORT), MEMBERS(ustar, "a.xml", XML_REPORT)};

	(void)state;
	for (size_t kind = 0; kind < sizeof innermost / sizeof innermost[0]; kind++) {
		struct bytes made = innermost[kind];

		for (int i = 0; i < 3; i++)
			made = gzip(made.at, made.length);
		assert_read(read_made(made));
		assert_fault(read_made(gzip(made.at, made.length)), "report-too-deep");
	}
}

static void octets_after_a_gzip_are_ignored(void **state)
{
	struct bytes made = gzipped_report();
	char *longer = rt_alloc(&ctx, made.length + 10);

	(void)state;
	memcpy(longer, made.at, made.length);
	memcpy(longer + made.length, "\r\ngarbage", 9);
	assert_read(read_bytes(longer, made.length + 9));
}

static void a_truncated_gzip_is_damaged(void **state)
{
	struct bytes made = gzipped_report();
	const struct eds_report *report = read_bytes(made.at, made.length / 3);

	(void)state;
	assert_non_null(report->fault);
	assert_true(strcmp(report->fault_code, "archive-damaged") == 0 ||
		strcmp(report->fault_code, "report-truncated") == 0);
	assert_fault(read_bytes("\x1f\x8b\x08\xff\xff\xff\xff", 7), "archive-damaged");
}

static void every_report_of_a_zip_is_read(void **state)
{
	(void)state;
	assert_read(read_made(ZIP("folder/a.xml", XML_REPORT, "__MACOSX/._a.xml", "\1\2\3", "b.txt",
		"Read me.", "c.xml", "<feedback>", "d.xml", XML_REPORT)));
	assert_int_equal(found_count, 3);
	assert_string_equal(found[0].file, "folder/a.xml");
	assert_fault(&found[1], "report-truncated");
	assert_string_equal(found[1].file, "c.xml");
	assert_read(&found[2]);
}

static void a_member_name_that_is_not_ascii_is_accepted(void **state)
{
	struct bytes made = ZIP("r\xc3\xa9sum\xc3\xa9.xml", XML_REPORT);
	char *flagged = rt_memdup(&ctx, made.at, made.length);

	(void)state;
	flagged[7] |= 8; /* the flag for a name in UTF-8 */
	assert_read(read_bytes(flagged, made.length));
	assert_string_equal(found[0].file, "");
	assert_read(read_made(ZIP("r\xe9sum\xe9.xml", XML_REPORT)));
	assert_string_equal(found[1].file, "r\xef\xbf\xbdsum\xef\xbf\xbd.xml");
}

static void a_zip_without_a_report_says_so(void **state)
{
	(void)state;
	assert_fault(read_made(ZIP("a.txt", "Hello.")), "no-report");
	assert_fault(read_bytes("PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22), "no-report");
}

static void a_damaged_or_encrypted_zip_is_refused(void **state)
{
	struct bytes made = ZIP("a.xml", XML_REPORT);
	char *changed = rt_memdup(&ctx, made.at, made.length);

	(void)state;
	changed[6] |= 1; /* the flag for encryption */
	assert_fault(read_bytes(changed, made.length), "archive-damaged");
	assert_fault(read_bytes(made.at, 100), "archive-damaged");
}

static void every_report_of_a_tar_is_read_in_any_tar_format(void **state)
{
	const char *name = rt_printf(&ctx, "%sb.xml", repeated("a-folder/", 30));
	const struct bytes tars[] = {
		MEMBERS(ustar, "a.xml", XML_REPORT, "b.txt", "Read me.", "c.xml", XML_REPORT),
		MEMBERS(pax, "a.xml", XML_REPORT, name, XML_REPORT),
		MEMBERS(gnutar, "a.xml", XML_REPORT, name, XML_REPORT),
	};

	(void)state;
	for (size_t i = 0; i < sizeof tars / sizeof tars[0]; i++) {
		found_count = 0;
		assert_read(read_made(tars[i]));
		assert_read(read_made(gzip(tars[i].at, tars[i].length)));
		assert_int_equal(found_count, 4);
		assert_string_equal(found[2].file, "a.xml");
		assert_read(&found[3]);
	}
}

static void a_truncated_tar_gives_the_reports_before_the_cut(void **state)
{
	struct bytes made = MEMBERS(ustar, "a.xml", XML_REPORT, "b.xml", XML_REPORT);

	(void)state;
	assert_read(read_bytes(made.at, 512 + 1024 + 512 + 100));
	assert_int_equal(found_count, 2);
	assert_fault(&found[1], "archive-damaged");
	assert_fault(read_bytes(made.at, 512), "archive-damaged");
}

static void a_tar_whose_header_is_changed_is_damaged(void **state)
{
	struct bytes made = MEMBERS(ustar, "a.xml", XML_REPORT);
	char *changed = rt_memdup(&ctx, made.at, made.length);

	(void)state;
	changed[0] = 'b'; /* the name changes, but not the checksum of the header */
	assert_fault(read_bytes(changed, made.length), "archive-damaged");
}

/* A report of 36 MiB that expands much, but not as a bomb does: with numbers among its elements. */
static const char *long_report(void)
{
	size_t room = 37 * 1024 * 1024;
	char *text = rt_arena_alloc_raw(ctx.arena, room);
	uint32_t number = 1;
	size_t used = (size_t)snprintf(text, room, "%s", XML_HEAD);

	while (used < 36 * 1024 * 1024) {
		number = number * 1664525 + 1013904223;
		used += (size_t)snprintf(
			text + used, room - used, "<a n=\"%u\">%200s</a>\n", number, "");
	}
	snprintf(text + used, room - used, "%s%s", XML_RECORD, XML_TAIL);
	return text;
}

static void members_of_a_packed_tar_count_once_towards_the_limit(void **state)
{
	struct bytes made = MEMBERS(ustar, "a.xml", long_report(), "b.xml", XML_REPORT);

	(void)state;
	assert_read(read_made(gzip(made.at, made.length)));
	assert_int_equal(found_count, 2);
	assert_read(&found[1]);
}

static const char *base64_of(struct bytes made)
{
	return rt_base64_encode(&ctx, made.at, made.length);
}

static void every_part_of_a_mail_is_examined(void **state)
{
	const char *mail = rt_printf(&ctx,
		"From: r@reporter.example\r\nMIME-Version: 1.0\r\n"
		"Content-Type: multipart/mixed; boundary=\"outer\"\r\n\r\n--outer\r\n"
		"Content-Type: multipart/alternative; boundary=inner\r\n\r\n--inner\r\n"
		"Content-Type: text/plain\r\n\r\nA report.\r\n--inner\r\n"
		"Content-Type: text/html\r\n\r\n<!DOCTYPE html><p>A report.\r\n--inner--\r\n"
		"--outer\r\nContent-Type: application/octet-stream; name=\"r.bin\"\r\n"
		"Content-Transfer-Encoding: base64\r\n\r\n%s\r\n--outer\r\n"
		"ContentType: application/gzip\r\nContent-Transfer-Encoding: base64\r\n\r\n%s\r\n"
		"--outer\r\nContent-Type: text/xml\r\nContent-Transfer-Encoding: quoted-printable"
		"\r\n\r\n<feedback><policy_published><domain>q=\r\np.example</domain>"
		"</policy_published></feedback=3E\r\n--outer--\r\n",
		base64_of(ZIP("a.xml", XML_REPORT)), base64_of(gzipped_report()));

	(void)state;
	assert_read(read_text(mail));
	assert_int_equal(found_count, 3);
	assert_read(&found[1]);
	assert_read(&found[2]);
	assert_string_equal(found[2].domain, "qp.example");
}

static void the_body_of_the_mail_may_be_the_zip(void **state)
{
	(void)state;
	assert_read(read_text(rt_printf(&ctx,
		"From: r@reporter.example\r\nContent-Type: application/zip\r\n"
		"Content-Disposition: attachment; filename=\"r.zip\"\r\n"
		"Content-Transfer-Encoding: base64\r\n\r\n%s\r\n",
		base64_of(ZIP("r.xml", XML_REPORT)))));
	assert_string_equal(found[0].file, "r.xml");
}

static void a_forwarded_mail_is_opened(void **state)
{
	(void)state;
	assert_read(read_text(rt_printf(&ctx,
		"From: you@eds.example\r\nContent-Type: message/rfc822\r\n\r\n"
		"From: r@reporter.example\r\nContent-Type: application/gzip; name=r.gz\r\n"
		"Content-Transfer-Encoding: base64\r\n\r\n%s\r\n",
		base64_of(gzipped_report()))));
	assert_string_equal(found[0].file, "r.gz");
}

static void a_mail_without_a_report_says_so(void **state)
{
	(void)state;
	assert_fault(
		read_text("From: a@b.example\r\nSubject: hello\r\n\r\nHello.\r\n"), "no-report");
	assert_fault(read_text(""), "no-report");
	assert_fault(read_text("\r\n"), "no-report");
	assert_fault(
		read_text("Content-Type: multipart/mixed; boundary=x\r\n\r\nnothing"), "no-report");
}

static void an_endless_header_is_refused(void **state)
{
	(void)state;
	assert_fault(read_text(rt_printf(
			     &ctx, "Subject: %s\r\n\r\n%s", repeated("x", 40000), XML_REPORT)),
		"mail-limits");
	assert_fault(read_text(repeated("X-A: b\r\n", 2000)), "mail-limits");
	assert_fault(read_text(rt_printf(&ctx, "X: y\r\n%s",
			     repeated("X-A: 5678901234567890123456"
				      "78901234567890123456789012"
				      "\r\n z\r\n",
				     900))),
		"no-report");
}

static void endless_groups_of_addresses_are_refused(void **state)
{
	(void)state;
	assert_fault(
		read_text(rt_printf(&ctx, "To: %s\r\n\r\n", repeated("a:", 10000))), "mail-limits");
	assert_fault(read_text(rt_printf(&ctx, "x\r\nCC : %s\r\n\r\n", repeated("a:", 10000))),
		"mail-limits");
}

static void too_many_parts_are_refused(void **state)
{
	(void)state;
	assert_fault(read_text(rt_printf(&ctx,
			     "Content-Type: multipart/mixed; boundary = \"b\"\r\n\r\n%s",
			     repeated("--b\r\n\r\n", 1001))),
		"mail-limits");
	assert_fault(
		read_text(rt_printf(&ctx, "Content-Type: multipart/mixed; boundary*0=b\r\n\r\n%s",
			repeated("--b\r\n\r\n", 1001))),
		"mail-limits");
}

static void lines_that_only_begin_with_hyphens_are_not_parts(void **state)
{
	(void)state;
	assert_read(read_text(rt_printf(&ctx,
		"Content-Type: multipart/mixed; boundary= \"b\"\r\n\r\n--b\r\n\r\n%s--b\r\n"
		"Content-Type: text/xml; name=r.xml\r\n\r\n" XML_REPORT "\r\n--b--\r\n",
		repeated("--signature\r\n", 1001))));
	assert_int_equal(found_count, 1);
}

static void a_report_before_the_text_of_its_mail_is_found(void **state)
{
	(void)state;
	assert_read(read_text("Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n"
			      "Content-Type: text/xml; name=r.xml\r\n\r\n" XML_REPORT
			      "\r\n--b\r\n\r\nThis is a report.\r\n--b--\r\n"));
	assert_int_equal(found_count, 1);
}

static void too_many_levels_of_parts_are_refused(void **state)
{
	(void)state;
	assert_fault(
		read_text(repeated("Content-Type: message/rfc822\r\n\r\n", 100)), "mail-limits");
	assert_fault(read_text(repeated(
			     "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n", 100)),
		"mail-limits");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_gzip_is_opened, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_gzip_in_a_gzip_is_opened, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			containers_nested_too_deep_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(octets_after_a_gzip_are_ignored, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_truncated_gzip_is_damaged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(every_report_of_a_zip_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_member_name_that_is_not_ascii_is_accepted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_zip_without_a_report_says_so, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_damaged_or_encrypted_zip_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			every_report_of_a_tar_is_read_in_any_tar_format, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_truncated_tar_gives_the_reports_before_the_cut, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_tar_whose_header_is_changed_is_damaged, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			members_of_a_packed_tar_count_once_towards_the_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			every_part_of_a_mail_is_examined, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_body_of_the_mail_may_be_the_zip, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_forwarded_mail_is_opened, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_mail_without_a_report_says_so, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_endless_header_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			endless_groups_of_addresses_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_many_parts_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			lines_that_only_begin_with_hyphens_are_not_parts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_report_before_the_text_of_its_mail_is_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			too_many_levels_of_parts_are_refused, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
