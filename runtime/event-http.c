#include <string.h>
#include <strings.h>

#include "runtime/base64.h"
#include "runtime/event.h"
#include "runtime/forwarded.h"

static rt_status odd_member(struct rt_ctx *ctx, const char *member)
{
	return rt_fail(ctx, RT_BAD_INPUT, "event-invalid",
		"the event is no HTTP request of payload format 2.0: %s is missing or of another "
		"type",
		member);
}

static rt_status read_body(struct rt_ctx *ctx, const json_t *event, struct rt_request *req)
{
	const json_t *body = json_object_get(event, "body");

	if (body == NULL || json_is_null(body))
		return RT_OK;
	if (!json_is_string(body))
		return odd_member(ctx, "body");
	req->body = json_string_value(body);
	req->body_length = json_string_length(body);
	if (!json_is_true(json_object_get(event, "isBase64Encoded")))
		return RT_OK;
	req->body = rt_base64_decode(ctx, req->body, req->body_length, &req->body_length);
	return req->body == NULL ? odd_member(ctx, "body") : RT_OK;
}

rt_status rt_event_http(struct rt_ctx *ctx, const json_t *event, struct rt_request *req)
{
	const json_t *http = json_object_get(json_object_get(event, "requestContext"), "http");

	memset(req, 0, sizeof *req);
	req->method = rt_json_string(http, "method");
	req->path = rt_json_string(event, "rawPath");
	if (req->method == NULL)
		return odd_member(ctx, "requestContext.http.method");
	if (req->path == NULL)
		return odd_member(ctx, "rawPath");
	req->query = rt_json_string(event, "rawQueryString");
	req->source_ip = rt_json_string(http, "sourceIp");
	req->headers = json_object_get(event, "headers");
	req->path_params = json_object_get(event, "pathParameters");
	req->query_params = json_object_get(event, "queryStringParameters");
	if (req->query == NULL)
		req->query = "";
	if (req->source_ip == NULL)
		req->source_ip = "";
	return read_body(ctx, event, req);
}

const char *rt_request_header(const struct rt_request *req, const char *name)
{
	return rt_json_string(req->headers, name);
}

const char *rt_request_param(const struct rt_request *req, const char *name)
{
	return rt_json_string(req->path_params, name);
}

const char *rt_request_query(const struct rt_request *req, const char *name)
{
	return rt_json_string(req->query_params, name);
}

/* A list of tags, compared weakly, or "*". A tag holds no quotes, so finding it quoted is finding
 * it in the list. */
bool rt_request_has_tag(const struct rt_request *req, const char *etag)
{
	const char *condition = rt_request_header(req, "if-none-match");

	if (condition == NULL || strcmp(req->method, "GET") != 0)
		return false;
	return strcmp(condition, "*") == 0 || strstr(condition, etag) != NULL;
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

/* What stands behind the last comma; the proxies before ours wrote the rest, or the client did. */
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

rt_status rt_body_object(struct rt_ctx *ctx, const struct rt_request *req, json_t **body)
{
	*body = NULL;
	if (req->body_length > RT_BODY_BYTES_MAX)
		return rt_fail(ctx, RT_BAD_INPUT, "body-too-large",
			"a request body may have %d bytes at most", RT_BODY_BYTES_MAX);
	if (req->body_length == 0)
		return rt_fail(ctx, RT_BAD_INPUT, "body-missing", "the request needs a JSON body");
	if (!is_json_type(rt_request_header(req, "content-type")))
		return rt_fail(ctx, RT_BAD_INPUT, "media-type-unsupported",
			"the body must be sent with Content-Type: application/json");
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
		return rt_fail(
			ctx, RT_BAD_INPUT, "field-invalid", "%s is missing or no string", field);
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
	return rt_fail(ctx, RT_BAD_INPUT, "field-unknown", "the body has a field it may not have");
}
