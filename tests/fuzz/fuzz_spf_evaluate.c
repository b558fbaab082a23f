/* A whole check_host(): the first line is CLIENT HELO MAIL-FROM, each further one a DNS record
 * (tests/support/zone.h). TXT data may hold any octet but a newline. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "functions/lib/spf/spf-evaluate.h"
#include "runtime/time.h"
#include "tests/support/zone.h"

enum {
	DEADLINE_MS = 60000,
	QUESTIONS_MAX =
		/* the sum of the limits of RFC 7208 section 4.6.4, repeated questions included */
	500,
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void load_record(struct zone *zone, const char *line, size_t length)
{
	char *copy = rt_memdup(zone->ctx, line, length);
	char *text = strstr(copy, " TXT ");

	if (text == NULL) {
		zone_load(zone, copy);
		return;
	}
	*text = '\0';
	text += strlen(" TXT ");
	zone_add(zone, copy, EDS_DNS_TXT, text, length - (size_t)(text - copy));
}

static bool read_input(
	struct rt_ctx *ctx, const char *line, size_t length, struct eds_spf_input *input)
{
	char *client = rt_memdup(ctx, line, length);
	char *helo = strchr(client, ' ');
	char *mail_from = helo != NULL ? strchr(helo + 1, ' ') : NULL;

	if (mail_from == NULL)
		return false;
	*helo++ = '\0';
	*mail_from++ = '\0';
	input->helo = helo;
	input->mail_from = mail_from;
	input->receiver = "mx.receiver.example";
	input->deadline_ms = rt_monotonic_ms() + DEADLINE_MS;
	return rt_ip_parse(client, &input->client);
}

static void check_result(const struct eds_spf_result *result, const struct zone *zone)
{
	bool error = result->code == EDS_SPF_NONE || result->code == EDS_SPF_TEMPERROR ||
		result->code == EDS_SPF_PERMERROR;

	require(error == (result->reason_code[0] != '\0'));
	require(strcmp(result->reason_code, "library-failure") != 0);
	require(result->code == EDS_SPF_FAIL || result->explanation[0] == '\0');
	require(!error || result->mechanism[0] == '\0');
	require(result->terms <= EDS_SPF_TERMS_MAX && result->void_lookups <= EDS_SPF_VOID_MAX);
	require(result->tree_count <= 1 + EDS_SPF_TERMS_MAX);
	require(zone->asked <= QUESTIONS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct eds_spf_input input = {0};
	struct eds_spf_result result;
	struct eds_lookup lookup;
	struct zone zone;
	const char *line = (const char *)data;
	bool first = true;
	bool usable = false;

	zone_init(&zone, &ctx);
	while (size > 0) {
		const char *end = memchr(line, '\n', size);
		size_t length = end != NULL ? (size_t)(end - line) : size;

		if (first)
			usable = read_input(&ctx, line, length, &input);
		else
			load_record(&zone, line, length);
		first = false;
		size -= end != NULL ? length + 1 : length;
		line += length + 1;
	}
	lookup = zone_lookup(&zone);
	if (usable) {
		eds_spf_evaluate(&ctx, &lookup, &input, &result);
		check_result(&result, &zone);
	}
	rt_arena_free(ctx.arena);
	return 0;
}
