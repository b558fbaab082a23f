#include "functions/lib/selector/news.h"
#include "runtime/json-format.h"

#include "functions/lib/alert/news.h"
#include "functions/lib/dkim/selector.h"

static json_t *side(struct rt_ctx *ctx, const char *state, const char *key_type, int64_t key_bits)
{
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "state", state);
	rt_json_set_text(ctx, json, "keyType", key_type);
	rt_json_set(json, "keySize", key_bits > 0 ? json_integer(key_bits) : json_null());
	return json;
}

static void say_broken(struct rt_ctx *ctx, const struct eds_selector_due *due,
	const char *first_error, struct eds_alert_said *said)
{
	said->event = EDS_ALERT_SELECTOR_BROKEN;
	said->what = rt_printf(ctx, "The DKIM selector %s of %s was valid and is now %s%s%s",
		due->name, due->domain, due->check->state, first_error != NULL ? ": " : ".",
		first_error != NULL ? first_error : "");
	said->advice = rt_printf(ctx,
		"If mail is still signed with this selector, publish its key at %s._domainkey.%s "
		"again: until then, the signatures do not verify.",
		due->name, due->domain);
}

static void say_recovered(
	struct rt_ctx *ctx, const struct eds_selector_due *due, struct eds_alert_said *said)
{
	said->event = EDS_ALERT_SELECTOR_RECOVERED;
	said->what = rt_printf(
		ctx, "The DKIM selector %s of %s is valid again.", due->name, due->domain);
	said->advice = "";
}

static void say_key_changed(
	struct rt_ctx *ctx, const struct eds_selector_due *due, struct eds_alert_said *said)
{
	said->event = EDS_ALERT_KEY_CHANGED;
	said->what = rt_printf(
		ctx, "The key of the DKIM selector %s of %s has changed.", due->name, due->domain);
	said->advice = "If neither you nor your mail provider changed it, find out who can write "
		       "to the zone: the owner of the new private key can sign mail as you.";
}

static struct eds_alert_news make(
	struct rt_ctx *ctx, const struct eds_selector_due *due, struct eds_alert_said *said)
{
	const struct eds_selector_check *check = due->check;

	said->domain_id = due->domain_id;
	said->domain = due->domain;
	said->at_ms = check->checked_at_ms;
	said->subject = rt_printf(ctx, "selector %s", due->name);
	said->change = rt_printf(ctx, "%lld", (long long)check->checked_at_ms);
	said->before = side(ctx, due->state, due->key_type, due->key_bits);
	said->after = side(ctx, check->state, check->key_type, check->key_bits);
	return eds_alert_news_make(ctx, said);
}

/* The first result of a selector is no recovery, because nothing was wrong before. A selector that
 * becomes valid again with another key gives two alerts, one for the recovery and one for the
 * change: removing a record for a while must not hide the change of its key. */
struct eds_alert_all_news eds_selector_news(
	struct rt_ctx *ctx, const struct eds_selector_due *due, const char *first_error)
{
	enum eds_selector_state before = eds_selector_state_read(due->state);
	bool was_valid = before == EDS_SELECTOR_VALID;
	bool is_valid = eds_selector_state_read(due->check->state) == EDS_SELECTOR_VALID;
	struct eds_alert_news *news = rt_alloc_array(ctx, 2, sizeof *news);
	struct eds_alert_said said = {0};
	size_t count = 0;

	if (was_valid && !is_valid) {
		say_broken(ctx, due, first_error, &said);
		news[count++] = make(ctx, due, &said);
	} else if (!was_valid && is_valid && before != EDS_SELECTOR_UNKNOWN) {
		say_recovered(ctx, due, &said);
		news[count++] = make(ctx, due, &said);
	}
	if (is_valid && due->check->key_changed) {
		say_key_changed(ctx, due, &said);
		news[count++] = make(ctx, due, &said);
	}
	return (struct eds_alert_all_news){.items = news, .count = count};
}
