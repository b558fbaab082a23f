/* The public RFC 7208 test suite: $VECTORS/spf/rfc7208-tests.json, every test through
 * eds_spf_evaluate(). Prints each failure and how many passed; fails unless all do. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "functions/lib/spf/spf-evaluate.h"
#include "tests/support/zone.h"

enum {
	PATH_BYTES = 4096,
	DATA_BYTES = 8192,
	DEADLINE_MS = 5000,
};

struct tally {
	unsigned passed;
	unsigned failed;
};

/* Several strings of one record are joined. */
static size_t join_strings(const json_t *value, char data[DATA_BYTES])
{
	size_t length = 0;
	size_t index;
	json_t *piece;

	if (json_is_string(value)) {
		length = json_string_length(value);
		memcpy(data, json_string_value(value), length);
	}
	json_array_foreach(value, index, piece)
	{
		memcpy(data + length, json_string_value(piece), json_string_length(piece));
		length += json_string_length(piece);
	}
	return length;
}

/* The suite writes octets over 127 as characters of the same number. */
static size_t octets_of(char *data, size_t length)
{
	size_t out = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)data[i];

		if (c >= 0xc2 && c <= 0xc3 && i + 1 < length)
			data[out++] = (char)(((c & 3u) << 6) | (data[++i] & 0x3f));
		else
			data[out++] = (char)c;
	}
	return out;
}

static void add_text(struct zone *zone, const char *name, const json_t *value)
{
	char data[DATA_BYTES];
	size_t length = join_strings(value, data);

	length = octets_of(data, length);
	zone_add(zone, name, EDS_DNS_TXT, data, length);
}

static void add_mx(struct zone *zone, const char *name, const json_t *value)
{
	char data[DATA_BYTES];

	snprintf(data, sizeof data, "%d %s", (int)json_integer_value(json_array_get(value, 0)),
		json_string_value(json_array_get(value, 1)));
	zone_add(zone, name, EDS_DNS_MX, data, strlen(data));
}

static void add_record(struct zone *zone, const char *name, const char *type, const json_t *value)
{
	static const struct {
		const char *name;
		enum eds_dns_type type;
	} plain[] = {
		{"A", EDS_DNS_A},
		{"AAAA", EDS_DNS_AAAA},
		{"PTR", EDS_DNS_PTR},
		{"CNAME", EDS_DNS_CNAME},
	};
	const char *text = json_string_value(value);

	if (strcmp(type, "MX") == 0)
		add_mx(zone, name, value);
	else if (strcmp(type, "TXT") == 0 && (text == NULL || strcmp(text, "NONE") != 0))
		add_text(zone, name, value);
	for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
		if (strcmp(type, plain[i].name) == 0)
			zone_add(zone, name, plain[i].type, text, strlen(text));
}

static bool has_txt(const json_t *entries)
{
	size_t index;
	json_t *entry;

	json_array_foreach(
		entries, index, entry) if (json_object_get(entry, "TXT") != NULL) return true;
	return false;
}

/* A name without TXT answers its SPF-type records for TXT; TIMEOUT and RCODE come last. */
static void add_name(struct zone *zone, const char *name, json_t *entries)
{
	bool txt = has_txt(entries);
	size_t index;
	json_t *entry;
	const char *type;
	json_t *value;

	json_array_foreach(entries, index, entry)
	{
		json_object_foreach(entry, type, value)
		{
			if (strcmp(type, "SPF") != 0)
				add_record(zone, name, type, value);
			else if (!txt)
				add_text(zone, name, value);
		}
	}
	json_array_foreach(entries, index, entry) if (json_is_string(entry))
		zone_fail(zone, name, json_string_value(entry));
}

static bool result_expected(const json_t *expected, const char *result)
{
	size_t index;
	json_t *one;

	if (json_is_string(expected))
		return strcmp(json_string_value(expected), result) == 0;
	json_array_foreach(
		expected, index, one) if (strcmp(json_string_value(one), result) == 0) return true;
	return false;
}

/* "DEFAULT" is what a receiver says when the domain explains nothing. */
static bool explanation_expected(const json_t *test, const char *explanation)
{
	const char *expected = json_string_value(json_object_get(test, "explanation"));

	if (expected == NULL)
		return true;
	return strcmp(strcmp(expected, "DEFAULT") == 0 ? "" : expected, explanation) == 0;
}

static const char *member(const json_t *test, const char *key)
{
	const char *value = json_string_value(json_object_get(test, key));

	return value != NULL ? value : "";
}

static void run_test(struct zone *zone, const char *name, const json_t *test, struct tally *tally)
{
	struct eds_spf_input input = {
		.helo = member(test, "helo"),
		.mail_from = member(test, "mailfrom"),
		.receiver = "receiver.example",
		.deadline_ms = rt_monotonic_ms() + DEADLINE_MS,
	};
	struct eds_lookup lookup = zone_lookup(zone);
	struct eds_spf_result result;

	rt_ip_parse(member(test, "host"), &input.client);
	eds_spf_evaluate(zone->ctx, &lookup, &input, &result);
	if (result_expected(json_object_get(test, "result"), eds_spf_code_name(result.code)) &&
		explanation_expected(test, result.explanation)) {
		tally->passed++;
		return;
	}
	tally->failed++;
	printf("%s: got %s \"%s\" (%s), expected %s \"%s\"\n", name, eds_spf_code_name(result.code),
		result.explanation, result.reason, member(test, "result"),
		member(test, "explanation"));
}

static void run_scenario(const json_t *scenario, struct tally *tally)
{
	struct rt_arena *arena = rt_arena_new();
	struct rt_ctx ctx = {.arena = arena, .deadline_ms = rt_monotonic_ms() + DEADLINE_MS};
	struct zone zone;
	const char *name;
	json_t *value;

	zone_init(&zone, &ctx);
	json_object_foreach(json_object_get(scenario, "zonedata"), name, value)
		add_name(&zone, name, value);
	json_object_foreach(json_object_get(scenario, "tests"), name, value)
		run_test(&zone, name, value, tally);
	rt_arena_free(arena);
}

int main(void)
{
	const char *vectors = getenv("VECTORS");
	char path[PATH_BYTES];
	struct tally tally = {0};
	json_error_t error;
	json_t *suite;
	json_t *scenario;
	size_t index;

	snprintf(path, sizeof path, "%s/spf/rfc7208-tests.json",
		vectors != NULL ? vectors : "../shared/vectors");
	suite = json_load_file(path, JSON_ALLOW_NUL, &error);
	if (suite == NULL) {
		printf("spf: skipped, %s is not there or not readable\n", path);
		return 0;
	}
	json_array_foreach(suite, index, scenario) run_scenario(scenario, &tally);
	json_decref(suite);
	printf("spf: %u passed, %u failed\n", tally.passed, tally.failed);
	return tally.failed > 0 || tally.passed == 0;
}
