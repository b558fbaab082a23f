#include "functions/dkim/selector-json.h"
#include "runtime/event/response.h"
#include "runtime/time.h"

#include <stdio.h>
#include <string.h>

#include "functions/lib/dkim/selector.h"
#include "runtime/event/etag.h"

enum {
	/* Room for a thousand selectors with every finding; an answer is limited to 6 MB
	 * (RT_ANSWER_BYTES_MAX). */
	BODY_BYTES_MAX = 5 * 1024 * 1024,
	KEY_OLD_DAYS = 365,
};

#define DAY_MS (INT64_C(24) * 3600 * 1000)
#define SEEN_MS (30 * DAY_MS)

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

/* Writes a name, code or record in printable ASCII, in which only quotes and backslashes need
 * escaping. */
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
	bool valid = eds_selector_state_read(state) == EDS_SELECTOR_VALID;

	rt_buffer_text(&body->text, "\"valid\":");
	rt_buffer_text(&body->text, valid ? "true" : "false");
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

/* Adds an element to the JSON array that the text ends with: inserts it before the last bracket. */
static void add_finding(struct selector_body *body, const char *code, const char *message)
{
	struct rt_buffer *text = &body->text;

	if (text->overflow || text->length < 2)
		return;
	text->length--; /* takes off the closing bracket */
	rt_buffer_text(text, text->bytes[text->length - 1] == '[' ? "{\"code\":" : ",{\"code\":");
	write_text(body, code);
	rt_buffer_text(text, ",\"message\":");
	write_text(body, message);
	rt_buffer_text(text, "}]");
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

const char *selector_etag(
	struct rt_ctx *ctx, const char *name, const struct eds_selector_check *check)
{
	struct selector_body body;

	selector_body_begin(ctx, &body);
	selector_write_check(&body, name, check);
	return rt_etag(ctx, body.text.bytes, body.text.length);
}

int64_t selector_active_since(void)
{
	return rt_wall_ms() - SEEN_MS;
}

static const char *shown_state(const struct eds_selector *selector)
{
	if (eds_selector_state_read(selector->check.state) != EDS_SELECTOR_VALID)
		return selector->check.state;
	return selector->last_seen_ms > selector_active_since() ? "active" : "unused";
}

static int64_t age_days(const struct eds_selector *selector)
{
	int64_t age_ms = rt_wall_ms() - selector->check.key_since_ms;

	return age_ms > 0 ? age_ms / DAY_MS : 0;
}

static void write_record(struct selector_body *body, const char *record, const char *key_hash)
{
	rt_buffer_text(&body->text, ",\"record\":");
	write_text(body, record);
	rt_buffer_text(&body->text, ",\"keyHash\":");
	write_text(body, key_hash);
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
	write_record(body, selector->check.record, selector->check.key_hash);
	rt_buffer_text(&body->text, ",\"keySince\":");
	write_time(body, selector->check.key_since_ms);
	rt_buffer_text(&body->text, ",\"keyAgeDays\":");
	if (selector->check.key_since_ms > 0)
		rt_buffer_integer(&body->text, age_days(selector));
	else
		rt_buffer_text(&body->text, "null");
	rt_buffer_text(&body->text, "}");
}

/* Writes the warnings that are not stored with the check, because they depend on the day and on
 * other domains. */
static void write_key_warnings(struct selector_body *body, const struct eds_selector *selector)
{
	struct rt_ctx *ctx = body->text.ctx;

	if (selector->check.key_since_ms > 0 && age_days(selector) > KEY_OLD_DAYS)
		add_finding(body, "key-old",
			rt_printf(ctx,
				"The key has been the same for %lld days; publish a new one under "
				"another selector, sign with that one, and remove this one some "
				"days later.",
				(long long)age_days(selector)));
	if (selector->shared_with != NULL)
		add_finding(body, "key-shared",
			rt_printf(ctx,
				"%s publishes the same key: anybody who holds its private key can "
				"sign for both domains; give each a key of its own.",
				selector->shared_with));
}

/* The error of a discovered selector for which DNS has given no answer yet. */
static const char UNCHECKED[] =
	"[{\"code\":\"key-unchecked\",\"message\":\"The selector has not been checked yet; look "
	"again in some minutes.\"}]";

void selector_write_entry(struct selector_body *body, const struct eds_selector *selector)
{
	struct eds_selector_check check = selector->check;

	if (check.checked_at_ms == 0)
		check.errors = UNCHECKED;
	write_fields(body, selector->name, &check);
	write_key_warnings(body, selector);
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
	write_record(body, change->record, change->key_hash);
	rt_buffer_text(&body->text, ",\"keyChanged\":");
	rt_buffer_text(&body->text, change->key_changed ? "true}" : "false}");
}
