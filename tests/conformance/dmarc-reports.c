/* Real DMARC reports: $VECTORS/dmarc-reports, with the expected content of each file in
 * expected.json. Each is read through the sandbox, like a mail; the result must have every (policy
 * domain, d=, selector) with its number of each result, and nothing else.
 *
 *     dmarc-reports --tell FILE… a line for each file, [{org, …, body}, …], with the stored part of
 *                                   its reports, for dmarc-fields.py, which judges their fields
 */
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "functions/lib/reports/reader.h"
#include "functions/lib/sandbox/helper.h"
#include "functions/reports/detail-json.h"
#include "runtime/time.h"

enum {
	PATH_BYTES = 4096,
	DEADLINE_MS = 60000, /* long, because valgrind is slow */
	TOLD_BYTES_MAX = 64 * 1024,
};

static const char *const result_names[EDS_DKIM_RESULTS] = {
	"other", "pass", "fail", "none", "policy", "neutral", "temperror", "permerror"};

struct tally {
	unsigned files;
	unsigned triples;
	unsigned failed;
};

static bool complain(const char *file, const char *what)
{
	printf("%s: %s\n", file, what);
	return false;
}

/* Compares with a triple of expected.json, in which a missing selector is null. */
static bool is_pair(const json_t *triple, const struct eds_report_signature *signature)
{
	const char *domain = json_string_value(json_object_get(triple, "dkim_domain"));
	const char *selector = json_string_value(json_object_get(triple, "selector"));

	return strcmp(domain == NULL ? "" : domain, signature->domain) == 0 &&
		strcmp(selector == NULL ? "" : selector, signature->selector) == 0;
}

static bool same_results(const json_t *results, const struct eds_report_signature *signature)
{
	for (size_t i = 0; i < EDS_DKIM_RESULTS; i++)
		if (json_integer_value(json_object_get(results, result_names[i])) !=
			(json_int_t)signature->results[i])
			return false;
	return true;
}

static bool judge_triple(const char *file, const json_t *triple, const struct eds_report *report)
{
	const char *domain = json_string_value(json_object_get(triple, "policy_domain"));

	if (strcmp(domain, report->domain) != 0)
		return complain(file, report->domain);
	for (size_t i = 0; i < report->signature_count; i++)
		if (is_pair(triple, &report->signatures[i]))
			return same_results(json_object_get(triple, "results"),
				       &report->signatures[i]) ||
				complain(file, "other results of a selector");
	return complain(file, "a selector is not found");
}

static bool is_text(const json_t *object, const char *key, const char *text)
{
	const char *expected = json_string_value(json_object_get(object, key));

	return strcmp(expected == NULL ? "" : expected, text) == 0;
}

static bool judge_report(const char *file, const json_t *expected, const struct eds_report *report,
	struct tally *tally)
{
	const json_t *triples = json_object_get(expected, "triples");
	bool right = true;

	if (json_array_size(triples) != report->signature_count)
		return complain(file, "another number of selectors");
	if (json_integer_value(json_object_get(expected, "records")) != (json_int_t)report->records)
		right = complain(file, "another number of records");
	if (!is_text(expected, "org", report->org) ||
		!is_text(expected, "report_id", report->report_id) ||
		!is_text(expected, "policy_domain", report->domain))
		right = complain(file, "another organization, report id or domain");
	for (size_t i = 0; i < json_array_size(triples); i++) {
		right = judge_triple(file, json_array_get(triples, i), report) && right;
		tally->triples++;
	}
	return right;
}

static bool is_readable(const json_t *expected)
{
	const char *class = json_string_value(json_object_get(expected, "class"));

	return strcmp(class, "valid") == 0 || strcmp(class, "recoverable") == 0;
}

/* The reports that can be read, in the order of the file. */
static bool judge(const char *file, const json_t *expected, const struct eds_reports *reports,
	struct tally *tally)
{
	size_t at = 0;
	bool right = true;

	for (size_t i = 0; i < json_array_size(expected); i++) {
		if (!is_readable(json_array_get(expected, i)))
			continue;
		while (at < reports->count && reports->items[at].fault != NULL)
			at++;
		if (at == reports->count)
			return complain(file, reports->items[0].fault);
		right = judge_report(
				file, json_array_get(expected, i), &reports->items[at++], tally) &&
			right;
	}
	while (at < reports->count && reports->items[at].fault != NULL)
		at++;
	return right && (at == reports->count || complain(file, "a report too many"));
}

static bool read_file(struct rt_ctx *ctx, const char *path, struct eds_reports *reports)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	bool read = fd >= 0 && fstat(fd, &status) == 0 &&
		eds_report_read(ctx, fd, (size_t)status.st_size, reports) == RT_OK;

	if (fd >= 0)
		close(fd);
	return read;
}

static void run_file(
	const char *folder, const char *file, const json_t *expected, struct tally *tally)
{
	struct rt_ctx ctx = {
		.arena = rt_arena_new(), .deadline_ms = rt_monotonic_ms() + DEADLINE_MS};
	struct eds_reports reports;
	bool right = read_file(&ctx, rt_printf(&ctx, "%s/%s", folder, file), &reports)
		? judge(file, expected, &reports, tally)
		: complain(file, ctx.failure.detail != NULL ? ctx.failure.detail : "not there");

	tally->files++;
	tally->failed += !right;
	rt_arena_free(ctx.arena);
}

/* The helper that was built with this program. */
static void use_built_reader(void)
{
	static char path[PATH_BYTES];
	static struct eds_helper_spec spec = {.path = path, .silence_ms = DEADLINE_MS};
	ssize_t length = readlink("/proc/self/exe", path, sizeof path / 2);

	while (length > 0 && path[length] != '/')
		length--;
	snprintf(path + length, sizeof path - (size_t)length, "/../../libexec/eds-report-reader");
#ifndef __SANITIZE_ADDRESS__
	spec.sandbox = getenv("EDS_SANDBOX") == NULL ? RT_SANDBOX_REQUIRED : RT_SANDBOX_OFF;
#endif
	eds_helper_use(EDS_HELPER_REPORT_READER, &spec);
}

static void tell_report(struct rt_ctx *ctx, const struct eds_report *report)
{
	struct rt_buffer out;

	rt_buffer_init(&out, ctx, TOLD_BYTES_MAX);
	report_put_text(&out, "{\"org\":", report->org);
	report_put_text(&out, ",\"email\":", report->email);
	report_put_text(&out, ",\"reportId\":", report->report_id);
	report_put_text(&out, ",\"domain\":", report->domain);
	rt_buffer_format(&out, ",\"begin\":%lld,\"end\":%lld,\"records\":%llu,\"messages\":%llu",
		(long long)report->begin_s, (long long)report->end_s,
		(unsigned long long)report->records, (unsigned long long)report->messages);
	printf("%s,\"body\":%s}", out.bytes, report_body_text(ctx, report));
}

static int tell(char *const *paths, int count)
{
	for (int i = 0; i < count; i++) {
		struct rt_ctx ctx = {
			.arena = rt_arena_new(), .deadline_ms = rt_monotonic_ms() + DEADLINE_MS};
		struct eds_reports reports;
		const char *before = "";

		if (!read_file(&ctx, paths[i], &reports))
			return 1;
		printf("[");
		for (size_t at = 0; at < reports.count; at++) {
			if (reports.items[at].fault != NULL)
				continue;
			printf("%s", before);
			tell_report(&ctx, &reports.items[at]);
			before = ",";
		}
		printf("]\n");
		rt_arena_free(ctx.arena);
	}
	eds_helper_end(EDS_HELPER_REPORT_READER);
	return 0;
}

int main(int argc, char **argv)
{
	const char *vectors = getenv("VECTORS");
	char folder[PATH_BYTES];
	char path[PATH_BYTES + 32];
	struct tally tally = {0};
	const char *file;
	json_t *files;
	json_t *expected;

	if (argc > 2 && strcmp(argv[1], "--tell") == 0) {
		use_built_reader();
		return tell(argv + 2, argc - 2);
	}
	snprintf(folder, sizeof folder, "%s/dmarc-reports",
		vectors != NULL ? vectors : "../shared/vectors");
	snprintf(path, sizeof path, "%s/expected.json", folder);
	files = json_load_file(path, 0, NULL);
	if (files == NULL) {
		printf("dmarc-reports: skipped, %s is not there\n", path);
		return 0;
	}
	use_built_reader();
	json_object_foreach(files, file, expected)
	{
		run_file(folder, file, json_object_get(expected, "reports"), &tally);
	}
	eds_helper_end(EDS_HELPER_REPORT_READER);
	json_decref(files);
	printf("dmarc-reports: %u files with %u triples, %u failed\n", tally.files, tally.triples,
		tally.failed);
	return tally.failed > 0;
}
