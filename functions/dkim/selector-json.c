#include "functions/dkim/selector-json.h"

#include <stdio.h>
#include <string.h>

enum {
	/* A thousand selectors with all that can be wrong with each; an answer may have 6 MB. */
	BODY_BYTES_MAX = 5 * 1024 * 1024,
};

#define SEEN_MS (INT64_C(30) * 24 * 3600 * 1000)

void selector_body_begin(struct rt_ctx *ctx, struct selector_body *body)
{
	body->time_ms = 0;
	rt_buffer_init(&body->text, ctx, BODY_BYTES_MAX);
	rt_buffer_text(&body->text, "{\"data\":");
}

rt_status selector_body_respond(
	struct rt_ctx *ctx, struct selector_body *body, struct rt_response *res, int status)
{
	rt_buffer_text(&body->text, "}");
	if (body->text.overflow)
		return rt_fail(ctx, RT_LIMIT, "answer-too-large",
			"the list is too long for one answer: ask for pages with ?limit=");
	return rt_respond_bytes(
		ctx, res, status, "application/json", body->text.bytes, body->text.length, false);
}

/* Names and codes of our own and DNS names: printable ASCII. */
static void write_text(struct selector_body *body, const char *text)
{
	if (text == NULL) {
		rt_buffer_text(&body->text, "null");
		return;
	}
	rt_buffer_text(&body->text, "\"");
	for (size_t plain; *text != '\0'; text += plain) {
		plain = strcspn(text, "\"\\");
		rt_buffer_add(&body->text, text, plain);
		if (text[plain] == '\0')
			break;
		rt_buffer_text(&body->text, "\\");
		rt_buffer_add(&body->text, text + plain, 1);
		text++;
	}
	rt_buffer_text(&body->text, "\"");
}

static void write_time(struct selector_body *body, int64_t at_ms)
{
	if (at_ms <= 0) {
		write_text(body, NULL);
		return;
	}
	if (body->time_ms / 1000 != at_ms / 1000)
		snprintf(
			body->time, sizeof body->time, "%s", rt_time_format(body->text.ctx, at_ms));
	body->time_ms = at_ms;
	write_text(body, body->time);
}

static void write_key(
	struct selector_body *body, const char *state, const char *key_type, int64_t key_bits)
{
	rt_buffer_text(&body->text, "\"valid\":");
	rt_buffer_text(&body->text, strcmp(state, "valid") == 0 ? "true" : "false");
	rt_buffer_text(&body->text, ",\"keyType\":");
	write_text(body, key_type);
	rt_buffer_text(&body->text, ",\"keySize\":");
	if (key_bits > 0)
		rt_buffer_integer(&body->text, key_bits);
	else
		rt_buffer_text(&body->text, "null");
}

static void write_findings(struct selector_body *body, const char *errors, const char *warnings)
{
	rt_buffer_text(&body->text, ",\"errors\":");
	rt_buffer_text(&body->text, errors);
	rt_buffer_text(&body->text, ",\"warnings\":");
	rt_buffer_text(&body->text, warnings);
}

static void write_fields(
	struct selector_body *body, const char *name, const struct eds_selector_check *check)
{
	rt_buffer_text(&body->text, "{\"selector\":");
	write_text(body, name);
	rt_buffer_text(&body->text, ",");
	write_key(body, check->state, check->key_type, check->key_bits);
	write_findings(body, check->errors, check->warnings);
}

void selector_write_check(
	struct selector_body *body, const char *name, const struct eds_selector_check *check)
{
	write_fields(body, name, check);
	rt_buffer_text(&body->text, "}");
}

static const char *shown_state(const struct eds_selector *selector)
{
	if (strcmp(selector->check.state, "valid") != 0)
		return selector->check.state;
	return rt_wall_ms() - selector->last_seen_ms < SEEN_MS ? "active" : "unused";
}

static void write_evidence(struct selector_body *body, const struct eds_selector *selector)
{
	rt_buffer_text(&body->text, ",\"evidence\":{\"firstSeen\":");
	write_time(body, selector->first_seen_ms);
	rt_buffer_text(&body->text, ",\"lastSeen\":");
	write_time(body, selector->last_seen_ms);
	rt_buffer_text(&body->text, ",\"passCount\":");
	rt_buffer_integer(&body->text, selector->pass_count);
	rt_buffer_text(&body->text, ",\"failCount\":");
	rt_buffer_integer(&body->text, selector->fail_count);
	rt_buffer_text(&body->text, ",\"cname\":");
	write_text(body, selector->check.alias);
	rt_buffer_text(&body->text, "}");
}

/* One that reports named and that DNS has not been asked for yet. */
static const char UNCHECKED[] =
	"[{\"code\":\"key-unchecked\",\"message\":\"The selector has not been checked yet; look "
	"again in some minutes.\"}]";

void selector_write_entry(struct selector_body *body, const struct eds_selector *selector)
{
	struct eds_selector_check check = selector->check;

	if (check.checked_at_ms == 0)
		check.errors = UNCHECKED;
	write_fields(body, selector->name, &check);
	rt_buffer_text(&body->text, ",\"addedManually\":");
	rt_buffer_text(&body->text, selector->manual ? "true" : "false");
	rt_buffer_text(&body->text, ",\"checkedAt\":");
	write_time(body, selector->check.checked_at_ms);
	rt_buffer_text(&body->text, ",\"state\":");
	write_text(body, shown_state(selector));
	write_evidence(body, selector);
	rt_buffer_text(&body->text, "}");
}

void selector_write_change(struct selector_body *body, const struct eds_selector_change *change)
{
	rt_buffer_text(&body->text, "{\"changedAt\":");
	write_time(body, change->at_ms);
	rt_buffer_text(&body->text, ",");
	write_key(body, change->state, change->key_type, change->key_bits);
	write_findings(body, change->errors, change->warnings);
	rt_buffer_text(&body->text, "}");
}
