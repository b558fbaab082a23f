/* Attacks on the reader: bombs, entities, nesting, floods. Each is refused with a reason. */
#include "functions/lib/reports/archive.h"
#include "tests/unit/reports_fixture.h"

enum {
	MIB = 1024 * 1024,
};

static void a_document_type_is_refused(void **state)
{
	(void)state;
	assert_fault(read_text("<!DOCTYPE feedback SYSTEM \"http://evil.example/\">" XML_TAIL),
		"report-doctype");
}

static void nested_entities_are_refused_unexpanded(void **state)
{
	(void)state;
	assert_fault(
		read_text("<?xml version=\"1.0\"?><!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY "
			  "lol2 \"&lol;&lol;&lol;&lol;\"><!ENTITY lol3 \"&lol2;&lol2;&lol2;\">]>"
			  "<feedback><policy_published><domain>&lol3;</domain></policy_published>"
			  "</feedback>"),
		"report-doctype");
}

static void html_is_not_taken_for_a_report(void **state)
{
	(void)state;
	assert_fault(read_text("<!DOCTYPE html><html><body>A report.</body></html>"), "no-report");
	assert_fault(read_text("<html><p>unclosed <br></html>"), "no-report");
}

static void deep_nesting_is_refused(void **state)
{
	(void)state;
	assert_fault(read_text(rt_printf(&ctx, "<feedback>%s", repeated("<a>", 100000))),
		"report-too-deep");
	assert_fault(read_text(repeated("<a>", 100000)), "report-too-deep");
}

static void an_overlong_attribute_is_refused(void **state)
{
	(void)state;
	assert_fault(read_text(rt_printf(
			     &ctx, "<feedback><record a=\"%s\"/></feedback>", repeated("x", MIB))),
		"report-text-too-long");
	assert_fault(read_text(rt_printf(&ctx, "<feedback><record a=\"%s\"/></feedback>",
			     repeated("x", 70 * 1024))),
		"report-text-too-long");
}

static void an_overlong_text_is_refused(void **state)
{
	(void)state;
	assert_fault(read_text(rt_printf(&ctx, "<feedback><extra>%s", repeated("x", MIB))),
		"report-text-too-long");
	assert_fault(read_text(rt_printf(&ctx, "<feedback><!-- %s", repeated("x", MIB))),
		"report-text-too-long");
}

static void too_many_repairs_are_refused(void **state)
{
	const char *text = rt_printf(
		&ctx, "<feedback>%s</feedback>", repeated("<extra>&&&&&&&&&&&&&&&&</extra>", 7000));

	(void)state;
	assert_fault(read_text(text), "report-malformed");
	assert_non_null(strstr(found[0].fault, "octets that XML forbids"));
}

static void a_million_names_stay_within_the_memory_limit(void **state)
{
	struct rt_buffer xml;
	const struct eds_report *report;

	(void)state;
	rt_buffer_init(&xml, &ctx, 80 * MIB);
	rt_buffer_text(&xml, XML_HEAD);
	for (unsigned i = 0; i < 1000000; i++)
		rt_buffer_format(&xml, "<n%u/>", i);
	report = read_bytes(xml.bytes, xml.length);
	assert_fault(report, "report-malformed");
	assert_non_null(strstr(report->fault, "different names"));
	assert_read(read_text(XML_REPORT));
}

static void a_truncated_report_is_refused_and_what_was_read_is_shown(void **state)
{
	static const char xml[] = XML_REPORT;
	const struct eds_report *report = read_bytes(xml, sizeof xml - 30);

	(void)state;
	assert_fault(report, "report-truncated");
	assert_string_equal(report->org, "Reporter");
	assert_string_equal(report->domain, "sender.example");
	assert_int_equal(report->row_count, 0);
}

static void broken_xml_is_refused_with_the_line(void **state)
{
	const struct eds_report *report = read_text("<feedback>\n<a>\n</b></feedback>");

	(void)state;
	assert_fault(report, "report-malformed");
	assert_non_null(strstr(report->fault, "mismatched tag in line 3"));
}

static void cdata_is_read_as_text(void **state)
{
	const struct eds_report *report = read_text(
		"<feedback><policy_published><domain><![CDATA[a.example]]></domain>"
		"</policy_published></feedback>");

	(void)state;
	assert_read(report);
	assert_string_equal(report->domain, "a.example");
}

static void a_gzip_bomb_is_refused(void **state)
{
	char *xml = rt_printf(&ctx, XML_HEAD "%s", repeated("<extra></extra>\n", 2 * MIB));

	(void)state;
	assert_fault(read_made(gzip(xml, strlen(xml))), "report-bomb");
	assert_int_equal(found_count, 1);
}

/* The closing tag is at the end of the text, because the reader stops at the tag and would not
 * count the octets after it. */
static void a_gzip_may_expand_to_64_mib_and_not_an_octet_more(void **state)
{
	static const char end[] = "</feedback>";
	struct rt_buffer xml;

	(void)state;
	rt_buffer_init(&xml, &ctx, 80 * MIB);
	rt_buffer_text(&xml, XML_HEAD);
	for (unsigned i = 0; xml.length < 64 * MIB - 1024; i++)
		rt_buffer_format(&xml, XML_ROW("192.0.2.%u", "%u", "pass") "</record>", i % 256,
			i * 2654435761U);
	while (xml.length < 64 * MIB - strlen(end))
		rt_buffer_text(&xml, "\n");
	rt_buffer_text(&xml, end);
	assert_read(read_made(gzip(xml.bytes, xml.length)));
	xml.length -= strlen(end);
	rt_buffer_format(&xml, "\n%s", end);
	found_count = 0;
	assert_fault(read_made(gzip(xml.bytes, xml.length)), "report-too-large");
	assert_int_equal(found_count, 1);
}

static void a_zip_bomb_ends_the_reading_but_the_report_before_it_is_kept(void **state)
{
	const char *bomb = repeated("                                ", 2 * MIB);

	(void)state;
	assert_read(read_made(ZIP("a.xml", XML_REPORT, "b.xml", bomb, "c.xml", XML_REPORT)));
	assert_int_equal(found_count, 2);
	assert_fault(&found[1], "report-bomb");
}

static void a_zip_of_a_thousand_members_is_refused(void **state)
{
	struct archive *writer = archive_write_new();
	char *room = made_room();
	size_t used = 0;

	(void)state;
	archive_write_set_format_zip(writer);
	archive_write_open_memory(writer, room, MADE_BYTES_MAX, &used);
	for (int i = 0; i < 1000; i++)
		write_member(writer, "a.txt", "x", 1);
	archive_write_close(writer);
	archive_write_free(writer);
	assert_fault(read_bytes(room, used), "archive-members");
}

/* Each header says that the long name of the next member follows, so libarchive calls itself for
 * each of them. */
static void reading_a_tar_of_long_names_alone_ends(void **state)
{
	struct bytes made = MEMBERS(gnutar, "a.xml", XML_REPORT);
	char *head = rt_memdup(&ctx, made.at, 512);
	char *all;
	unsigned sum = 0;

	(void)state;
	head[156] = 'L';
	memcpy(head + 124, "00000000001", 11);
	memset(head + 148, ' ', 8);
	for (int i = 0; i < 512; i++)
		sum += (unsigned char)head[i];
	snprintf(head + 148, 8, "%06o", sum);
	all = rt_arena_alloc_raw(ctx.arena, 1024 * 5000);
	for (int i = 0; i < 5000; i++) {
		memcpy(all + 1024 * i, head, 512);
		memset(all + 1024 * i + 512, 'a', 512);
	}
	assert_fault(read_bytes(all, 1024 * 5000), "archive-damaged");
}

/* A tar with a sparse file that is stored in blocks of one octet, each at every second position of
 * the file. */
static struct bytes sparse_tar(const char *text, size_t length)
{
	struct archive *writer = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	char *room = made_room();
	size_t used = 0;

	archive_write_set_format_pax(writer);
	archive_write_set_bytes_in_last_block(writer, 1);
	assert_int_equal(
		archive_write_open_memory(writer, room, MADE_BYTES_MAX, &used), ARCHIVE_OK);
	archive_entry_set_pathname(entry, "a.xml");
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, (la_int64_t)length);
	for (size_t i = 0; i < length; i += 2)
		archive_entry_sparse_add_entry(entry, (la_int64_t)i, 1);
	assert_int_equal(archive_write_header(writer, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(writer, text, length), length);
	archive_entry_free(entry);
	archive_write_close(writer);
	archive_write_free(writer);
	return (struct bytes){.at = room, .length = used};
}

/* The XML parser scans an unfinished token again with each block that arrives. A token of 120 KB in
 * blocks of one octet would take longer than a mail may take, so blocks are joined first. */
static void the_octets_of_a_sparse_file_come_in_few_blocks(void **state)
{
	enum { OCTETS = 10000 };
	char text[2 * OCTETS];
	struct bytes made;
	struct eds_memory_source memory;
	struct eds_archive *archive;
	struct eds_source *member;
	const char *block;
	const char *name;
	size_t lengths[3] = {0};

	(void)state;
	memset(text, 'x', sizeof text);
	made = sparse_tar(text, sizeof text);
	intake = (struct eds_intake){.report = keep_report};
	eds_memory_source_init(&memory, made.at, made.length);
	archive = eds_archive_open(&intake, &memory.source, EDS_CONTAINER_TAR);
	member = eds_archive_member(archive, &name);
	assert_non_null(member);
	assert_string_equal(name, "a.xml");
	for (int i = 0; i < 3; i++)
		lengths[i] = eds_source_read(member, &block);
	assert_int_equal(lengths[0], 4096);
	assert_int_equal(lengths[1], 4096);
	assert_int_equal(lengths[2], OCTETS - 2 * 4096);
	assert_int_equal(eds_source_read(member, &block), 0);
	assert_int_equal(member->fault, EDS_FAULT_NONE);
	assert_null(eds_archive_member(archive, &name));
	eds_archive_close(archive);
}

static void the_next_part_of_an_uploaded_file_begins_after_the_reports_already_read(void **state)
{
	const char *members[2 * 25 + 1] = {NULL};
	struct bytes made;

	(void)state;
	for (int i = 0; i < 2 * 25; i++)
		members[i] = i % 2 == 0 ? rt_printf(&ctx, "%d.xml", i / 2) : XML_REPORT;
	made = write_members(archive_write_set_format_ustar, members);
	intake = (struct eds_intake){.report = keep_report, .of_file = true};
	eds_intake_mail(&intake, made.at, made.length);
	assert_int_equal(found_count, 20);
	assert_true(intake.cut);
	found_count = 0;
	intake = (struct eds_intake){.report = keep_report, .of_file = true, .skip = 20};
	eds_intake_mail(&intake, made.at, made.length);
	assert_int_equal(found_count, 5);
	assert_false(intake.cut);
	assert_string_equal(found[0].file, "20.xml");
}

static void reports_beyond_the_limit_are_not_read(void **state)
{
	struct archive *writer = archive_write_new();
	char *room = made_room();
	size_t used = 0;

	(void)state;
	archive_write_set_format_zip(writer);
	archive_write_open_memory(writer, room, MADE_BYTES_MAX, &used);
	for (int i = 0; i < EDS_REPORTS_MAX + 5; i++)
		write_member(writer, "a.xml", XML_REPORT, strlen(XML_REPORT));
	archive_write_close(writer);
	archive_write_free(writer);
	assert_read(read_bytes(room, used));
	assert_int_equal(found_count, 20);
	assert_true(intake.cut);
}

static void a_million_selectors_stay_within_the_memory_limit(void **state)
{
	const struct eds_report *report;
	struct rt_buffer xml;

	(void)state;
	rt_buffer_init(&xml, &ctx, 80 * MIB);
	rt_buffer_text(&xml, XML_HEAD XML_ROW("192.0.2.1", "2", "fail"));
	for (unsigned i = 0; i < 300000; i++)
		rt_buffer_format(&xml, XML_SIGNATURE("sender.example", "p%u", "fail"), i);
	for (unsigned i = 0; i < 10; i++)
		rt_buffer_format(&xml, XML_SIGNATURE("sender.example", "real%u", "pass"), i);
	rt_buffer_text(&xml, "</record>" XML_TAIL);
	report = read_bytes(xml.bytes, xml.length);
	assert_read(report);
	assert_int_equal(report->signature_count, 500);
	assert_int_equal(report->other_signatures, 300010 - 500);
	for (size_t i = 0; i < 10; i++)
		assert_true(strncmp(report->signatures[i].selector, "real", 4) == 0);
}

static void a_hundred_thousand_sources_are_summed(void **state)
{
	const struct eds_report *report;
	struct rt_buffer xml;

	(void)state;
	rt_buffer_init(&xml, &ctx, 80 * MIB);
	rt_buffer_text(&xml, XML_HEAD);
	for (unsigned i = 0; i < 100000; i++)
		rt_buffer_format(&xml, XML_ROW("10.%u.%u.%u", "2", "%s") "</record>", i >> 16,
			i >> 8 & 255, i & 255, i % 4 == 0 ? "fail" : "pass");
	rt_buffer_text(&xml, XML_TAIL);
	report = read_bytes(xml.bytes, xml.length);
	assert_read(report);
	assert_int_equal(report->row_count, 2000);
	assert_int_equal(report->records, 100000);
	assert_int_equal(report->messages, 200000);
	assert_int_equal(report->passed, 150000);
	assert_int_equal(report->records_of_other_rows, 100000 - 2000);
	assert_int_equal(report->messages_of_other_rows, 2 * (100000 - 2000));
}

static void counts_never_overflow(void **state)
{
	const struct eds_report *report = read_text(
		XML_HEAD XML_ROW("192.0.2.1", "9007199254740991", "pass") "</record>" XML_ROW(
			"192.0.2.1", "9007199254740991", "pass") "</record>" XML_ROW("192.0.2.2",
			"99999999999999999999", "pass") "</record>" XML_TAIL);

	(void)state;
	assert_read(report);
	assert_true(report->messages == 9007199254740991);
	assert_int_equal(report->records, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			reading_a_tar_of_long_names_alone_ends, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_octets_of_a_sparse_file_come_in_few_blocks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_next_part_of_an_uploaded_file_begins_after_the_reports_already_read,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_document_type_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			nested_entities_are_refused_unexpanded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(html_is_not_taken_for_a_report, set_up, tear_down),
		cmocka_unit_test_setup_teardown(deep_nesting_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			an_overlong_attribute_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_overlong_text_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_many_repairs_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_million_names_stay_within_the_memory_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_truncated_report_is_refused_and_what_was_read_is_shown, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			broken_xml_is_refused_with_the_line, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cdata_is_read_as_text, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_gzip_bomb_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_gzip_may_expand_to_64_mib_and_not_an_octet_more, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_zip_bomb_ends_the_reading_but_the_report_before_it_is_kept, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_zip_of_a_thousand_members_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			reports_beyond_the_limit_are_not_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_million_selectors_stay_within_the_memory_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_hundred_thousand_sources_are_summed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(counts_never_overflow, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
