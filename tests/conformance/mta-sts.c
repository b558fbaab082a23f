/* MTA-STS texts with known outcomes: $VECTORS/mta-sts/vectors.json. This program tests policy
 * files, TXT records and matches of an MX; the HTTPS answers need a server and are tested by
 * mta-sts-https.mjs. Prints each failure and how many passed; fails unless all pass. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"
#include "functions/lib/mta-sts/pattern.h"
#include "functions/lib/mta-sts/policy.h"
#include "functions/lib/mta-sts/record.h"

enum {
	PATH_BYTES = 4096,
	RECORDS_MAX = 16,
};

static const char *member(const json_t *vector, const char *key)
{
	const char *value = json_string_value(json_object_get(vector, key));

	return value != NULL ? value : "";
}

static bool policy_passes(struct rt_ctx *ctx, const json_t *vector)
{
	const json_t *text = json_object_get(vector, "text");
	const char *mode = json_string_value(json_object_get(vector, "mode"));
	const json_t *max_age = json_object_get(vector, "maxAge");
	struct eds_policy policy;

	eds_policy_read(ctx, json_string_value(text), json_string_length(text), &policy);
	if ((policy.errors.count == 0) != (strcmp(member(vector, "expect"), "valid") == 0))
		return false;
	if (mode != NULL && strcmp(mode, eds_policy_mode_name(policy.mode)) != 0)
		return false;
	if (max_age != NULL && json_integer_value(max_age) != policy.max_age_s)
		return false;
	return json_object_get(vector, "warn") == NULL || policy.warnings.count > 0;
}

/* A record is one text, or several strings that are joined. */
static struct eds_dns_record record_of(struct rt_ctx *ctx, const json_t *value)
{
	const char *text = json_string_value(value);

	for (size_t i = 0; i < json_array_size(value); i++)
		text = rt_printf(
			ctx, "%s%s", text ? text : "", json_string_value(json_array_get(value, i)));
	return (struct eds_dns_record){.txt = text, .txt_length = strlen(text)};
}

static bool txt_passes(struct rt_ctx *ctx, const json_t *vector)
{
	const json_t *texts = json_object_get(vector, "txts");
	struct eds_dns_record records[RECORDS_MAX];
	struct eds_dns_answer answer = {.records = records, .count = json_array_size(texts)};
	struct eds_findings errors = {0};
	const char *id;

	if (answer.count > RECORDS_MAX)
		return false;
	for (size_t i = 0; i < answer.count; i++)
		records[i] = record_of(ctx, json_array_get(texts, i));
	answer.state = answer.count > 0 ? EDS_DNS_FOUND : EDS_DNS_NO_NAME;
	id = eds_mta_sts_record_id(ctx, &answer, &errors);
	if (strcmp(member(vector, "expect"), "valid") != 0)
		return id == NULL && errors.count > 0;
	return id != NULL && errors.count == 0 && strcmp(id, member(vector, "policyId")) == 0;
}

static bool match_passes(struct rt_ctx *ctx, const json_t *vector)
{
	const char *mx = member(vector, "mx");
	const char *host = eds_domain_normalize(ctx, mx, strlen(mx));
	const char *pattern = member(vector, "pattern");

	return host != NULL && eds_mta_sts_pattern_valid(pattern) &&
		eds_mta_sts_pattern_matches(pattern, host) ==
		json_is_true(json_object_get(vector, "expect"));
}

static unsigned run(const json_t *vectors, const char *kind,
	bool (*passes)(struct rt_ctx *ctx, const json_t *vector))
{
	const json_t *all = json_object_get(vectors, kind);
	unsigned failed = json_array_size(all) == 0;

	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *vector = json_array_get(all, i);
		struct rt_ctx ctx = {.arena = rt_arena_new()};

		if (!passes(&ctx, vector)) {
			printf("FAIL %s: %s\n", member(vector, "id"), member(vector, "why"));
			failed++;
		}
		rt_arena_free(ctx.arena);
	}
	printf("mta-sts %s: %zu passed, %u failed\n", kind, json_array_size(all) - failed, failed);
	return failed;
}

int main(void)
{
	const char *folder = getenv("VECTORS");
	char path[PATH_BYTES];
	json_t *vectors;
	unsigned failed;

	snprintf(path, sizeof path, "%s/mta-sts/vectors.json",
		folder != NULL ? folder : "../shared/vectors");
	vectors = json_load_file(path, JSON_ALLOW_NUL, NULL);
	if (vectors == NULL) {
		printf("mta-sts: skipped, %s is not there\n", path);
		return 0;
	}
	failed = run(vectors, "policies", policy_passes);
	failed += run(vectors, "txt", txt_passes);
	failed += run(vectors, "mxMatch", match_passes);
	json_decref(vectors);
	return failed > 0;
}
