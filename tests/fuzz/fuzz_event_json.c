/* Events from any cloud or person, read as each kind of event. */
#include <stdlib.h>

#include "runtime/config/config.h"
#include "runtime/event/event-http.h"
#include "runtime/event/event-mail.h"
#include "runtime/event/event.h"
#include "runtime/json-check.h"
#include "runtime/json-format.h"
#include "runtime/json-read.h"
#include "tests/fuzz/fuzz.h"

/* Trusts the peer as a proxy, so that X-Forwarded-For is read. */
static void trust_proxies(void)
{
	static bool set;

	if (set)
		return;
	set = true;
	setenv("EDS_TRUSTED_PROXIES", "127.0.0.0/8,10.0.0.0/8,fd00::/8", 1);
	rt_config_require();
}

/* In any JSON the pull parser finds the same members as jansson. */
static void walk(const char *text, size_t length, const json_t *value)
{
	struct rt_json_value name, inner;
	struct rt_json_read read;
	size_t count = 0;

	rt_json_read_init(&read, text, length);
	if (json_is_object(value)) {
		while (rt_json_read_member(&read, &name, &inner))
			count++;
		FUZZ_ASSERT(!read.failed && count == json_object_size(value));
	} else if (json_is_array(value)) {
		while (rt_json_read_element(&read, &inner))
			walk(inner.text, inner.length, json_array_get(value, count++));
		FUZZ_ASSERT(!read.failed && count == json_array_size(value));
	}
}

/* Written JSON must be read back as the same value. */
static void write_and_read(struct rt_ctx *ctx, const json_t *value)
{
	struct rt_buffer text;
	json_t *again;

	rt_buffer_init(&text, ctx, SIZE_MAX / 4);
	rt_json_write(&text, value);
	FUZZ_ASSERT(rt_json_parse(ctx, text.bytes, text.length, &again) == RT_OK);
	FUZZ_ASSERT(json_typeof(again) == json_typeof(value));
}

static void read_http(struct rt_ctx *ctx, const char *event, size_t length)
{
	static const char *const fields[] = {"selector"};
	const char *etag = "\"1\"";
	struct rt_request request;
	const char *text;
	json_t *body;

	if (rt_event_http(ctx, event, length, &request) != RT_OK) {
		FUZZ_ASSERT(ctx->failure.category == RT_BAD_INPUT);
		return;
	}
	FUZZ_ASSERT(request.method != NULL && request.path != NULL && request.query != NULL);
	FUZZ_ASSERT(request.body != NULL || request.body_length == 0);
	FUZZ_ASSERT(rt_request_client(ctx, &request) != NULL);
	FUZZ_ASSERT(rt_request_host(ctx, &request) != NULL);
	if (rt_request_has_tag(ctx, &request, &etag))
		FUZZ_ASSERT(
			strcmp(request.method, "GET") == 0 || strcmp(request.method, "HEAD") == 0);
	(void)rt_request_param(&request, "id");
	(void)rt_request_query(&request, "limit");
	if (rt_body_object(ctx, &request, &body) == RT_OK) {
		FUZZ_ASSERT(json_is_object(body) && request.body_length <= RT_BODY_BYTES_MAX);
		if (rt_body_only(ctx, body, fields, 1) == RT_OK)
			FUZZ_ASSERT(json_object_size(body) <= 1);
	}
	rt_fail_clear(ctx);
	if (rt_body_string(ctx, &request, "selector", &text) == RT_OK)
		FUZZ_ASSERT(text != NULL);
}

static void read_mail(struct rt_ctx *ctx, const json_t *event)
{
	struct rt_mail_item *items;
	size_t count;

	if (rt_event_mail(ctx, event, &items, &count) != RT_OK) {
		FUZZ_ASSERT(ctx->failure.category != RT_OK);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (items[i].odd != NULL) {
			FUZZ_ASSERT(items[i].odd[0] != '\0' && items[i].sqs_id != NULL);
			continue;
		}
		FUZZ_ASSERT(items[i].mail.message_id != NULL && items[i].mail.mail_from != NULL);
		FUZZ_ASSERT(items[i].mail.recipient_count <= RT_MAIL_RECIPIENTS_MAX);
		for (size_t j = 0; j < items[i].mail.recipient_count; j++)
			FUZZ_ASSERT(items[i].mail.recipients[j] != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct rt_schedule_event schedule;
	json_t *event;

	trust_proxies();
	rt_json_use_arena(ctx.arena);
	if (rt_json_is_sound((const char *)data, size))
		FUZZ_ASSERT(rt_json_parse(&ctx, (const char *)data, size, &event) == RT_OK);
	read_http(&ctx, (const char *)data, size);
	rt_fail_clear(&ctx);
	if (rt_json_parse(&ctx, (const char *)data, size, &event) == RT_OK) {
		const char *id = rt_event_request_id(&ctx, event);

		walk((const char *)data, size, event);
		write_and_read(&ctx, event);
		FUZZ_ASSERT(id != NULL && id[0] != '\0');
		read_mail(&ctx, event);
		rt_fail_clear(&ctx);
		if (rt_event_schedule(&ctx, event, &schedule) == RT_OK)
			FUZZ_ASSERT(schedule.id != NULL);
	}
	rt_json_use_arena(NULL);
	fuzz_end(&ctx);
	return 0;
}
