#include "functions/lib/posture/tlsa.h"

#include "runtime/buffer.h"

enum {
	HEAD_BYTES = 3,
	SHA256_BYTES = 32,
	SHA512_BYTES = 64,
	SHOWN_BYTES_MAX = SHA512_BYTES, /* maximum number of octets of the data that are shown; of a
					 * whole certificate only the beginning is shown */
	TEXT_MAX = 3 * 4 + 2 * SHOWN_BYTES_MAX + 8,
};

static enum eds_tlsa_verdict judge(const uint8_t *bytes, size_t length)
{
	size_t data = length - HEAD_BYTES;

	if (bytes[0] != 2 && bytes[0] != 3)
		return EDS_TLSA_USAGE;
	if (bytes[1] > 1)
		return EDS_TLSA_SELECTOR;
	if (bytes[2] > 2)
		return EDS_TLSA_MATCHING;
	if (data == 0 || (bytes[2] == 1 && data != SHA256_BYTES) ||
		(bytes[2] == 2 && data != SHA512_BYTES))
		return EDS_TLSA_LENGTH;
	return EDS_TLSA_USABLE;
}

static const char *text_of(struct rt_ctx *ctx, const uint8_t *bytes, size_t length)
{
	struct rt_buffer text;

	rt_buffer_init(&text, ctx, TEXT_MAX);
	rt_buffer_format(&text, "%u %u %u ", bytes[0], bytes[1], bytes[2]);
	for (size_t i = HEAD_BYTES; i < length && i < HEAD_BYTES + SHOWN_BYTES_MAX; i++)
		rt_buffer_format(&text, "%02x", bytes[i]);
	if (length > HEAD_BYTES + SHOWN_BYTES_MAX)
		rt_buffer_text(&text, "…");
	return text.bytes;
}

void eds_tlsa_read(struct rt_ctx *ctx, const struct eds_dns_record *record, struct eds_tlsa *tlsa)
{
	const uint8_t *bytes = (const uint8_t *)record->txt;

	*tlsa = (struct eds_tlsa){.verdict = EDS_TLSA_GARBLED, .text = ""};
	if (record->txt_length < HEAD_BYTES)
		return;
	tlsa->verdict = judge(bytes, record->txt_length);
	tlsa->text = text_of(ctx, bytes, record->txt_length);
}

const char *eds_tlsa_fault(enum eds_tlsa_verdict verdict)
{
	static const char *const faults[] = {
		[EDS_TLSA_USABLE] = "",
		[EDS_TLSA_GARBLED] = "is too short to be one",
		[EDS_TLSA_USAGE] = "has another usage than 2 and 3 (RFC 7672 section 3.1.3)",
		[EDS_TLSA_SELECTOR] = "has a selector other than 0 and 1",
		[EDS_TLSA_MATCHING] = "has a matching type other than 0, 1 and 2",
		[EDS_TLSA_LENGTH] = "has data whose length does not fit its matching type",
	};

	return faults[verdict];
}
