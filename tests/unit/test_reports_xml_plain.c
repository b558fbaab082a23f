/* Plain records of a report: that reading them without the parser makes no difference. */
#include "tests/unit/reports_fixture.h"

#include "functions/lib/reports/xml/xml-plain.h"
#include "functions/lib/reports/xml/xml.h"

enum {
	/* octets between two cuts; a prime, so that similar reports are cut at different places */
	CUT_STEP = 11,
};

/* A source that gives pieces of one size. */
struct pieces {
	struct eds_source source; /* must be the first member */
	const char *at;
	size_t left;
	size_t piece;
};

static size_t pull(struct eds_source *source, const char **block)
{
	struct pieces *pieces = (struct pieces *)source;
	size_t length = pieces->left < pieces->piece ? pieces->left : pieces->piece;

	*block = pieces->at;
	pieces->at += length;
	pieces->left -= length;
	return length;
}

/* Leaves out the number of octets read before a fault, because it depends on the size of the
 * pieces. */
static void keep_octets(void *arg, const struct eds_report *report, enum eds_report_fault fault)
{
	struct eds_report kept = *report;

	kept.xml_bytes = 0;
	eds_put_report(arg, &kept, fault);
}

/* Reads the XML in pieces of this size, and writes the frames that a parent would get into out. */
static void read_pieces(struct rt_ctx *own, struct rt_buffer *out, struct bytes xml, size_t piece,
	bool by_parser_alone)
{
	struct eds_intake taken = {
		.report = keep_octets, .arg = out, .by_parser_alone = by_parser_alone};
	struct pieces pieces = {
		.source = {.pull = pull}, .at = xml.at, .left = xml.length, .piece = piece};

	rt_buffer_init(out, own, EDS_FRAME_BYTES_MAX);
	eds_xml_read(&taken, &pieces.source, "");
	if (taken.count == 0)
		rt_buffer_text(out, taken.reason_text);
}

static void assert_same(struct bytes xml, size_t piece)
{
	struct rt_ctx own = {.arena = rt_arena_new()};
	struct rt_buffer parsed;
	struct rt_buffer read;

	read_pieces(&own, &parsed, xml, piece, true);
	read_pieces(&own, &read, xml, piece, false);
	if (parsed.length != read.length || memcmp(parsed.bytes, read.bytes, read.length) != 0)
		fail_msg("in pieces of %zu differs: %.*s", piece, (int)xml.length, xml.at);
	rt_arena_free(own.arena);
}

/* Compares both ways of reading: of the whole report, of the report in pieces, and of the report
 * cut off at many places. */
static void assert_no_difference(const char *text)
{
	static const size_t sizes[] = {1, 7, 64, 1000, EDS_SOURCE_BLOCK};
	struct bytes xml = {text, strlen(text)};

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		assert_same(xml, sizes[i]);
	for (; xml.length > CUT_STEP; xml.length -= CUT_STEP)
		assert_same(xml, EDS_SOURCE_BLOCK);
}

static enum eds_xml_plain look(const char *text, struct eds_xml_plain_extent *extent)
{
	return eds_xml_plain_record(eds_aggregate_new(&ctx), text, strlen(text), extent);
}

static void assert_is(enum eds_xml_plain expected, const char *text)
{
	struct eds_xml_plain_extent extent;

	if (look(text, &extent) != expected)
		fail_msg("not as expected: %s", text);
}

static void a_plain_record_is_read_up_to_its_end(void **state)
{
	struct eds_xml_plain_extent extent;
	const char *text = "\n\r\n<record>\n<row><count>1</count></row></record>\n<";

	(void)state;
	assert_int_equal(look(text, &extent), EDS_XML_PLAIN_READ);
	assert_int_equal(extent.octets, strlen(text) - 2);
	assert_int_equal(extent.lines, 3);
}

static void a_record_is_cut_until_the_next_tag_begins(void **state)
{
	const char *text = "\n<record><row><count>1</count></row><unheard_of/></record>";

	(void)state;
	for (size_t length = 0; length <= strlen(text); length++)
		assert_is(EDS_XML_PLAIN_CUT, rt_memdup(&ctx, text, length));
	assert_is(EDS_XML_PLAIN_READ, rt_printf(&ctx, "%s<", text));
}

static void xml_that_needs_the_parser_is_not_plain(void **state)
{
	static const char *const others[] = {
		"</feedback>",
		"<records>",
		"<record >",
		"<record/>",
		"<!-- -->",
		"& <record></record>",
		"]]> <record></record>",
		"\r<record></record>",
		"<record><row x='1'></row></record>",
		"<record><a:row></a:row></record>",
		"<record><row></rows></record>",
		"<record><row></ro></record>",
		"<record></row></record>",
		"<record><row/ ></record>",
		"<record><1row></1row></record>",
		"<record><></></record>",
		"<record><!-- --></record>",
		"<record><?a b?></record>",
		"<record><row>\001</row></record>",
		"<record><row>\xc3\xa9</row></record>",
		"<record><row>]]></row></record>",
		"<record><row>a\rb</row></record>",
		"<record><row><count>&#49;</count></row></record>",
		"<record><row><count>1\r\n</count></row></record>",
		"<record><a><a><a><a><a><a><a><a></a></a></a></a></a></a></a></a></record>",
	};

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		assert_is(EDS_XML_PLAIN_OTHER, rt_printf(&ctx, "%s <", others[i]));
}

#define RECORD(inside) XML_HEAD XML_RECORD "\n<record>" inside "</record>\r\n" XML_RECORD XML_TAIL

static void the_fast_path_reads_reports_as_the_parser_does(void **state)
{
	static const char *const reports[] = {
		XML_REPORT,
		XML_HEAD "\n" XML_RECORD "\n" XML_RECORD "\n" XML_TAIL,
		XML_HEAD XML_RECORD
		"<policy_published><p>none</p></policy_published>" XML_RECORD XML_TAIL,
		"<a><feedback><policy_published><domain>a.example</domain></policy_published>" XML_RECORD
			XML_RECORD XML_TAIL "</a>",
		"<d:feedback><policy_published><domain>a.example</domain></policy_published>" XML_RECORD
		"</d:feedback>",
		RECORD(""),
		RECORD("<row><source_ip> 2001:db8::1\n</source_ip><count/></row>"),
		RECORD("<row>a<count>1<b>2</b>3</count>c</row>"),
		RECORD("<row><count>2</count><count>3</count></row><row/>"),
		RECORD("<record><row><count>9</count></row></record>"),
		RECORD("<row><policy_evaluated><reason><type>forwarded</type><comment>a > b [x]"
		       "</comment></reason></policy_evaluated></row>"),
		RECORD("<identifiers><header_from>A.Example.</header_from><envelope_from/>"
		       "</identifiers><auth_results><spf><domain>b.example</domain>"
		       "<scope>mfrom</scope></spf></auth_results>"),
		RECORD("<row><count>&#52;</count></row>"),
		RECORD("<row><count>4</count></row><![CDATA[<record></record>]]>"),
		RECORD("<row><count>4</count></row><!-- <record></record> -->"),
		RECORD("<row><count>4</row>"),
		RECORD("<row x='<record>'><count>4</count></row>"),
		RECORD("<row><count>4</count></row>]]>"),
		RECORD("<row>\n\n\001</row>"),
		RECORD("<row>\xff</row>"),
		RECORD("<a><a><a><a><a><a><a><a>9</a></a></a></a></a></a></a></a>"),
		XML_HEAD "<!-- " XML_RECORD " -->" XML_RECORD XML_TAIL,
		XML_HEAD "<![CDATA[" XML_RECORD "]]>" XML_RECORD XML_TAIL,
		XML_HEAD XML_RECORD "]]" XML_RECORD ">" XML_TAIL,
		XML_HEAD XML_RECORD "a&b" XML_RECORD XML_TAIL,
		XML_HEAD XML_RECORD "\r" XML_RECORD "\n" XML_TAIL,
		XML_HEAD XML_RECORD "</record>" XML_RECORD XML_TAIL,
		XML_HEAD XML_RECORD "<feedback>" XML_RECORD "</feedback>" XML_TAIL,
	};

	(void)state;
	for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++)
		assert_no_difference(reports[i]);
}

static const char *with_signatures(size_t count)
{
	const char *signature = XML_SIGNATURE("sender.example", "s2", "fail");

	return rt_printf(&ctx,
		XML_HEAD XML_RECORD
		"<record><row><count>5</count></row>%s</record>" XML_RECORD XML_TAIL,
		repeated(signature, count));
}

static void the_fast_path_reads_records_at_the_limits_as_the_parser_does(void **state)
{
	const char *long_text = repeated("x", 600);

	(void)state;
	for (size_t count = EDS_AGGREGATE_SIGNATURES - 1; count < EDS_AGGREGATE_SIGNATURES + 3;
		count++)
		assert_same((struct bytes){with_signatures(count), strlen(with_signatures(count))},
			EDS_SOURCE_BLOCK);
	for (size_t length = 500; length < 600; length += 4) {
		const char *text = rt_printf(&ctx,
			XML_HEAD XML_RECORD
			"<record><auth_results><dkim><human_result>%.*s"
			"</human_result></dkim></auth_results></record>" XML_RECORD XML_TAIL,
			(int)length, long_text);

		assert_same((struct bytes){text, strlen(text)}, EDS_SOURCE_BLOCK);
	}
}

static void the_fast_path_reads_a_long_record_as_the_parser_does(void **state)
{
	(void)state;
	for (size_t blanks = EDS_XML_PLAIN_BYTES_MAX - 300; blanks < EDS_XML_PLAIN_BYTES_MAX + 20;
		blanks += 5) {
		const char *text = rt_printf(&ctx,
			XML_HEAD XML_RECORD
			"<record><row><count>5</count></row>%s</record>" XML_RECORD XML_TAIL,
			repeated(" ", blanks));
		struct bytes xml = {text, strlen(text)};

		assert_same(xml, blanks % 2 == 0 ? 4096 : EDS_SOURCE_BLOCK);
	}
}

static void the_line_of_a_fault_counts_all_records(void **state)
{
	const struct eds_report *report = read_text(
		XML_HEAD "\n" XML_RECORD "\n" XML_RECORD "\r\n" XML_RECORD "\n<record></feedback>");

	(void)state;
	assert_read(report);
	assert_int_equal(report->records, 3);
	assert_string_equal(report->flaw,
		"The report is not well-formed XML: mismatched tag in line 6. Its complete records "
		"are kept.");
}

static void all_octets_of_a_report_are_counted(void **state)
{
	const char *text = XML_HEAD "\n" XML_RECORD "\n" XML_RECORD "</feedback>";

	(void)state;
	assert_int_equal(read_text(text)->xml_bytes, strlen(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_plain_record_is_read_up_to_its_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_record_is_cut_until_the_next_tag_begins, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			xml_that_needs_the_parser_is_not_plain, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_fast_path_reads_reports_as_the_parser_does, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_fast_path_reads_records_at_the_limits_as_the_parser_does, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			the_fast_path_reads_a_long_record_as_the_parser_does, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_line_of_a_fault_counts_all_records, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			all_octets_of_a_report_are_counted, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
