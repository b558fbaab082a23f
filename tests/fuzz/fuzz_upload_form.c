/* A message that a client uploads over HTTP. The first line of the input has the content type, "-"
 * for none, and after a space how often the message is repeated, up to 2^17 times. With types other
 * than JSON three lines, clientIp, helo and mailFrom, come before the message. */
#include <stdlib.h>

#include "functions/tester/upload-form.h"
#include "runtime/config/config.h"
#include "tests/fuzz/fuzz.h"

enum {
	LARGEST = 1024 * 1024,
	DOUBLINGS = 18,
	PARAMETERS = 3,
};

static void set_limit(void)
{
	static bool set;

	if (set)
		return;
	set = true;
	setenv("EDS_TESTER_MESSAGE_MAX", "1", 1);
	rt_config_require();
}

/* Takes the first line off the text, and returns it. */
static char *take_line(struct rt_ctx *ctx, const char **text, size_t *length)
{
	const char *end = *length > 0 ? memchr(*text, '\n', *length) : NULL;
	size_t line = end != NULL ? (size_t)(end - *text) : *length;
	char *copy = rt_memdup(ctx, *text, line);

	*text += line + (end != NULL);
	*length -= line + (end != NULL);
	return copy;
}

static void repeat(struct rt_ctx *ctx, unsigned doublings, struct rt_request *request)
{
	char *body;

	for (unsigned i = 0; i < doublings && request->body_length * 2 < 4 * LARGEST; i++) {
		body = rt_alloc(ctx, request->body_length * 2 + 1);
		memcpy(body, request->body, request->body_length);
		memcpy(body + request->body_length, request->body, request->body_length);
		request->body = body;
		request->body_length *= 2;
	}
}

static void require_sound(const struct upload_form *form)
{
	FUZZ_ASSERT(form->length > 0 && form->length <= LARGEST);
	FUZZ_ASSERT(strpbrk(form->helo, " \r\n\t") == NULL && strlen(form->helo) <= 255);
	FUZZ_ASSERT(strpbrk(form->mail_from, " \r\n\t<>") == NULL);
	FUZZ_ASSERT(strlen(form->client_ip) < RT_IP_TEXT_MAX);
	/* bare line feeds in the upload were turned into CR LF */
	for (size_t i = 1; i < form->length; i++)
		if (form->message[i] == '\n' && form->message[i - 1] != '\r')
			FUZZ_ASSERT(memmem(form->message, form->length, "\r\n", 2) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct rt_request request = {.method = "POST", .path = "/", .query = ""};
	const char *text = (const char *)data;
	struct rt_field fields[PARAMETERS] = {
		{.name = "clientIp"}, {.name = "helo"}, {.name = "mailFrom"}};
	struct rt_field type = {.name = "content-type"};
	char *times;
	struct upload_form form;

	set_limit();
	rt_json_use_arena(ctx.arena);
	times = take_line(&ctx, &text, &size);
	type.value = strsep(&times, " ");
	request.headers = strcmp(type.value, "-") != 0 ? &type : NULL;
	if (strncmp(type.value, "application/json", 16) != 0)
		for (size_t i = 0; i < PARAMETERS; i++) {
			fields[i].value = take_line(&ctx, &text, &size);
			fields[i].next = request.query_params;
			request.query_params = &fields[i];
		}
	request.body = rt_memdup(&ctx, text, size);
	request.body_length = size;
	repeat(&ctx, times != NULL ? (unsigned)strtoul(times, NULL, 10) % DOUBLINGS : 0, &request);
	if (upload_form_read(&ctx, &request, &form) == RT_OK)
		require_sound(&form);
	else
		FUZZ_ASSERT(ctx.failure.category == RT_BAD_INPUT);
	rt_json_use_arena(NULL);
	fuzz_end(&ctx);
	return 0;
}
