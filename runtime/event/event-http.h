/* Parses an HTTP event (API Gateway payload 2.0), its fields and its body. */
#ifndef RT_EVENT_HTTP_H
#define RT_EVENT_HTTP_H

#include "runtime/event/event.h"

/* Parses an HTTP event. Fails with RT_BAD_INPUT "json-invalid" when the text is not JSON, and with
 * RT_BAD_INPUT "event-invalid" when it is not an object, when the method or the path is missing, or
 * when the body is invalid. */
RT_MUST_USE rt_status rt_event_http(
	struct rt_ctx *ctx, const char *text, size_t length, struct rt_request *req);

/* The value of a header field (name in lower case), a path parameter or a query parameter; NULL
 * when absent. Borrowed from the request. */
const char *rt_request_header(const struct rt_request *req, const char *name);
const char *rt_request_param(const struct rt_request *req, const char *name);
const char *rt_request_query(const struct rt_request *req, const char *name);

/* True if the If-None-Match field of a GET or HEAD (RFC 9110 section 13.1.2) names the same version
 * as *etag, a tag in quotes, or is "*". Then the answer must be 304. *etag becomes the tag as it is
 * written in the request, without W/; for "*" it stays the same. A list that cannot be parsed names
 * no version. */
bool rt_request_has_tag(struct rt_ctx *ctx, const struct rt_request *req, const char **etag);

/* The address of the client: the peer or, if the peer is one of EDS_TRUSTED_PROXIES, the last
 * address in X-Forwarded-For that is not one of them (forwarded.h). "" when the event has no
 * address. */
const char *rt_request_client(struct rt_ctx *ctx, const struct rt_request *req);

/* The host that the client asked for, in lower case, without port and final dot: from Host or, if
 * the peer is one of EDS_TRUSTED_PROXIES, the last element of X-Forwarded-Host. "" when the event
 * names no host, or names an IPv6 address. */
const char *rt_request_host(struct rt_ctx *ctx, const struct rt_request *req);

/* Fails with RT_BAD_INPUT "content-coding-unsupported" (415) when the body has a Content-Encoding
 * other than "identity", since functions do not decode bodies. */
RT_MUST_USE rt_status rt_body_not_coded(struct rt_ctx *ctx, const struct rt_request *req);

/* The body as a JSON object. Fails with RT_BAD_INPUT and one of these codes: "json-invalid";
 * "body-not-object"; "body-missing" when there is no body; "media-type-unsupported" (415) unless
 * Content-Type is application/json; "content-coding-unsupported" (415); "body-too-large" (413). The
 * caller refuses unknown members.
 */
RT_MUST_USE rt_status rt_body_object(
	struct rt_ctx *ctx, const struct rt_request *req, json_t **body);

/* Does what rt_body_object() does, with another maximum length of the body (max, octets). For
 * bodies that may be longer than RT_BODY_BYTES_MAX. */
RT_MUST_USE rt_status rt_body_object_within(
	struct rt_ctx *ctx, const struct rt_request *req, size_t max, json_t **body);

/* Reads the body as rt_body_object() does, and a required string member of it. Fails also with
 * RT_BAD_INPUT "field-invalid", naming the member, when the body has no such string. The string has
 * no NUL, since rt_json_parse() refuses NUL. */
RT_MUST_USE rt_status rt_body_string(
	struct rt_ctx *ctx, const struct rt_request *req, const char *field, const char **value);

/* Fails with RT_BAD_INPUT "field-unknown" when the body has other members than these; the failure
 * names the other members, at most RT_FAILURE_FIELDS_MAX of them. */
RT_MUST_USE rt_status rt_body_only(
	struct rt_ctx *ctx, const json_t *body, const char *const *fields, size_t count);

#endif
