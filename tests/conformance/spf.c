/* The public RFC 7208 test suite: $VECTORS/spf/rfc7208-tests.json, every test through
 * eds_spf_evaluate(). Prints each failure and how many passed; fails unless all pass. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "functions/lib/spf/spf-evaluate.h"
#include "runtime/time.h"
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
	size_t pieces = json_is_array(value) ? json_array_size(value) : 1;
	size_t length = 0;

	for (size_t i = 0; i < pieces; i++) {
		const json_t *piece = json_is_array(value) ? json_array_get(value, i) : value;
		size_t octets = json_string_length(piece);

		if (octets > DATA_BYTES - length)
			abort();
		memcpy(data + length, json_string_value(piece), octets);
		length += octets;
	}
	return length;
}

/* The suite writes an octet over 127 as the character with that number. */
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
		if (text != NULL && strcmp(type, plain[i].name) == 0)
			zone_add(zone, name, plain[i].type, text, strlen(text));
}

static bool has_txt(const json_t *entries)
{
	for (size_t i = 0; i < json_array_size(entries); i++)
		if (json_object_get(json_array_get(entries, i), "TXT") != NULL)
			return true;
	return false;
}

/* Adds an entry of the suite: one record {"TYPE": data}, or TIMEOUT or RCODE for a failing name. A
 * record of type SPF is added as TXT only if the name has no TXT record (txt is false), as the
 * suite requires. */
static void add_entry(struct zone *zone, const char *name, json_t *entry, bool txt)
{
	void *record = json_object_iter(entry);

	if (record == NULL)
		zone_fail(zone, name, json_string_value(entry));
	else if (strcmp(json_object_iter_key(record), "SPF") != 0)
		add_record(
			zone, name, json_object_iter_key(record), json_object_iter_value(record));
	else if (!txt)
		add_text(zone, name, json_object_iter_value(record));
}

static void add_name(struct zone *zone, const char *name, const json_t *entries)
{
	bool txt = has_txt(entries);

	for (size_t i = 0; i < json_array_size(entries); i++)
		add_entry(zone, name, json_array_get(entries, i), txt);
}

static bool result_expected(const json_t *expected, const char *result)
{
	if (json_is_string(expected))
		return strcmp(json_string_value(expected), result) == 0;
	for (size_t i = 0; i < json_array_size(expected); i++)
		if (strcmp(json_string_value(json_array_get(expected, i)), result) == 0)
			return true;
	return false;
}

/* Whether the explanation is the expected one; "DEFAULT" in the suite stands for the text of the
 * receiver, used when the domain has none. */
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
	json_t *zonedata = json_object_get(scenario, "zonedata");
	json_t *tests = json_object_get(scenario, "tests");

	zone_init(&zone, &ctx);
	for (void *i = json_object_iter(zonedata); i != NULL;
		i = json_object_iter_next(zonedata, i))
		add_name(&zone, json_object_iter_key(i), json_object_iter_value(i));
	for (void *i = json_object_iter(tests); i != NULL; i = json_object_iter_next(tests, i))
		run_test(&zone, json_object_iter_key(i), json_object_iter_value(i), tally);
	rt_arena_free(arena);
}

int main(void)
{
	const char *vectors = getenv("VECTORS");
	char path[PATH_BYTES];
	struct tally tally = {0};
	json_error_t error;
	json_t *suite;

	snprintf(path, sizeof path, "%s/spf/rfc7208-tests.json",
		vectors != NULL ? vectors : "../shared/vectors");
	suite = json_load_file(path, JSON_ALLOW_NUL, &error);
	if (suite == NULL) {
		printf("spf: skipped, %s is not there or not readable\n", path);
		return 0;
	}
	for (size_t i = 0; i < json_array_size(suite); i++)
		run_scenario(json_array_get(suite, i), &tally);
	json_decref(suite);
	printf("spf: %u passed, %u failed\n", tally.passed, tally.failed);
	return tally.failed > 0 || tally.passed == 0;
}
