/* The XML of a DMARC report. The first byte gives the size of the pieces in which it arrives. */
#include "functions/lib/reports/xml/xml.h"
#include "tests/fuzz/fuzz_report.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_intake intake = {.report = check_report, .arg = &ctx};
	struct pieces pieces = {.source = {.pull = pull}};

	if (size > 0) {
		pieces.at = (const char *)data + 1;
		pieces.left = size - 1;
		pieces.piece = data[0] == 0 ? EDS_SOURCE_BLOCK : data[0];
		eds_xml_read(&intake, &pieces.source, "");
	}
	fuzz_end(&ctx);
	return 0;
}
