#include "functions/lib/reports/tls-rpt.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/reports/sums.h"
#include "functions/lib/reports/text.h"
#include "runtime/json.h"

struct reading {
	struct rt_ctx ctx; /* memory of this report only */
	struct eds_report report;
	struct eds_report_tls_policy policies[EDS_REPORT_TLS_POLICIES_MAX];
	struct eds_report_tls_failure failures[EDS_REPORT_TLS_FAILURES_MAX];
};

static const char *text_of(struct rt_ctx *ctx, const json_t *object, const char *key)
{
	const char *text = rt_json_string(object, key);

	return text == NULL ? "" : eds_text_cut(ctx, text, strlen(text));
}

static const char *begin_text(struct rt_ctx *ctx, const char *text, size_t max)
{
	size_t length = strlen(text);
	char *begin = rt_alloc(ctx, (length < max ? length : max) + 1);

	eds_text_begin(text, length, begin, max);
	return begin;
}

/* The text of a member, cut at max octets; "" when the member is missing. */
static const char *begin_of(struct rt_ctx *ctx, const json_t *object, const char *key, size_t max)
{
	const char *text = rt_json_string(object, key);

	return text == NULL ? "" : begin_text(ctx, text, max);
}

static const char *word_of(struct rt_ctx *ctx, const json_t *object, const char *key)
{
	const char *text = rt_json_string(object, key);

	return text == NULL ? "" : eds_text_word(ctx, text, strlen(text));
}

/* The number in a member; some reporters write it as a string. */
static uint64_t count_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (json_is_string(value))
		return eds_text_number(json_string_value(value));
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return 0;
	return eds_sum((uint64_t)json_integer_value(value), 0);
}

static int64_t time_of(const json_t *range, const char *key)
{
	const char *text = rt_json_string(range, key);
	int64_t time_ms;

	return text != NULL && rt_time_parse(text, &time_ms) && time_ms > 0 ? time_ms / 1000 : 0;
}

static const char *domain_of(struct rt_ctx *ctx, const json_t *policy)
{
	const char *text = rt_json_string(policy, "policy-domain");
	char domain[EDS_REPORT_DOMAIN_MAX + 1];

	if (text == NULL)
		return "";
	eds_text_domain(text, strlen(text), domain);
	return rt_strdup(ctx, domain);
}

/* The index of the policy with this type and domain; adds the policy if it is new.
 * EDS_REPORT_TLS_POLICIES_MAX when there is no room for a new policy. */
static uint32_t policy_index(struct reading *reading, const char *type, const char *domain)
{
	struct eds_report *report = &reading->report;
	uint32_t i = 0;

	while (i < report->tls_policy_count &&
		(strcmp(reading->policies[i].type, type) != 0 ||
			strcmp(reading->policies[i].domain, domain) != 0))
		i++;
	if (i == report->tls_policy_count && i < EDS_REPORT_TLS_POLICIES_MAX) {
		reading->policies[i].type = type;
		reading->policies[i].domain = domain;
		report->tls_policy_count++;
	}
	return i;
}

/* Reads an array of strings; some reporters write a single string instead. */
static struct eds_report_texts texts_of(
	struct rt_ctx *ctx, const json_t *object, const char *key, size_t max)
{
	json_t *list = json_object_get(object, key);
	size_t count = json_is_string(list) ? 1 : json_array_size(list);
	const char *items[EDS_REPORT_TLS_STRINGS_MAX];
	struct eds_report_texts texts = {.count = 0};

	for (size_t i = 0; i < count && texts.count < EDS_REPORT_TLS_STRINGS_MAX; i++) {
		const char *text = json_string_value(
			json_is_string(list) ? list : json_array_get(list, i));

		if (text != NULL)
			items[texts.count++] = begin_text(ctx, text, max);
	}
	if (texts.count > 0)
		texts.items = memcpy(rt_alloc_array(ctx, texts.count, sizeof *items), items,
			texts.count * sizeof *items);
	return texts;
}

static bool are_one(const struct eds_report_tls_failure *a, const struct eds_report_tls_failure *b)
{
	return a->policy == b->policy && strcmp(a->type, b->type) == 0 &&
		strcmp(a->sending_ip, b->sending_ip) == 0 &&
		strcmp(a->receiving_mx, b->receiving_mx) == 0 &&
		strcmp(a->receiving_helo, b->receiving_helo) == 0 &&
		strcmp(a->receiving_ip, b->receiving_ip) == 0 &&
		strcmp(a->information, b->information) == 0 && strcmp(a->reason, b->reason) == 0;
}

/* Adds the failure to an equal one with index `from` or higher, or appends it. False when there is
 * no room. */
static bool add_failure(
	struct reading *reading, size_t from, size_t max, const struct eds_report_tls_failure *new)
{
	struct eds_report *report = &reading->report;
	size_t i = from;

	while (i < report->tls_failure_count && !are_one(&reading->failures[i], new))
		i++;
	if (i == report->tls_failure_count) {
		if (i >= max)
			return false;
		report->tls_failure_count++;
		reading->failures[i] = *new;
		return true;
	}
	reading->failures[i].sessions = eds_sum(reading->failures[i].sessions, new->sessions);
	return true;
}

/* Adds a failure with its details or, once there are too many details, to the sum of its type. Even
 * a report about many servers has few types. */
static void read_failure(struct reading *reading, uint32_t policy, const json_t *detail)
{
	struct rt_ctx *ctx = &reading->ctx;
	struct eds_report *report = &reading->report;
	struct eds_report_tls_failure failure = {.policy = policy,
		.type = word_of(ctx, detail, "result-type"),
		.sessions = count_of(detail, "failed-session-count"),
		.sending_ip = begin_of(ctx, detail, "sending-mta-ip", EDS_REPORT_IP_MAX),
		.receiving_mx = begin_of(
			ctx, detail, "receiving-mx-hostname", EDS_REPORT_DOMAIN_MAX),
		.receiving_helo = begin_of(ctx, detail, "receiving-mx-helo", EDS_REPORT_DOMAIN_MAX),
		.receiving_ip = begin_of(ctx, detail, "receiving-ip", EDS_REPORT_IP_MAX),
		.information = text_of(ctx, detail, "additional-information"),
		.reason = begin_of(ctx, detail, "failure-reason-code", EDS_REPORT_REMARK_MAX)};

	if (add_failure(reading, 0, EDS_REPORT_TLS_DETAILS_MAX, &failure))
		return;
	failure.sending_ip = failure.receiving_mx = failure.receiving_helo = "";
	failure.receiving_ip = failure.information = failure.reason = "";
	if (!add_failure(
		    reading, EDS_REPORT_TLS_DETAILS_MAX, EDS_REPORT_TLS_FAILURES_MAX, &failure))
		report->other_tls_failures = eds_sum(report->other_tls_failures, failure.sessions);
}

/* Reads one of the "policies": {"policy": {"policy-type", "policy-domain", …}, "summary": {…},
 * "failure-details": […]}. */
static void read_policy(struct reading *reading, const json_t *item)
{
	const json_t *policy = json_object_get(item, "policy");
	const json_t *summary = json_object_get(item, "summary");
	const json_t *details = json_object_get(item, "failure-details");
	uint32_t index = policy_index(reading, word_of(&reading->ctx, policy, "policy-type"),
		domain_of(&reading->ctx, policy));
	struct eds_report_tls_policy *sum = &reading->policies[index];

	if (index == EDS_REPORT_TLS_POLICIES_MAX) {
		reading->report.other_tls_policies++;
		return;
	}
	sum->successful = eds_sum(
		sum->successful, count_of(summary, "total-successful-session-count"));
	sum->failed = eds_sum(sum->failed, count_of(summary, "total-failure-session-count"));
	if (sum->strings.count == 0)
		sum->strings = texts_of(
			&reading->ctx, policy, "policy-string", EDS_REPORT_REMARK_MAX);
	if (sum->mx_hosts.count == 0)
		sum->mx_hosts = texts_of(&reading->ctx, policy, "mx-host", EDS_REPORT_DOMAIN_MAX);
	for (size_t i = 0; i < json_array_size(details); i++)
		read_failure(reading, index, json_array_get(details, i));
}

static enum eds_report_fault read_report(struct reading *reading, const json_t *root)
{
	struct eds_report *report = &reading->report;
	const json_t *range = json_object_get(root, "date-range");
	const json_t *policies = json_object_get(root, "policies");
	const char *id = rt_json_string(root, "report-id");

	report->org = text_of(&reading->ctx, root, "organization-name");
	report->email = text_of(&reading->ctx, root, "contact-info");
	report->report_id = id == NULL ? "" : eds_text_id(&reading->ctx, id, strlen(id));
	report->begin_s = time_of(range, "start-datetime");
	report->end_s = time_of(range, "end-datetime");
	for (size_t i = 0; i < json_array_size(policies); i++)
		read_policy(reading, json_array_get(policies, i));
	report->tls_policies = reading->policies;
	report->tls_failures = reading->failures;
	report->domain = report->tls_policy_count == 0 ? "" : reading->policies[0].domain;
	return report->domain[0] == '\0' ? EDS_FAULT_NO_DOMAIN : EDS_FAULT_NONE;
}

/* Reads the whole text into memory, up to EDS_REPORT_JSON_MAX. */
static enum eds_report_fault collect(struct rt_buffer *text, struct eds_source *source)
{
	const char *block;
	size_t length;

	while (!text->overflow && (length = eds_source_read(source, &block)) > 0)
		rt_buffer_add(text, block, length);
	return text->overflow ? EDS_FAULT_TOO_LARGE : source->fault;
}

static bool looks_like_one(const struct rt_buffer *text)
{
	static const char policies[] = "\"policies\"";
	static const char organization[] = "\"organization-name\"";

	return memmem(text->bytes, text->length, policies, sizeof policies - 1) != NULL ||
		memmem(text->bytes, text->length, organization, sizeof organization - 1) != NULL;
}

/* True when the text has more opening brackets than objects and lists are allowed. Their number is
 * limited because each takes two hundred octets of memory, even if its text is much shorter. */
static bool has_too_many_objects(const struct rt_buffer *text)
{
	size_t count = 0;

	for (size_t i = 0; i < text->length; i++)
		count += text->bytes[i] == '{' || text->bytes[i] == '[';
	return count > EDS_REPORT_OBJECTS_MAX;
}

static enum eds_report_fault parse(struct reading *reading, const char *text, size_t length)
{
	enum eds_report_fault fault;
	json_t *root;

	if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		length -= 3;
	}
	text = eds_text_trim(text, &length);
	if (rt_json_parse(&reading->ctx, text, length, &root) != RT_OK) {
		reading->report.fault = reading->ctx.failure.detail;
		return text[length - 1] == '}' ? EDS_FAULT_MALFORMED : EDS_FAULT_TRUNCATED;
	}
	fault = read_report(reading, root);
	json_decref(root);
	return fault;
}

static void hand_out(struct reading *reading, struct eds_intake *intake, const char *file,
	enum eds_report_fault fault)
{
	struct eds_report *report = &reading->report;

	report->file = file;
	if (fault == EDS_FAULT_TOO_LARGE && report->xml_bytes < EDS_REPORT_BYTES_MAX / 2)
		report->fault = rt_printf(&reading->ctx,
			"The report is larger than 1 MiB or has more than %d objects and lists, "
			"which is too much for a report in JSON.",
			EDS_REPORT_OBJECTS_MAX);
	else if (fault == EDS_FAULT_MALFORMED)
		report->fault = rt_printf(
			&reading->ctx, "The report cannot be read: %s.", report->fault);
	else if (fault != EDS_FAULT_NONE)
		report->fault = eds_report_fault_sentence(fault);
	eds_intake_report(intake, report, fault);
}

void eds_tls_rpt_read(struct eds_intake *intake, struct eds_source *source, const char *file)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct reading *reading = rt_alloc(&ctx, sizeof *reading);
	struct rt_buffer text;
	enum eds_report_fault fault;

	reading->ctx.arena = ctx.arena;
	reading->report.kind = EDS_REPORT_TLS;
	reading->report.policy.pct = -1;
	rt_buffer_init(&text, &ctx, EDS_REPORT_JSON_MAX);
	fault = collect(&text, source);
	reading->report.xml_bytes = text.length;
	if (!looks_like_one(&text)) {
		eds_intake_pass_over(intake, EDS_FAULT_NO_REPORT, NULL, file);
	} else {
		if (fault == EDS_FAULT_NONE && has_too_many_objects(&text))
			fault = EDS_FAULT_TOO_LARGE;
		if (fault == EDS_FAULT_NONE && !eds_intake_skips(intake))
			fault = parse(reading, text.bytes, text.length);
		hand_out(reading, intake, file, fault);
	}
	rt_arena_free(ctx.arena);
}
