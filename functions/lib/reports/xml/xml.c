#include "functions/lib/reports/xml/xml.h"

#include <expat.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions/lib/reports/text.h"
#include "functions/lib/reports/xml/aggregate.h"
#include "functions/lib/reports/xml/xml-email.h"
#include "functions/lib/reports/xml/xml-encoding.h"
#include "functions/lib/reports/xml/xml-memory.h"
#include "functions/lib/reports/xml/xml-records.h"
#include "functions/lib/reports/xml/xml-repair.h"

struct document {
	XML_Parser parser;
	struct eds_xml_repair repair;
	struct rt_ctx ctx;               /* memory for this document only */
	struct eds_aggregate *aggregate; /* NULL before the feedback element */
	enum eds_aggregate_element path[EDS_REPORT_DEPTH_MAX + 1];
	unsigned depth;
	bool complete; /* the end tag of the feedback element was read, or the report is skipped */
	bool html;     /* the document is HTML, which mail programs add */
	bool skipped;  /* the report is not handed out, so nothing after its beginning is read */
	bool bare_email;
	enum eds_report_fault fault;
	char fault_text[EDS_REPORT_TEXT_MAX + 1];
	uint64_t fed;       /* number of octets given to the parser */
	uint64_t beside;    /* number of octets in records that were read without the parser */
	uint64_t lines;     /* number of line ends in records that were read without the parser */
	size_t text_octets; /* octets of the current element's text, kept or not */
	size_t text_length;
	/* `records` and `text` come last and are not cleared, so that their memory is touched only
	 * when it is used */
	struct eds_xml_records records;
	char text[EDS_REPORT_ELEMENT_MAX + 1];
};

static void stop(struct document *document, enum eds_report_fault fault)
{
	document->fault = fault;
	XML_StopParser(document->parser, XML_FALSE);
}

/* Stops at a DOCTYPE, because only a DOCTYPE can define entities. */
static void on_doctype(void *arg, const XML_Char *name, const XML_Char *system_id,
	const XML_Char *public_id, int has_internal_subset)
{
	struct document *document = arg;

	(void)system_id;
	(void)public_id;
	document->html = eds_text_is(name, "html") && !has_internal_subset;
	stop(document, EDS_FAULT_DOCTYPE);
}

static void on_start(void *arg, const XML_Char *name, const XML_Char **attributes)
{
	struct document *document = arg;
	enum eds_aggregate_element element;

	(void)attributes;
	if (document->depth == EDS_REPORT_DEPTH_MAX) {
		stop(document, EDS_FAULT_TOO_DEEP);
		return;
	}
	if (XML_GetCurrentByteCount(document->parser) > EDS_REPORT_ELEMENT_MAX) {
		stop(document, EDS_FAULT_TEXT_TOO_LONG);
		return;
	}
	element = eds_aggregate_child(document->path[document->depth], name, strlen(name));
	document->path[++document->depth] = element;
	document->text_octets = document->text_length = 0;
	if (document->aggregate == NULL && element == EDS_ELEMENT_FEEDBACK) {
		document->aggregate = eds_aggregate_new(&document->ctx);
		document->complete = document->skipped;
		if (document->skipped)
			XML_StopParser(document->parser, XML_FALSE);
	}
	if (document->aggregate != NULL)
		eds_aggregate_begin(document->aggregate, element);
}

static void on_end(void *arg, const XML_Char *name)
{
	struct document *document = arg;
	enum eds_aggregate_element element;
	size_t length = document->text_length;
	char *text;

	(void)name;
	if (document->fault != EDS_FAULT_NONE)
		return; /* expat calls the end handler of an empty element even when its start
			 * handler stopped the parser */
	element = document->path[document->depth--];
	if (element >= EDS_ELEMENT_TEXT) {
		text = (char *)(uintptr_t)eds_text_trim(document->text, &length);
		text[length] = '\0';
		eds_aggregate_end(document->aggregate, element, text, length);
	} else if (element > EDS_ELEMENT_FEEDBACK) {
		eds_aggregate_end(document->aggregate, element, "", 0);
	} else if (element == EDS_ELEMENT_FEEDBACK) {
		document->complete = true;
		XML_StopParser(document->parser, XML_FALSE);
	}
	document->text_octets = document->text_length = 0;
}

static void on_text(void *arg, const XML_Char *text, int length)
{
	struct document *document = arg;

	document->text_octets += (size_t)length;
	if (document->text_octets > EDS_REPORT_ELEMENT_MAX) {
		stop(document, EDS_FAULT_TEXT_TOO_LONG);
		return;
	}
	if (document->path[document->depth] < EDS_ELEMENT_TEXT)
		return;
	memcpy(document->text + document->text_length, text, (size_t)length);
	document->text_length += (size_t)length;
}

static void on_cdata_start(void *arg)
{
	struct document *document = arg;

	document->repair.in_cdata = true;
}

static void on_cdata_end(void *arg)
{
	struct document *document = arg;

	document->repair.in_cdata = false;
}

/* Distinguishes a document that ends in the middle from one that is malformed elsewhere. */
static enum eds_report_fault parser_fault(struct document *document)
{
	enum XML_Error error = XML_GetErrorCode(document->parser);

	switch (error) {
	case XML_ERROR_NO_ELEMENTS:
	case XML_ERROR_UNCLOSED_TOKEN:
	case XML_ERROR_UNCLOSED_CDATA_SECTION:
	case XML_ERROR_PARTIAL_CHAR:
		return EDS_FAULT_TRUNCATED;
	case XML_ERROR_NO_MEMORY:
		snprintf(document->fault_text, sizeof document->fault_text,
			"The report has more different names of elements and attributes than any "
			"report needs.");
		return EDS_FAULT_MALFORMED;
	default:
		break;
	}
	snprintf(document->fault_text, sizeof document->fault_text,
		"The report is not well-formed XML: %s in line %lu.", XML_ErrorString(error),
		(unsigned long)(document->lines + XML_GetCurrentLineNumber(document->parser)));
	return EDS_FAULT_MALFORMED;
}

/* The parser buffers an unfinished token. This limit stops a token that is longer than any in a
 * real report. */
static bool token_too_long(const struct document *document)
{
	return (XML_Index)document->fed - XML_GetCurrentByteIndex(document->parser) >
		2 * EDS_SOURCE_BLOCK;
}

static bool feed(void *arg, const char *bytes, size_t length)
{
	struct document *document = arg;

	document->fed += length;
	if (XML_Parse(document->parser, bytes, (int)length, XML_FALSE) != XML_STATUS_OK) {
		if (document->fault == EDS_FAULT_NONE && !document->complete)
			document->fault = parser_fault(document);
		return false;
	}
	if (token_too_long(document))
		document->fault = EDS_FAULT_TEXT_TOO_LONG;
	else if (document->aggregate == NULL && document->fed > EDS_REPORT_PROLOG_MAX)
		document->fault = EDS_FAULT_NO_REPORT;
	return document->fault == EDS_FAULT_NONE;
}

static void create_parser(struct document *document, const char *encoding)
{
	document->parser = XML_ParserCreate_MM(encoding, &eds_xml_memory, NULL);
	if (document->parser == NULL)
		abort();
	XML_SetUserData(document->parser, document);
	XML_SetElementHandler(document->parser, on_start, on_end);
	XML_SetCharacterDataHandler(document->parser, on_text);
	XML_SetCdataSectionHandler(document->parser, on_cdata_start, on_cdata_end);
	XML_SetStartDoctypeDeclHandler(document->parser, on_doctype);
}

static bool repair(void *arg, const char *bytes, size_t length)
{
	struct document *document = arg;

	return eds_xml_repair(&document->repair, bytes, length, false);
}

/* Returns the report when a record that the parser does not read may come next; otherwise NULL. The
 * parser must have no unfinished token: its position is then behind the last octet that it was
 * given. */
static struct eds_aggregate *between_records(void *arg)
{
	struct document *document = arg;

	if (document->path[document->depth] != EDS_ELEMENT_FEEDBACK ||
		document->depth + EDS_XML_PLAIN_DEPTH_MAX > EDS_REPORT_DEPTH_MAX ||
		document->repair.carried > 0 || document->repair.in_cdata ||
		XML_GetCurrentByteIndex(document->parser) != (XML_Index)document->fed)
		return NULL;
	return document->aggregate;
}

static void count_record(void *arg, const struct eds_xml_plain_extent *extent)
{
	struct document *document = arg;

	document->beside += extent->octets;
	document->lines += extent->lines;
	document->text_octets = 0;
}

static bool pass_on(struct document *document, const struct eds_xml_encoding *encoding,
	const char *block, size_t length)
{
	if (encoding->ascii)
		return eds_xml_records(&document->records, block, length);
	return length == 0 || feed(document, block, length);
}

/* Passes on the first block, and corrects an address in it that is written like a tag. */
static bool pass_first(struct document *document, const struct eds_xml_encoding *encoding,
	const char *block, size_t length)
{
	char escaped[EDS_XML_EMAIL_ESCAPED];
	size_t escaped_length;
	size_t begin;
	size_t end;

	if (!encoding->ascii || !eds_xml_email_is_bare(block, length, &begin, &end))
		return pass_on(document, encoding, block, length);
	document->bare_email = true;
	eds_xml_email_escape(block + begin, end - begin, escaped, &escaped_length);
	return pass_on(document, encoding, block, begin) &&
		pass_on(document, encoding, escaped, escaped_length) &&
		pass_on(document, encoding, block + end, length - end);
}

/* Makes the parser process input that it may have deferred. */
static void finish(struct document *document, const struct eds_xml_encoding *encoding)
{
	if (encoding->ascii && !eds_xml_repair(&document->repair, "", 0, true))
		return;
	if (XML_Parse(document->parser, "", 0, XML_TRUE) != XML_STATUS_OK &&
		document->fault == EDS_FAULT_NONE && !document->complete)
		document->fault = parser_fault(document);
}

/* Parses up to the end tag of feedback; without that tag the report counts as cut short. */
static void parse(struct document *document, struct eds_source *source,
	const struct eds_xml_encoding *encoding)
{
	const char *block;
	size_t length = eds_source_read(source, &block);
	bool goes_on = length > 0 &&
		pass_first(document, encoding, block + encoding->skip, length - encoding->skip);

	while (goes_on && (length = eds_source_read(source, &block)) > 0)
		goes_on = pass_on(document, encoding, block, length);
	if (goes_on)
		goes_on = eds_xml_records_end(&document->records);
	if (goes_on && source->fault == EDS_FAULT_NONE)
		finish(document, encoding);
	if (document->complete || document->fault != EDS_FAULT_NONE)
		return;
	if (document->repair.repairs > EDS_XML_REPAIRS_MAX) {
		document->fault = EDS_FAULT_MALFORMED;
		snprintf(document->fault_text, sizeof document->fault_text,
			"The report has more than %d octets that XML forbids.",
			EDS_XML_REPAIRS_MAX);
		return;
	}
	document->fault = source->fault != EDS_FAULT_NONE ? source->fault : EDS_FAULT_TRUNCATED;
}

static const char *sentence_of(const struct document *document)
{
	return document->fault_text[0] != '\0' ? document->fault_text
					       : eds_report_fault_sentence(document->fault);
}

/* Accepts the complete records of a report with a flaw: the report was cut short (for example by a
 * mail program or a full disk), or it is malformed somewhere in the middle. */
static void take_flawed(struct document *document)
{
	struct eds_report *report = &document->aggregate->report;
	enum eds_report_fault fault = document->fault;

	if (report->domain == NULL || report->domain[0] == '\0' ||
		!eds_sums_has_records(document->aggregate->sums) ||
		(fault != EDS_FAULT_TRUNCATED && fault != EDS_FAULT_MALFORMED &&
			fault != EDS_FAULT_ARCHIVE_DAMAGED))
		return;
	report->flaw_code = eds_report_fault_code(
		fault == EDS_FAULT_MALFORMED ? fault : EDS_FAULT_TRUNCATED);
	report->flaw = rt_printf(
		&document->ctx, "%s Its complete records are kept.", sentence_of(document));
	document->fault = EDS_FAULT_NONE;
}

static void hand_out(struct document *document, struct eds_intake *intake, const char *file)
{
	struct eds_report *report = &document->aggregate->report;

	if (document->complete && (report->domain == NULL || report->domain[0] == '\0'))
		document->fault = EDS_FAULT_NO_DOMAIN;
	report->file = file;
	report->repaired = document->repair.repairs > 0;
	report->xml_bytes = document->fed + document->beside;
	if (document->bare_email && document->fault == EDS_FAULT_NONE) {
		report->flaw_code = "report-email-bare";
		report->flaw = "The report has an address in angle brackets, which is not XML; it "
			       "was read as text.";
	}
	take_flawed(document);
	if (document->fault == EDS_FAULT_NONE)
		eds_sums_give(document->aggregate->sums, report);
	else
		report->fault = sentence_of(document);
	eds_intake_report(intake, report, document->fault);
}

/* Too much XML without a report ends the reading of an uploaded file, because each call of
 * eds_report_read_file() reads that XML again. */
static void count_other(
	const struct document *document, struct eds_intake *intake, const char *file)
{
	intake->other += document->fed;
	if (!intake->of_file || intake->other <= EDS_FILE_OTHER_MAX)
		return;
	eds_intake_pass_over(intake, EDS_FAULT_TOO_LARGE,
		"The file has too much XML that is not a report; the rest of the file was not "
		"read.",
		file);
	intake->spent = true;
}

/* HTML and other XML do not count as a report. A document type or an exceeded limit is kept as the
 * reason, since a report may follow after the place where the reading stopped.
 */
static void pass_over(struct document *document, struct eds_intake *intake, const char *file)
{
	enum eds_report_fault fault = document->fault;

	if (document->html ||
		(fault != EDS_FAULT_DOCTYPE && fault != EDS_FAULT_TOO_LARGE &&
			fault != EDS_FAULT_BOMB && fault != EDS_FAULT_TOO_DEEP &&
			fault != EDS_FAULT_TEXT_TOO_LONG))
		fault = EDS_FAULT_NO_REPORT;
	eds_intake_pass_over(intake, fault, NULL, file);
	count_other(document, intake, file);
}

static void plan_records(struct document *document, bool by_parser_alone)
{
	struct eds_xml_records *records = &document->records;

	records->pass = repair;
	records->between = between_records;
	records->read = count_record;
	records->arg = document;
	records->misses = by_parser_alone ? EDS_XML_RECORDS_MISSES_MAX : 0;
	records->held = 0;
}

void eds_xml_read(struct eds_intake *intake, struct eds_source *source, const char *file)
{
	struct rt_ctx ctx = {.arena = NULL};
	struct document *document;
	const char *block;
	size_t length = eds_source_peek(source, &block);
	struct eds_xml_encoding encoding = eds_xml_encoding_of(block, length);

	if (encoding.name == NULL) {
		eds_intake_pass_over(intake, EDS_FAULT_ENCODING, NULL, file);
		return;
	}
	ctx.arena = rt_arena_new();
	document = rt_arena_alloc_raw(ctx.arena, sizeof *document);
	memset(document, 0, offsetof(struct document, records));
	document->ctx.arena = ctx.arena;
	document->repair = (struct eds_xml_repair){
		.take = feed, .arg = document, .octets = encoding.repair};
	document->skipped = eds_intake_skips(intake);
	plan_records(document, intake->by_parser_alone);
	create_parser(document, encoding.name);
	parse(document, source, &encoding);
	if (document->aggregate != NULL)
		hand_out(document, intake, file);
	else
		pass_over(document, intake, file);
	XML_ParserFree(document->parser);
	rt_arena_free(ctx.arena);
}
