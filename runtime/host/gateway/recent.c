#include "runtime/host/gateway/recent.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "runtime/arena.h"
#include "runtime/text/base64.h"
#include "runtime/text/utf8.h"
#include "runtime/time.h"

enum {
	TIME_TEXT_MAX = 32,
	SECRET_LETTERS_MIN = 30,
	DEPTH_MAX = 64,
};

#define LINK_LETTERS "abcdefghijklmnopqrstuvwxyz234567"

static const char removed[] = "removed";

/* The forms of secrets: tokens, the keys that sign results sent to receivers, and the keys of links
 * in mails. Each form is given by the start of the secret and the characters that may follow. */
static const struct secret {
	const char *start;
	const char *letters;
} secrets[] = {
	{"eds_", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"},
	{"whsec_", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/=\\"},
	{"key=", LINK_LETTERS},
};

struct slot {
	uint64_t number; /* number of the event; 0: the slot is empty */
	const char *function;
	int64_t received_at_ms;
	const char *outcome; /* the outcome; NULL while the event is being processed */
	bool again;          /* the event was given to a second handler: recent_give_again() */
	struct rt_buffer event;
	struct rt_buffer answer;
};

struct recent {
	uint64_t last_number;
	struct slot slots[RECENT_EVENTS];
};

struct recent *recent_new(void)
{
	struct recent *recent = rt_heap_alloc(sizeof *recent);

	for (size_t i = 0; i < RECENT_EVENTS; i++) {
		rt_buffer_init_heap(&recent->slots[i].event, RECENT_BYTES_MAX);
		rt_buffer_init_heap(&recent->slots[i].answer, RECENT_BYTES_MAX);
	}
	return recent;
}

void recent_free(struct recent *recent)
{
	for (size_t i = 0; i < RECENT_EVENTS; i++) {
		rt_buffer_done(&recent->slots[i].event);
		rt_buffer_done(&recent->slots[i].answer);
	}
	free(recent);
}

uint64_t recent_begin(struct recent *recent, const char *function, const char *event, size_t length)
{
	uint64_t number = recent->last_number + 1;
	struct slot *slot = &recent->slots[number % RECENT_EVENTS];

	if (length > RECENT_BYTES_MAX)
		return 0;
	recent->last_number = number;
	slot->number = number;
	slot->function = function;
	slot->received_at_ms = rt_wall_ms();
	slot->outcome = NULL;
	slot->again = false;
	rt_buffer_clear(&slot->event);
	rt_buffer_clear(&slot->answer);
	rt_buffer_add(&slot->event, event, length);
	return number;
}

bool recent_give_again(struct recent *recent, uint64_t number)
{
	struct slot *slot = &recent->slots[number % RECENT_EVENTS];

	if (number == 0 || slot->number != number)
		return false;
	slot->again = true;
	return true;
}

void recent_end(struct recent *recent, uint64_t number, enum pool_outcome outcome,
	const char *answer, size_t length)
{
	static const char *const names[] = {[POOL_ANSWERED] = "answered",
		[POOL_CRASHED] = "crashed",
		[POOL_TIMED_OUT] = "timed-out",
		[POOL_BUSY] = "busy",
		[POOL_ABSENT] = "absent"};
	struct slot *slot = &recent->slots[number % RECENT_EVENTS];

	if (number == 0 || slot->number != number)
		return;
	slot->outcome = names[outcome];
	if (length <= RECENT_BYTES_MAX)
		rt_buffer_add(&slot->answer, answer, length);
}

static bool is_secret(const char *name)
{
	static const char *const names[] = {"authorization", "proxy-authorization", "cookie",
		"cookies", "set-cookie", "token", "x-api-key"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcasecmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Finds the first possible secret of the text. Returns the position after the known start of the
 * secret (struct secret); NULL when there is none. */
static const char *find_secret(const char *text, const struct secret **secret)
{
	const char *first = NULL;

	for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
		const char *found = strstr(text, secrets[i].start);

		if (found == NULL || (first != NULL && found > first))
			continue;
		first = found;
		*secret = &secrets[i];
	}
	return first != NULL ? first + strlen((*secret)->start) : NULL;
}

/* A copy of the text in which each secret, recognized by its form, is replaced by its start and
 * "removed". */
static json_t *without_secrets(const char *text)
{
	const struct secret *secret = NULL;
	struct rt_buffer kept;
	const char *rest;
	json_t *value;

	rt_buffer_init_heap(&kept, RECENT_TEXT_MAX);
	while ((rest = find_secret(text, &secret)) != NULL) {
		size_t length = strspn(rest, secret->letters);

		rt_buffer_add(&kept, text, (size_t)(rest - text));
		if (length >= SECRET_LETTERS_MIN)
			rt_buffer_text(&kept, removed);
		else
			rt_buffer_add(&kept, rest, length);
		text = rest + length;
	}
	rt_buffer_text(&kept, text);
	value = json_stringn(kept.bytes == NULL ? "" : kept.bytes, kept.length);
	rt_buffer_done(&kept);
	return value;
}

static json_t *clean(const json_t *value, int depth);

/* True if the member is the query parameter with the key of a link in a mail. */
static bool is_link_key(const char *name, const json_t *value)
{
	const char *text = json_string_value(value);

	return strcmp(name, "key") == 0 && text != NULL && strlen(text) >= SECRET_LETTERS_MIN &&
		text[strspn(text, LINK_LETTERS)] == '\0';
}

static json_t *clean_array(const json_t *array, int depth)
{
	json_t *copy = json_array();

	for (size_t i = 0; i < json_array_size(array); i++)
		json_array_append_new(copy, clean(json_array_get(array, i), depth));
	return copy;
}

static json_t *clean_object(const json_t *object, int depth)
{
	json_t *original = (json_t *)(uintptr_t)object; /* jansson's iterators take no const */
	json_t *copy = json_object();

	for (void *at = json_object_iter(original); at != NULL;
		at = json_object_iter_next(original, at)) {
		const char *name = json_object_iter_key(at);
		const json_t *value = json_object_iter_value(at);

		json_object_set_new(copy, name,
			is_secret(name) || is_link_key(name, value) ? json_string(removed)
								    : clean(value, depth));
	}
	return copy;
}

/* A copy of the value that may be shown, because it has no secrets. */
static json_t *clean(const json_t *value, int depth)
{
	if (depth > DEPTH_MAX)
		return json_null();
	if (json_is_string(value))
		return without_secrets(json_string_value(value));
	if (json_is_array(value))
		return clean_array(value, depth + 1);
	if (json_is_object(value))
		return clean_object(value, depth + 1);
	return json_deep_copy(value);
}

/* Parses the text and removes secrets; NULL when it is not JSON. */
static json_t *load_clean(const struct rt_buffer *text)
{
	json_t *value = text->bytes == NULL
		? NULL
		: json_loadb(text->bytes, text->length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	json_t *copy = value == NULL ? NULL : clean(value, 0);

	json_decref(value);
	return copy;
}

/* The body as a JSON string: its text, or, with *base64 set, its octets in base64. */
static json_t *body_value(const char *body, size_t length, bool *base64)
{
	size_t encoded = (length + 2) / 3 * 4;
	char *room;
	json_t *value;

	*base64 = !rt_utf8_is_text(body, length) || memchr(body, '\0', length) != NULL;
	if (!*base64) {
		room = strndup(body, length);
		value = room == NULL ? NULL : without_secrets(room);
	} else {
		room = malloc(encoded + 1);
		if (room != NULL)
			rt_base64_write(body, length, room);
		value = room == NULL ? NULL : json_stringn(room, encoded);
	}
	free(room);
	return value;
}

/* The answer as one JSON value, without secrets: a separate body (runtime/host/gateway/answer.h)
 * becomes its member `body`. NULL when the answer is not JSON. */
static json_t *load_answer(const struct rt_buffer *text)
{
	const char *newline = text->length == 0 ? NULL : memchr(text->bytes, '\n', text->length);
	struct rt_buffer line = *text;
	json_t *answer;
	bool base64;

	if (newline == NULL)
		return load_clean(text);
	line.length = (size_t)(newline - text->bytes);
	answer = load_clean(&line);
	json_object_set_new(
		answer, "body", body_value(newline + 1, text->length - line.length - 1, &base64));
	json_object_set_new(answer, "isBase64Encoded", json_boolean(base64));
	return answer;
}

/* The id of the event; NULL for none. */
static const char *event_id(const json_t *event)
{
	const json_t *context = json_object_get(event, "requestContext");
	const json_t *record = json_array_get(json_object_get(event, "Records"), 0);
	const json_t *mail = json_object_get(json_object_get(record, "ses"), "mail");
	const json_t *id = json_object_get(context, "requestId");

	if (id == NULL)
		id = json_object_get(mail, "messageId");
	if (id == NULL)
		id = json_object_get(event, "id");
	return json_string_value(id);
}

static json_t *describe(const struct slot *slot, const json_t *event)
{
	time_t seconds = (time_t)(slot->received_at_ms / 1000);
	char text[TIME_TEXT_MAX];
	struct tm utc;

	gmtime_r(&seconds, &utc);
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
	return json_pack("{s:I,s:s?,s:s,s:s,s:s,s:b}", "number", (json_int_t)slot->number, "id",
		event_id(event), "function", slot->function, "receivedAt", text, "outcome",
		slot->outcome == NULL ? "under-way" : slot->outcome, "again", slot->again);
}

static int add_dumped(const char *text, size_t length, void *out)
{
	rt_buffer_add(out, text, length);
	return 0;
}

void recent_list(const struct recent *recent, struct rt_buffer *out)
{
	uint64_t oldest = recent->last_number < RECENT_EVENTS
		? 1
		: recent->last_number - RECENT_EVENTS + 1;
	json_t *list = json_array();
	json_t *whole = json_pack("{s:o}", "events", list);

	for (uint64_t number = recent->last_number; number >= oldest; number--) {
		const struct slot *slot = &recent->slots[number % RECENT_EVENTS];
		json_t *event = load_clean(&slot->event);

		json_array_append_new(list, describe(slot, event));
		json_decref(event);
	}
	json_dump_callback(whole, add_dumped, out, JSON_COMPACT);
	json_decref(whole);
}

static bool show_if_meant(const struct slot *slot, const char *id, struct rt_buffer *out)
{
	json_t *event = load_clean(&slot->event);
	const char *own = event_id(event);
	char number[24];
	json_t *shown;

	snprintf(number, sizeof number, "%llu", (unsigned long long)slot->number);
	if (strcmp(id, number) != 0 && (own == NULL || strcmp(id, own) != 0)) {
		json_decref(event);
		return false;
	}
	shown = describe(slot, event);
	json_object_set_new(shown, "event", event == NULL ? json_null() : event);
	event = load_answer(&slot->answer);
	json_object_set_new(shown, "answer", event == NULL ? json_null() : event);
	json_dump_callback(shown, add_dumped, out, JSON_COMPACT | JSON_ENCODE_ANY);
	json_decref(shown);
	return true;
}

bool recent_show(const struct recent *recent, const char *id, struct rt_buffer *out)
{
	for (uint64_t back = 0; back < RECENT_EVENTS && back < recent->last_number; back++)
		if (show_if_meant(
			    &recent->slots[(recent->last_number - back) % RECENT_EVENTS], id, out))
			return true;
	return false;
}
