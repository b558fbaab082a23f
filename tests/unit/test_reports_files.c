/* Uploaded files: what is read from them that a mail may not be, and that nothing in them which
 * looks like a report is lost in silence. */
#include "runtime/text/base64.h"
#include "tests/unit/reports_fixture.h"

enum { MAILS = 1200 };

/* Reads an uploaded file, of which the first reports are skipped, and returns the first result. */
static const struct eds_report *read_file_from(struct bytes file, unsigned skip)
{
	found_count = 0;
	intake = (struct eds_intake){.report = keep_report, .of_file = true, .skip = skip};
	eds_intake_mail(&intake, file.at, file.length);
	return &found[0];
}

static const struct eds_report *read_file(struct bytes file)
{
	return read_file_from(file, 0);
}

static struct bytes text(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

static struct bytes gzip_text(const char *content)
{
	return gzip(content, strlen(content));
}

/* Makes a tar of members that may contain a NUL. */
static struct bytes tar_of(const struct bytes *members, size_t count)
{
	struct archive *writer = archive_write_new();
	char *room = made_room();
	size_t used = 0;

	archive_write_set_format_ustar(writer);
	assert_int_equal(
		archive_write_open_memory(writer, room, MADE_BYTES_MAX, &used), ARCHIVE_OK);
	for (size_t i = 0; i < count; i++)
		write_member(
			writer, rt_printf(&ctx, "%zu.gz", i), members[i].at, members[i].length);
	archive_write_close(writer);
	archive_write_free(writer);
	return (struct bytes){.at = room, .length = used};
}

/* A mail with a report in a gzip; lines end with end. */
static const char *mail_of(const char *report, const char *end)
{
	struct bytes packed = gzip_text(report);

	return rt_printf(&ctx,
		"From: r@reporter.example%sContent-Type: application/gzip; name=r.gz%s"
		"Content-Transfer-Encoding: base64%s%s%s%s",
		end, end, end, end, rt_base64_encode(&ctx, packed.at, packed.length), end);
}

static void a_member_that_cannot_be_read_is_told_beside_those_that_can(void **state)
{
	struct bytes good = gzip_text(XML_REPORT);
	const struct bytes members[] = {good, {"\x1f\x8b\x08\xff\xff\xff\xff", 7},
		{"<!DOCTYPE a [<!ENTITY b \"c\">]><feedback/>", 40}, {"\0\0\xfe\xff\0\0\0<", 8},
		{"Read me.", 8}, good};
	struct bytes file = tar_of(members, sizeof members / sizeof members[0]);

	(void)state;
	assert_read(read_file(file));
	assert_int_equal(found_count, 5);
	assert_fault(&found[1], "archive-damaged");
	assert_string_equal(found[1].file, "1.gz");
	assert_fault(&found[2], "report-doctype");
	assert_fault(&found[3], "report-encoding");
	assert_read(&found[4]);
	assert_fault(read_file_from(file, 1), "archive-damaged");
	assert_int_equal(found_count, 4);
	found_count = 0;
	assert_read(read_made(file));
	assert_int_equal(found_count, 2);
}

static void an_archive_that_ends_early_is_told_after_the_reports_before(void **state)
{
	struct bytes made = MEMBERS(ustar, "a.xml", XML_REPORT, "b.xml", XML_REPORT);

	(void)state;
	made.length = 512 + 1024 + 100;
	assert_read(read_file(made));
	assert_int_equal(found_count, 2);
	assert_fault(&found[1], "archive-damaged");
	assert_string_equal(found[1].fault,
		"The zip or tar is damaged or encrypted after its first files; what follows "
		"these files was not read.");
	assert_read(read_file(gzip(made.at, made.length)));
	assert_int_equal(found_count, 2);
}

static void a_limit_of_the_whole_file_is_told_once(void **state)
{
	struct bytes bomb = gzip_text(
		rt_printf(&ctx, "<feedback>%s", repeated("<a/>\n", 2 * 1024 * 1024)));
	const struct bytes members[] = {gzip_text(XML_REPORT), bomb, gzip_text(XML_REPORT)};

	(void)state;
	assert_read(read_file(tar_of(members, 3)));
	assert_int_equal(found_count, 2);
	assert_fault(&found[1], "report-bomb");
	assert_fault(read_file(bomb), "report-bomb");
	assert_int_equal(found_count, 1);
}

static void a_format_that_is_not_read_is_named(void **state)
{
	const struct bytes xz = {"\xfd"
				 "7zXZ\0\0\4",
		8};
	const struct bytes outlook = {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", 9};
	const struct bytes winmail = {"\x78\x9f\x3e\x22\0", 5};
	const char *mail = rt_printf(&ctx,
		"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHello.\n--b\n"
		"Content-Transfer-Encoding: base64\nContent-Type: image/x; name=r.xz\n\n%s\n--b--\n",
		rt_base64_encode(&ctx, xz.at, xz.length));

	(void)state;
	assert_fault(read_file(outlook), "no-report");
	assert_non_null(strstr(found[0].fault, "Outlook's format of mails (.msg) are not read"));
	assert_fault(read_file(tar_of(&winmail, 1)), "no-report");
	assert_non_null(strstr(found[0].fault, "(winmail.dat)"));
	assert_fault(read_file(tar_of(&xz, 1)), "no-report");
	assert_non_null(strstr(found[0].fault, "the format xz"));
	assert_string_equal(found[0].file, "0.gz");
	assert_fault(read_file(text(mail)), "no-report");
	assert_non_null(strstr(found[0].fault, "the format xz"));
	assert_string_equal(found[0].file, "r.xz");
}

static void each_mail_of_a_mailbox_is_read(void **state)
{
	static const char *const ends[] = {"\n", "\r\n"};
	const char *cut = "<feedback><policy_published><domain>b.example</domain>";

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const char *end = ends[i];
		const char *mailbox = rt_printf(&ctx,
			"From r@reporter.example Thu Nov 26 10:00:00 2026%s%s%s"
			"From - Thu Nov 26 10:00:01 2026%s"
			"From: a@b.example%s%sHello.%sFrom here on, all is text.%s%s"
			"From r@reporter.example Thu Nov 26 10:00:02 2026%s%s%s"
			"From r@reporter.example Thu Nov 26 10:00:03 2026%s%s",
			end, mail_of(XML_REPORT, end), end, end, end, end, end, end, end, end,
			mail_of(cut, end), end, end, mail_of(XML_REPORT, end));

		assert_read(read_file(text(mailbox)));
		assert_int_equal(found_count, 3);
		assert_fault(&found[1], "report-truncated");
		assert_read(&found[2]);
		assert_read(read_file(gzip_text(mailbox)));
		assert_int_equal(found_count, 3);
	}
}

static void a_mail_of_a_mailbox_has_its_first_field(void **state)
{
	struct bytes packed = gzip_text(XML_REPORT);

	(void)state;
	assert_read(
		read_file(text(rt_printf(&ctx, "From a\nContent-Transfer-Encoding: base64\n\n%s\n",
			rt_base64_encode(&ctx, packed.at, packed.length)))));
	assert_int_equal(found_count, 1);
}

static void each_mail_of_an_archive_is_read(void **state)
{
	const char *mail = mail_of(XML_REPORT, "\r\n");
	struct bytes inner = ZIP("a.eml", mail, "b.xml", XML_REPORT);
	const char *outer = rt_printf(&ctx,
		"Subject: all\r\nContent-Type: application/zip\r\n"
		"Content-Transfer-Encoding: base64\r\n\r\n%s\r\n",
		rt_base64_encode(&ctx, inner.at, inner.length));

	(void)state;
	assert_read(read_file(ZIP("a.eml", mail, "notes.txt", "Note: none", "b.eml", mail)));
	assert_int_equal(found_count, 2);
	assert_string_equal(found[1].file, "r.gz");
	assert_read(read_file(ZIP("outer.eml", outer)));
	assert_int_equal(found_count, 2);
	found_count = 0;
	assert_fault(read_made(ZIP("a.eml", mail)), "no-report");
}

/* Mail programs attach a mail as message/rfc822; gateways may change that to any other type. */
static void a_mail_attached_to_a_mail_as_a_file_is_read(void **state)
{
	const char *mail = mail_of(XML_REPORT, "\r\n");

	(void)state;
	for (int depth = 1; depth <= 6; depth++) {
		mail = rt_printf(&ctx,
			"Content-Type: application/octet-stream; name=a.eml\r\n"
			"Content-Transfer-Encoding: base64\r\n\r\n%s\r\n",
			rt_base64_encode(&ctx, mail, strlen(mail)));
		read_file(text(mail));
		assert_int_equal(found_count, 1);
		if (depth < 4)
			assert_read(&found[0]);
		else
			assert_fault(&found[0], depth < 6 ? "report-too-deep" : "no-report");
	}
	assert_read(read_file(
		text(rt_printf(&ctx, "Subject: a\n\nNote: none\n\nSee: above\n\n" XML_REPORT))));
}

static void mails_in_mails_are_opened_no_deeper_than_other_containers(void **state)
{
	const char *mail = mail_of(XML_REPORT, "\r\n");

	(void)state;
	for (int depth = 1; depth <= 4; depth++) {
		struct bytes made = ZIP("a.eml", mail);

		if (depth < 4)
			assert_read(read_file(made));
		else
			assert_fault(read_file(made), "report-too-deep");
		mail = rt_printf(&ctx,
			"Content-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n"
			"\r\n%s\r\n",
			rt_base64_encode(&ctx, made.at, made.length));
	}
}

static void a_mailbox_of_too_many_mails_says_so(void **state)
{
	const char *mails = repeated("From a\nSubject: b\n\n", MAILS);

	(void)state;
	assert_fault(read_file(text(mails)), "archive-members");
	assert_int_equal(found_count, 1);
}

static void reports_one_after_the_other_in_a_text_are_all_read(void **state)
{
	const char *all = rt_printf(&ctx, "%s\n%s\xef\xbb\xbf%s<!-- the end -->\n", XML_REPORT,
		"<feedback><report_metadata><org_name>cut</feedback>", XML_REPORT);
	struct bytes one = gzip_text(XML_REPORT);
	char *two = rt_alloc(&ctx, 2 * one.length);

	(void)state;
	memcpy(two, one.at, one.length);
	memcpy(two + one.length, one.at, one.length);
	assert_read(read_file(text(all)));
	assert_int_equal(found_count, 3);
	assert_fault(&found[1], "report-malformed");
	assert_read(&found[2]);
	assert_read(read_file((struct bytes){two, 2 * one.length}));
	assert_int_equal(found_count, 2);
	found_count = 0;
	assert_read(read_text(all));
	assert_int_equal(found_count, 1);
}

/* Each round skips the reports of the rounds before, sound or not, and begins with the next. Every
 * fourth member has two reports. */
static void rounds_give_each_report_once_in_its_order(void **state)
{
	static const char *const forms[] = {"%s%zu</version></feedback>", "%s%zu", "%s%zu</wrong>",
		"%s%zu</version></feedback><feedback>"};
	static const size_t member_of[] = {0, 1, 2, 3, 3};
	struct bytes members[60];

	(void)state;
	for (size_t i = 0; i < 60; i++)
		members[i] = gzip_text(rt_printf(&ctx, forms[i % 4],
			"<feedback><policy_published><domain>a.example</domain></policy_published>"
			"<version>",
			i));
	for (unsigned skip = 0; skip < 75; skip += EDS_REPORTS_MAX) {
		read_file_from(tar_of(members, 60), skip);
		assert_int_equal(intake.cut, skip < 60);
		assert_int_equal(found_count, skip < 60 ? 20 : 15);
		for (size_t i = 0; i < found_count; i++) {
			size_t form = (skip + i) % 5;
			size_t member = (skip + i) / 5 * 4 + member_of[form];

			assert_string_equal(found[i].file, rt_printf(&ctx, "%zu.gz", member));
			assert_int_equal(found[i].fault == NULL, form == 0 || form == 3);
			assert_string_equal(found[i].version,
				form == 0 || form == 3 ? rt_printf(&ctx, "%zu", member) : "");
		}
	}
}

static void mails_that_cost_too_much_together_say_so(void **state)
{
	const char *const costly[] = {
		rt_printf(&ctx, "Content-Type: multipart/mixed; boundary=b\n\n%s",
			repeated("--b\n\n", 999)),
		repeated("A: b\n", 999),
		repeated(rt_printf(&ctx, "A: %s\n", repeated("x", 30000)), 8),
	};
	static const size_t counts[] = {11, 101, 71};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const char *mail = rt_printf(&ctx, "From a\n%s\n\n", costly[i]);

		assert_read(read_file(text(rt_printf(&ctx, "From a\n%s\n\n%s",
			mail_of(XML_REPORT, "\n"), repeated(mail, counts[i])))));
		assert_int_equal(found_count, 2);
		assert_fault(&found[1], "mail-limits");
		assert_non_null(strstr(found[1].fault, "together"));
		read_file(text(repeated(mail, counts[i] - 2)));
		assert_fault(&found[0], "no-report");
	}
}

static void xml_without_reports_is_read_up_to_a_limit(void **state)
{
	const char *other = rt_printf(&ctx, "<x>%s", repeated("<a b=\"c\"/>", 140000));
	struct bytes members[9];

	(void)state;
	for (size_t i = 0; i < 9; i++)
		members[i] = text(other);
	members[6] = text(XML_REPORT);
	assert_read(read_file(tar_of(members, 7)));
	assert_int_equal(found_count, 1);
	members[8] = members[6];
	assert_read(read_file(tar_of(members, 9)));
	assert_int_equal(found_count, 2);
	members[6] = members[7];
	assert_fault(read_file(tar_of(members, 9)), "report-too-large");
	assert_int_equal(found_count, 1);
	assert_non_null(strstr(found[0].fault, "XML that is not a report"));
}

/* The end tag is found wherever a block of the text ends. */
static void reports_in_a_text_are_found_across_its_blocks(void **state)
{
	size_t tail = strlen(XML_TAIL);

	(void)state;
	for (size_t cut = 1; cut <= tail; cut++) {
		size_t octets = EDS_SOURCE_BLOCK - strlen(XML_REPORT) + cut;

		assert_read(read_file(text(rt_printf(&ctx, "%s%s%s%s%s", XML_HEAD, XML_RECORD,
			repeated(" ", octets), XML_TAIL, XML_REPORT))));
		assert_int_equal(found_count, 2);
		assert_read(&found[1]);
		assert_int_equal(found[1].xml_bytes, strlen(XML_REPORT) - 1);
	}
}

static void texts_that_are_no_reports_end_the_reading_in_time(void **state)
{
	(void)state;
	assert_fault(read_file(text(repeated("<a></a></feedback>", MAILS))), "archive-members");
	assert_int_equal(found_count, 1);
	assert_fault(read_file(text("<a></a></feedback><b/>")), "no-report");
	assert_int_equal(found_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_member_that_cannot_be_read_is_told_beside_those_that_can, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			an_archive_that_ends_early_is_told_after_the_reports_before, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_limit_of_the_whole_file_is_told_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_format_that_is_not_read_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_mail_of_a_mailbox_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_mail_of_a_mailbox_has_its_first_field, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_mail_of_an_archive_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_mail_attached_to_a_mail_as_a_file_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			mails_in_mails_are_opened_no_deeper_than_other_containers, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_mailbox_of_too_many_mails_says_so, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			reports_one_after_the_other_in_a_text_are_all_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			rounds_give_each_report_once_in_its_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			mails_that_cost_too_much_together_say_so, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			xml_without_reports_is_read_up_to_a_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			reports_in_a_text_are_found_across_its_blocks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			texts_that_are_no_reports_end_the_reading_in_time, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
