/* Public DKIM test messages: $VECTORS/dkim/SET/NAME.eml with NAME.json (DNS) and NAME.exp
 * (outcome).
 *
 * The verdict, pass or not, must agree with .exp. Some messages are older than RFC 6376 and RFC
 * 8301; if one of the rules below applies to a message, these RFCs decide instead.
 */
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions/lib/dkim/dkim-verify.h"
#include "functions/lib/dkim/key-record.h"
#include "functions/lib/dkim/signature.h"
#include "runtime/buffer.h"
#include "runtime/time.h"
#include "tests/support/zone.h"

enum {
	PATH_BYTES = 4096,
	MESSAGE_BYTES_MAX = 16 * 1024 * 1024,
	DEADLINE_MS = 5000,

};

struct tally {
	unsigned passed;
	unsigned failed;
	/* number of cases in which the RFCs contradict .exp, so that the RFCs decide */
	unsigned decided;
};

static char *read_file(struct rt_ctx *ctx, const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	struct rt_buffer buffer;
	char bytes[PATH_BYTES];
	size_t got;

	if (file == NULL)
		return NULL;
	rt_buffer_init(&buffer, ctx, MESSAGE_BYTES_MAX);
	while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
		rt_buffer_add(&buffer, bytes, got);
	fclose(file);
	*length = buffer.length;
	return buffer.bytes;
}

static void load_zone(struct zone *zone, json_t *records)
{
	const char *name;
	json_t *value;

	json_object_foreach(records, name, value)
	{
		if (json_is_string(value))
			zone_add(zone, name, EDS_DNS_TXT, json_string_value(value),
				json_string_length(value));
		else if (json_is_false(value))
			zone_fail(zone, name, "SERVFAIL");
	}
}

static bool has_version(const struct eds_signature *signature)
{
	const struct eds_tag *version = eds_tags_find(&signature->tags, "v");

	return version != NULL && eds_tag_is(version, "1");
}

static bool has_usual_query(const struct eds_signature *signature)
{
	const struct eds_tag *query = eds_tags_find(&signature->tags, "q");

	return query == NULL || eds_tag_is(query, "dns/txt");
}

static bool has_old_key(
	struct rt_ctx *ctx, const struct eds_lookup *lookup, const struct eds_signature *signature)
{
	struct eds_key_record key;

	if (*signature->key_name == '\0')
		return false;
	eds_key_record_from_answer(
		ctx, lookup->get(lookup->arg, signature->key_name, EDS_DNS_TXT), &key);
	return eds_finding_has(&key.errors, "key-too-short") ||
		eds_finding_has(&key.warnings, "key-granularity");
}

/* Whether one of the four rules applies: v= is missing or of a draft, the key has under 1024 bits,
 * the key record has g=, or q= is unknown. */
static bool is_older_than_the_rfcs(
	struct rt_ctx *ctx, const struct eds_lookup *lookup, const char *message, size_t length)
{
	const struct eds_field *field;
	struct eds_header header;

	eds_header_read(ctx, message, length, &header);
	for (size_t i = 0; (field = eds_header_find(&header, "DKIM-Signature", i)) != NULL; i++) {
		struct eds_signature signature;

		eds_signature_read(ctx, field, &signature);
		if (!has_version(&signature) || !has_usual_query(&signature) ||
			has_old_key(ctx, lookup, &signature))
			return true;
	}
	return false;
}

static int64_t judge_at_ms(const json_t *expected)
{
	json_int_t now_s = json_integer_value(json_object_get(expected, "now"));

	return now_s > 0 ? now_s * (int64_t)1000 : rt_wall_ms();
}

static bool any_valid(const struct eds_dkim_result *result)
{
	for (size_t i = 0; i < result->count; i++)
		if (result->signatures[i].state == EDS_DKIM_VALID)
			return true;
	return false;
}

static void print_result(
	const char *path, const char *expected, const struct eds_dkim_result *result)
{
	printf("%s: expected %s, got", path, expected);
	for (size_t i = 0; i < result->count; i++) {
		const struct eds_dkim_signature *signature = &result->signatures[i];

		printf(" %s", eds_dkim_state_name(signature->state));
		for (size_t n = 0; n < signature->errors.count; n++)
			printf(" %s (%s)", signature->errors.items[n].code,
				signature->errors.items[n].message);
	}
	printf("%s\n", result->total == 0 ? " no signature" : "");
}

static void judge(struct rt_ctx *ctx, struct zone *zone, const char *path, const json_t *expected,
	struct tally *tally)
{
	const char *overall = json_string_value(json_object_get(expected, "overall"));
	struct eds_lookup lookup = zone_lookup(zone);
	struct eds_dkim_result result;
	size_t length;
	char *message = read_file(ctx, path, &length);

	eds_dkim_verify(ctx, &lookup, message, length, judge_at_ms(expected), &result);
	if (any_valid(&result) == (strcmp(overall, "pass") == 0)) {
		tally->passed++;
	} else if (is_older_than_the_rfcs(ctx, &lookup, message, length)) {
		tally->passed++;
		tally->decided++;
	} else {
		tally->failed++;
		print_result(path, overall, &result);
	}
}

static void run_message(const char *folder, const char *name, struct tally *tally)
{
	struct rt_ctx ctx = {
		.arena = rt_arena_new(), .deadline_ms = rt_monotonic_ms() + DEADLINE_MS};
	size_t stem = strlen(name) - strlen(".eml");
	const char *base = rt_printf(&ctx, "%s/%.*s", folder, (int)stem, name);
	json_t *records = json_load_file(rt_printf(&ctx, "%s.json", base), 0, NULL);
	json_t *expected = json_load_file(rt_printf(&ctx, "%s.exp", base), 0, NULL);
	struct zone zone;

	zone_init(&zone, &ctx);
	load_zone(&zone, records);
	if (json_is_string(json_object_get(expected, "overall"))) {
		judge(&ctx, &zone, rt_printf(&ctx, "%s.eml", base), expected, tally);
	} else {
		tally->failed++;
		printf("%s: its .exp is not readable\n", base);
	}
	json_decref(records);
	json_decref(expected);
	rt_arena_free(ctx.arena);
}

static void run_set(const char *folder, struct tally *tally)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *dot = strrchr(entries[i]->d_name, '.');

		if (dot != NULL && strcmp(dot, ".eml") == 0)
			run_message(folder, entries[i]->d_name, tally);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

int main(void)
{
	static const char *const sets[] = {"go-msgauth", "mail-dkim", "mailauth-rs", "mox"};
	const char *vectors = getenv("VECTORS");
	char path[PATH_BYTES];
	struct tally tally = {0};

	for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
		snprintf(path, sizeof path, "%s/dkim/%s",
			vectors != NULL ? vectors : "../shared/vectors", sets[i]);
		run_set(path, &tally);
	}
	if (tally.passed + tally.failed == 0) {
		printf("dkim: skipped, %s and its neighbors are not there\n", path);
		return 0;
	}
	printf("dkim: %u passed, %u failed (%u decided by RFC 6376 and 8301)\n", tally.passed,
		tally.failed, tally.decided);
	return tally.failed > 0;
}
