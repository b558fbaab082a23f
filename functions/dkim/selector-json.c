#include "functions/dkim/selector-json.h"

#include <string.h>

enum {
	/* A thousand selectors with all that can be wrong with each; an answer may have 6 MB. */
	BODY_BYTES_MAX = 5 * 1024 * 1024,
};

#define SEEN_MS (INT64_C(30) * 24 * 3600 * 1000)

void selector_body_begin(struct rt_ctx *ctx, struct rt_buffer *body)
{
	rt_buffer_init(body, ctx, BODY_BYTES_MAX);
	rt_buffer_text(body, "{\"data\":");
}

rt_status selector_body_respond(
	struct rt_ctx *ctx, struct rt_buffer *body, struct rt_response *res, int status)
{
	rt_buffer_text(body, "}");
	if (body->overflow)
		return rt_fail(ctx, RT_LIMIT, "answer-too-large",
			"the list is too long for one answer: ask for pages with ?limit=");
	return rt_respond_bytes(
		ctx, res, status, "application/json", body->bytes, body->length, false);
}

/* Names and codes of our own and DNS names: printable ASCII. */
static void write_text(struct rt_buffer *body, const char *text)
{
	if (text == NULL) {
		rt_buffer_text(body, "null");
		return;
	}
	rt_buffer_text(body, "\"");
	for (size_t plain; *text != '\0'; text += plain) {
		plain = strcspn(text, "\"\\");
		rt_buffer_add(body, text, plain);
		if (text[plain] == '\0')
			break;
		rt_buffer_text(body, "\\");
		rt_buffer_add(body, text + plain, 1);
		text++;
	}
	rt_buffer_text(body, "\"");
}

static void write_number(struct rt_buffer *body, int64_t number)
{
	rt_buffer_format(body, "%lld", (long long)number);
}

static void write_time(struct rt_buffer *body, int64_t at_ms)
{
	write_text(body, at_ms > 0 ? rt_time_format(body->ctx, at_ms) : NULL);
}

static void write_key(
	struct rt_buffer *body, const char *state, const char *key_type, int64_t key_bits)
{
	rt_buffer_text(body, "\"valid\":");
	rt_buffer_text(body, strcmp(state, "valid") == 0 ? "true" : "false");
	rt_buffer_text(body, ",\"keyType\":");
	write_text(body, key_type);
	rt_buffer_text(body, ",\"keySize\":");
	if (key_bits > 0)
		write_number(body, key_bits);
	else
		rt_buffer_text(body, "null");
}

static void write_findings(struct rt_buffer *body, const char *errors, const char *warnings)
{
	rt_buffer_text(body, ",\"errors\":");
	rt_buffer_text(body, errors);
	rt_buffer_text(body, ",\"warnings\":");
	rt_buffer_text(body, warnings);
}

static void write_fields(
	struct rt_buffer *body, const char *name, const struct eds_selector_check *check)
{
	rt_buffer_text(body, "{\"selector\":");
	write_text(body, name);
	rt_buffer_text(body, ",");
	write_key(body, check->state, check->key_type, check->key_bits);
	write_findings(body, check->errors, check->warnings);
}

void selector_write_check(
	struct rt_buffer *body, const char *name, const struct eds_selector_check *check)
{
	write_fields(body, name, check);
	rt_buffer_text(body, "}");
}

static const char *shown_state(const struct eds_selector *selector)
{
	if (strcmp(selector->check.state, "valid") != 0)
		return selector->check.state;
	return rt_wall_ms() - selector->last_seen_ms < SEEN_MS ? "active" : "unused";
}

static void write_evidence(struct rt_buffer *body, const struct eds_selector *selector)
{
	rt_buffer_text(body, ",\"evidence\":{\"firstSeen\":");
	write_time(body, selector->first_seen_ms);
	rt_buffer_text(body, ",\"lastSeen\":");
	write_time(body, selector->last_seen_ms);
	rt_buffer_text(body, ",\"passCount\":");
	write_number(body, selector->pass_count);
	rt_buffer_text(body, ",\"failCount\":");
	write_number(body, selector->fail_count);
	rt_buffer_text(body, ",\"cname\":");
	write_text(body, selector->check.alias);
	rt_buffer_text(body, "}");
}

/* One that reports named and that DNS has not been asked for yet. */
static const char UNCHECKED[] =
	"[{\"code\":\"key-unchecked\",\"message\":\"The selector has not been "
	"checked yet; look again in some minutes.\"}]";

void selector_write_entry(struct rt_buffer *body, const struct eds_selector *selector)
{
	struct eds_selector_check check = selector->check;

	if (check.checked_at_ms == 0)
		check.errors = UNCHECKED;
	write_fields(body, selector->name, &check);
	rt_buffer_text(body, ",\"addedManually\":");
	rt_buffer_text(body, selector->manual ? "true" : "false");
	rt_buffer_text(body, ",\"checkedAt\":");
	write_time(body, selector->check.checked_at_ms);
	rt_buffer_text(body, ",\"state\":");
	write_text(body, shown_state(selector));
	write_evidence(body, selector);
	rt_buffer_text(body, "}");
}

void selector_write_change(struct rt_buffer *body, const struct eds_selector_change *change)
{
	rt_buffer_text(body, "{\"changedAt\":");
	write_time(body, change->at_ms);
	rt_buffer_text(body, ",");
	write_key(body, change->state, change->key_type, change->key_bits);
	write_findings(body, change->errors, change->warnings);
	rt_buffer_text(body, "}");
}
