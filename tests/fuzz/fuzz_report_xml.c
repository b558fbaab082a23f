/* The XML of a DMARC report. The first byte gives the size of the pieces in which it arrives.
 * Reading plain records without the parser must make no difference. */
#include "functions/lib/reports/xml/xml.h"
#include "tests/fuzz/fuzz_report.h"

enum {
	FIRST_LARGE = 128, /* values of the first octet from this one on stand for larger pieces */
	LARGE_STEP = 64,
};

struct pieces {
	struct eds_source source; /* first */
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

struct reading {
	struct rt_ctx *ctx;
	struct rt_buffer out;
};

/* Leaves out the number of octets read before a fault, because it depends on the size of the
 * pieces. */
static void keep_report(void *arg, const struct eds_report *report, enum eds_report_fault fault)
{
	struct reading *reading = arg;
	struct eds_report kept = *report;

	check_report(reading->ctx, report, fault);
	kept.xml_bytes = 0;
	eds_put_report(&reading->out, &kept, fault);
}

static size_t piece_of(uint8_t octet)
{
	if (octet == 0)
		return EDS_SOURCE_BLOCK;
	return octet < FIRST_LARGE ? octet : (size_t)(octet - FIRST_LARGE + 1) * LARGE_STEP;
}

static void read_xml(
	struct reading *reading, const uint8_t *data, size_t size, bool by_parser_alone)
{
	struct eds_intake intake = {
		.report = keep_report, .arg = reading, .by_parser_alone = by_parser_alone};
	struct pieces pieces = {.source = {.pull = pull}};

	rt_buffer_init(&reading->out, reading->ctx, EDS_FRAME_BYTES_MAX);
	pieces.at = (const char *)data + 1;
	pieces.left = size - 1;
	pieces.piece = piece_of(data[0]);
	eds_xml_read(&intake, &pieces.source, "");
	rt_buffer_text(&reading->out, intake.reason_text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct reading parsed = {.ctx = &ctx};
	struct reading read = {.ctx = &ctx};

	if (size > 0) {
		read_xml(&parsed, data, size, true);
		read_xml(&read, data, size, false);
		FUZZ_ASSERT(parsed.out.length == read.out.length);
		FUZZ_ASSERT(memcmp(parsed.out.bytes, read.out.bytes, read.out.length) == 0);
	}
	fuzz_end(&ctx);
	return 0;
}
