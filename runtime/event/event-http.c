#include <string.h>
#include <strings.h>

#include "runtime/event/etag.h"
#include "runtime/event/event-http.h"
#include "runtime/event/event.h"
#include "runtime/event/forwarded.h"
#include "runtime/json-check.h"
#include "runtime/json-read.h"
#include "runtime/text/base64.h"

static rt_status odd_member(struct rt_ctx *ctx, const char *member)
{
	return rt_fail(ctx, RT_BAD_INPUT, "event-invalid",
		"the event is not an HTTP request of payload format 2.0: %s is missing or of "
		"another type",
		member);
}

static rt_status no_object(struct rt_ctx *ctx)
{
	return rt_fail(ctx, RT_BAD_INPUT, "event-invalid", "an event must be a JSON object");
}

static bool is_there(const struct rt_json_value *value)
{
	return value->text != NULL &&
		!(value->kind == RT_JSON_WORD && rt_json_read_is(value, "null"));
}

/* Stores a member if its name is one of names; false when a member with this name was stored
 * before. */
static bool note_member(const struct rt_json_value *name, const struct rt_json_value *value,
	const char *const *names, struct rt_json_value *found, size_t count)
{
	size_t i = 0;

	while (i < count && !rt_json_read_is(name, names[i]))
		i++;
	if (i == count)
		return true;
	if (found[i].text != NULL)
		return false;
	found[i] = *value;
	return true;
}

/* Finds the members with these names, as spans of the object's text; false if a member occurs twice
 * or the text is not an object. */
static bool find_members(const char *text, size_t length, const char *const *names,
	struct rt_json_value *found, size_t count)
{
	struct rt_json_value name, value;
	struct rt_json_read read;

	memset(found, 0, count * sizeof *found);
	if (text == NULL)
		return false;
	rt_json_read_init(&read, text, length);
	while (rt_json_read_member(&read, &name, &value))
		if (!note_member(&name, &value, names, found, count))
			return false;
	return !read.failed;
}

/* True if the text of a JSON string has only printable ASCII and no escapes, so that it needs no
 * decoding. */
static bool is_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == '\\')
			return false;
	return true;
}

/* Decodes a string value; leaves *text unchanged if the value has another type. rt_json_parse()
 * needs the quotes, which stand directly before and after the span of the value. */
static rt_status take_text(
	struct rt_ctx *ctx, const struct rt_json_value *value, const char **text, size_t *length)
{
	json_t *string;

	if (value->text == NULL || value->kind != RT_JSON_STRING)
		return RT_OK;
	if (is_plain(value->text, value->length)) {
		*text = rt_memdup(ctx, value->text, value->length);
		*length = value->length;
		return RT_OK;
	}
	RT_TRY(rt_json_parse(ctx, value->text - 1, value->length + 2, &string));
	*text = json_string_value(string);
	*length = json_string_length(string);
	return RT_OK;
}

static const char *find_field(const struct rt_field *field, const char *name)
{
	while (field != NULL && strcmp(field->name, name) != 0)
		field = field->next;
	return field == NULL ? NULL : field->value;
}

/* Reads the string members of an object into a list. */
static rt_status take_fields(
	struct rt_ctx *ctx, const struct rt_json_value *object, const struct rt_field **fields)
{
	struct rt_json_value name, value;
	struct rt_json_read read;
	size_t length;

	if (object->text == NULL || object->kind != RT_JSON_OBJECT)
		return RT_OK;
	rt_json_read_init(&read, object->text, object->length);
	while (rt_json_read_member(&read, &name, &value)) {
		struct rt_field *field = rt_alloc(ctx, sizeof *field);

		*field = (struct rt_field){.next = *fields};
		RT_TRY(take_text(ctx, &name, &field->name, &length));
		RT_TRY(take_text(ctx, &value, &field->value, &length));
		if (field->name == NULL || find_field(*fields, field->name) != NULL)
			return no_object(ctx);
		if (field->value != NULL)
			*fields = field;
	}
	return read.failed ? no_object(ctx) : RT_OK;
}

static rt_status take_body(
	struct rt_ctx *ctx, const struct rt_json_value *body, bool base64, struct rt_request *req)
{
	RT_TRY(take_text(ctx, body, &req->body, &req->body_length));
	if (req->body == NULL)
		return is_there(body) ? odd_member(ctx, "body") : RT_OK;
	if (!base64)
		return RT_OK;
	req->body = rt_base64_decode(ctx, req->body, req->body_length, &req->body_length);
	return req->body == NULL ? odd_member(ctx, "body") : RT_OK;
}

static rt_status take_context(
	struct rt_ctx *ctx, const struct rt_json_value *context, struct rt_request *req)
{
	enum { HTTP, ID, METHOD = 0, SOURCE_IP };
	static const char *const names[] = {"http", "requestId"};
	static const char *const http_names[] = {"method", "sourceIp"};
	struct rt_json_value found[2], http[2];
	size_t length;

	if (!find_members(context->text, context->length, names, found, 2) ||
		!find_members(found[HTTP].text, found[HTTP].length, http_names, http, 2))
		return RT_OK;
	RT_TRY(take_text(ctx, &found[ID], &req->id, &length));
	RT_TRY(take_text(ctx, &http[METHOD], &req->method, &length));
	return take_text(ctx, &http[SOURCE_IP], &req->source_ip, &length);
}

static rt_status read_request(
	struct rt_ctx *ctx, const char *text, size_t length, struct rt_request *req)
{
	enum { TRACE, PATH, QUERY, HEADERS, PARAMS, QUERY_PARAMS, CONTEXT, BODY, BASE64, COUNT };
	static const char *const names[COUNT] = {RT_TRACE_VARIABLE, "rawPath", "rawQueryString",
		"headers", "pathParameters", "queryStringParameters", "requestContext", "body",
		"isBase64Encoded"};
	struct rt_json_value found[COUNT];
	size_t unused;

	*req = (struct rt_request){.query = "", .source_ip = ""};
	if (!find_members(text, length, names, found, COUNT))
		return no_object(ctx);
	RT_TRY(take_text(ctx, &found[TRACE], &req->trace_id, &unused));
	RT_TRY(take_context(ctx, &found[CONTEXT], req));
	RT_TRY(take_text(ctx, &found[PATH], &req->path, &unused));
	RT_TRY(take_text(ctx, &found[QUERY], &req->query, &unused));
	RT_TRY(take_fields(ctx, &found[HEADERS], &req->headers));
	RT_TRY(take_fields(ctx, &found[PARAMS], &req->path_params));
	RT_TRY(take_fields(ctx, &found[QUERY_PARAMS], &req->query_params));
	if (req->method == NULL)
		return odd_member(ctx, "requestContext.http.method");
	if (req->path == NULL)
		return odd_member(ctx, "rawPath");
	return take_body(ctx, &found[BODY], rt_json_read_is(&found[BASE64], "true"), req);
}

/* Checks that the whole text of an event is JSON, though a request needs only some members: an
 * event with invalid JSON must have no effect. */
rt_status rt_event_http(struct rt_ctx *ctx, const char *text, size_t length, struct rt_request *req)
{
	json_t *event;

	if (!rt_json_is_sound(text, length))
		RT_TRY(rt_json_parse(ctx, text, length, &event));
	return read_request(ctx, text, length, req);
}

const char *rt_request_header(const struct rt_request *req, const char *name)
{
	return find_field(req->headers, name);
}

const char *rt_request_param(const struct rt_request *req, const char *name)
{
	return find_field(req->path_params, name);
}

const char *rt_request_query(const struct rt_request *req, const char *name)
{
	return find_field(req->query_params, name);
}

bool rt_request_has_tag(struct rt_ctx *ctx, const struct rt_request *req, const char **etag)
{
	const char *condition = rt_request_header(req, "if-none-match");

	if (condition == NULL ||
		(strcmp(req->method, "GET") != 0 && strcmp(req->method, "HEAD") != 0))
		return false;
	return rt_etag_find(ctx, condition, *etag, true, etag) == RT_ETAG_LISTED;
}

const char *rt_request_client(struct rt_ctx *ctx, const struct rt_request *req)
{
	const char *forwarded = rt_request_header(req, "x-forwarded-for");
	char *client;

	if (forwarded == NULL)
		return req->source_ip;
	client = rt_alloc(ctx, RT_IP_TEXT_MAX);
	rt_forwarded_client(req->source_ip, forwarded, strlen(forwarded), client);
	return client;
}

/* The last element of a comma-separated X-Forwarded-Host. The trusted proxy wrote this element; the
 * client or earlier proxies wrote the elements before it. */
static const char *last_element(const char *list)
{
	const char *comma = strrchr(list, ',');

	list = comma == NULL ? list : comma + 1;
	return list + strspn(list, " \t");
}

const char *rt_request_host(struct rt_ctx *ctx, const struct rt_request *req)
{
	const char *host = rt_request_header(req, "host");
	const char *forwarded = rt_request_header(req, "x-forwarded-host");
	size_t length;

	if (forwarded != NULL && rt_is_proxy(req->source_ip))
		host = last_element(forwarded);
	if (host == NULL || host[0] == '[')
		return "";
	length = strcspn(host, ": \t");
	if (length > 0 && host[length - 1] == '.')
		length--;
	return rt_lower(ctx, rt_memdup(ctx, host, length));
}

static bool is_json_type(const char *content_type)
{
	static const char json[] = "application/json";
	size_t length = sizeof json - 1;

	return content_type != NULL && strncasecmp(content_type, json, length) == 0 &&
		(content_type[length] == '\0' || strchr("; \t", content_type[length]) != NULL);
}

rt_status rt_body_not_coded(struct rt_ctx *ctx, const struct rt_request *req)
{
	const char *coding = rt_request_header(req, "content-encoding");

	if (coding == NULL || coding[0] == '\0' || strcasecmp(coding, "identity") == 0)
		return RT_OK;
	return rt_fail(ctx, RT_BAD_INPUT, "content-coding-unsupported",
		"the body must be sent without Content-Encoding");
}

rt_status rt_body_object(struct rt_ctx *ctx, const struct rt_request *req, json_t **body)
{
	return rt_body_object_within(ctx, req, RT_BODY_BYTES_MAX, body);
}

rt_status rt_body_object_within(
	struct rt_ctx *ctx, const struct rt_request *req, size_t max, json_t **body)
{
	*body = NULL;
	if (req->body_length > max)
		return rt_fail(ctx, RT_BAD_INPUT, "body-too-large",
			"a request body may have %zu bytes at most", max);
	if (req->body_length == 0)
		return rt_fail(ctx, RT_BAD_INPUT, "body-missing", "the request needs a JSON body");
	if (!is_json_type(rt_request_header(req, "content-type")))
		return rt_fail(ctx, RT_BAD_INPUT, "media-type-unsupported",
			"the body must be sent with Content-Type: application/json");
	RT_TRY(rt_body_not_coded(ctx, req));
	RT_TRY(rt_json_parse(ctx, req->body, req->body_length, body));
	if (!json_is_object(*body))
		return rt_fail(
			ctx, RT_BAD_INPUT, "body-not-object", "the body must be a JSON object");
	return RT_OK;
}

rt_status rt_body_string(
	struct rt_ctx *ctx, const struct rt_request *req, const char *field, const char **value)
{
	json_t *body;

	RT_TRY(rt_body_object(ctx, req, &body));
	*value = rt_json_string(body, field);
	if (*value == NULL) {
		rt_fail_field(ctx, field, "a string is required");
		return rt_fail(ctx, RT_BAD_INPUT, "field-invalid",
			"%s is missing or is not a string", field);
	}
	return RT_OK;
}

rt_status rt_body_only(
	struct rt_ctx *ctx, const json_t *body, const char *const *fields, size_t count)
{
	bool unknown = false;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)body, key, value)
	{
		size_t i = 0;

		while (i < count && strcmp(fields[i], key) != 0)
			i++;
		if (i < count)
			continue;
		rt_fail_field(ctx, key, "there is no such field");
		unknown = true;
	}
	if (!unknown)
		return RT_OK;
	return rt_fail(
		ctx, RT_BAD_INPUT, "field-unknown", "the body has a field that is not allowed");
}
