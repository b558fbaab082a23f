#include "functions/lib/mail/form.h"
#include "functions/lib/mail/from.h"
#include "tests/fuzz/fuzz.h"

static void check_field(
	struct rt_ctx *ctx, const struct eds_field *field, const char *message, size_t size)
{
	FUZZ_ASSERT(field->name >= message && field->name_length > 0);
	FUZZ_ASSERT(field->value > field->name + field->name_length - 1);
	FUZZ_ASSERT(field->value + field->value_length <= message + size);
	FUZZ_ASSERT(strlen(eds_field_text(ctx, field)) <= 8 * 1024);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *message = (const char *)data;
	struct rt_ctx ctx = fuzz_begin();
	struct eds_header header;
	struct eds_form form;
	struct eds_from from;

	eds_header_read(&ctx, message, size, &header);
	FUZZ_ASSERT(header.body_offset <= size && header.count <= EDS_HEADER_FIELDS_MAX);
	for (size_t i = 0; i < header.count; i++)
		check_field(&ctx, &header.fields[i], message, size);
	eds_form_read(&ctx, message, size, &header, &form);
	FUZZ_ASSERT(form.longest_line <= size && form.doubled.count <= EDS_FORM_NAMES_MAX);
	FUZZ_ASSERT(form.bare_lf || memmem(message, size, "\n", 1) == NULL ||
		memmem(message, size, "\r\n", 2) != NULL);
	FUZZ_ASSERT(strlen(eds_form_names_text(&ctx, &form.eight_bit)) <=
		EDS_FORM_NAMES_MAX * (EDS_FORM_NAME_BYTES_MAX + 2));
	eds_from_read(&ctx, &header, &from);
	FUZZ_ASSERT(from.state != EDS_FROM_ONE || from.count == 1);
	fuzz_end(&ctx);
	return 0;
}
