/* The answer of a hostile service, as each command of eds shows it. */
#include <stdio.h>

#include "local/eds/command.h"
#include "local/eds/text.h"
#include "runtime/text/utf8.h"
#include "tests/fuzz/fuzz.h"

/* No control character except line ends, no C1 control, and no mark of direction. */
static void require_quiet(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		FUZZ_ASSERT((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t');
		FUZZ_ASSERT(rt_utf8_length(text + i, length - i) > 0 || (c & 0xc0) == 0x80);
		FUZZ_ASSERT(c != 0xc2 || (unsigned char)text[i + 1] >= 0xa0);
		FUZZ_ASSERT(strncmp(text + i, "\342\200\256", 3) != 0);
	}
}

static void show(struct rt_ctx *ctx, const struct cli_command *command, const json_t *data)
{
	struct cli_call call = {.ctx = ctx, .command = command};
	FILE *terminal = stdout;
	char *text = NULL;
	size_t length = 0;
	int status;

	stdout = open_memstream(&text, &length);
	status = command->show(&call, data);
	fclose(stdout);
	stdout = terminal;
	FUZZ_ASSERT(status == CLI_DONE || status == CLI_NOT_WELL || status == CLI_UNDECIDED);
	require_quiet(text, length);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	const char *text = (const char *)data;
	json_t *json;
	json_t *again;

	rt_json_use_arena(ctx.arena);
	if (rt_json_parse(&ctx, text, size, &json) == RT_OK) {
		char *clean = cli_clean_json(&ctx, text, size);

		require_quiet(clean, strlen(clean));
		FUZZ_ASSERT(rt_json_parse(&ctx, clean, strlen(clean), &again) == RT_OK);
		FUZZ_ASSERT(json_equal(json, again));
		for (size_t i = 0; cli_groups[i] != NULL; i++)
			for (const struct cli_command *one = cli_groups[i]; one->name != NULL;
				one++)
				if (one->show != NULL)
					show(&ctx, one, json);
	}
	rt_json_use_arena(NULL);
	fuzz_end(&ctx);
	return 0;
}
