/* The events of the clouds, read into plain structs, and the answers to them.
 *
 * HTTP      API Gateway payload 2.0
 * schedule  EventBridge "Scheduled Event" (aws.events and aws.scheduler)
 * mail      SES receipt notification, also inside SQS and S3 notifications; beside Records[].ses an
 *           `envelope` {clientIp, helo, mailFrom, tls} where the receiver knows it
 * direct    any object
 */
#ifndef RT_EVENT_H
#define RT_EVENT_H

#include "runtime/json.h"

#define RT_TRACE_VARIABLE "_X_AMZN_TRACE_ID"
#define RT_TRACEPARENT "traceparent"

enum {
	RT_BODY_BYTES_MAX = 64 * 1024,
	RT_RESPONSE_HEADERS_MAX = 16,
	RT_MAIL_RECIPIENTS_MAX = 100,
};

/* A string of an object of strings. */
struct rt_field {
	const char *name;
	const char *value;
	const struct rt_field *next;
};

struct rt_request {
	const char *id;        /* requestContext.requestId, or NULL */
	const char *trace_id;  /* the member RT_TRACE_VARIABLE, or NULL */
	const char *method;    /* "GET" */
	const char *path;      /* rawPath, percent-encoded as sent */
	const char *query;     /* rawQueryString, "" when none */
	const char *source_ip; /* requestContext.http.sourceIp: the peer of the connection */
	const char *body;      /* decoded; NULL when none */
	size_t body_length;
	const struct rt_field *headers;     /* names in lower case */
	const struct rt_field *path_params; /* percent-decoded */
	const struct rt_field *query_params;
};

struct rt_response {
	int status;
	struct {
		const char *name;
		const char *value;
	} headers[RT_RESPONSE_HEADERS_MAX];
	size_t header_count;
	const char *body; /* NULL: empty */
	size_t body_length;
	bool base64;          /* the body is bytes, not text */
	const char *settings; /* as text, where the body shows more than them: If-Match is about
				 them alone (etag.h); NULL: about the body */
};

struct rt_envelope {
	const char *client_ip; /* NULL where the receiver did not say */
	const char *helo;
	const char *mail_from; /* "" for <> */
	const char *tls;       /* "TLSv1.3 TLS_AES_256_GCM_SHA384", "none", NULL for not known */
};

struct rt_mail_event {
	const char *message_id; /* the message's name in the mail store */
	int64_t received_at_ms; /* epoch */
	const char *mail_from;  /* of the envelope or of ses.mail.source; "" for <> */
	const char *recipients[RT_MAIL_RECIPIENTS_MAX];
	size_t recipient_count;
	/* All that the message came to: behind SES each function is told of those of its rule. */
	const char **destinations;
	size_t destination_count;
	bool has_envelope;
	struct rt_envelope envelope;
};

struct rt_schedule_event {
	const char *id;
	int64_t time_ms; /* the time it is due, epoch */
};

/* Readers of one kind each. RT_BAD_INPUT "event-invalid" with the member that is missing or odd.
 * That of HTTP takes the text, which may be no JSON: RT_BAD_INPUT "json-invalid". */
RT_MUST_USE rt_status rt_event_http(
	struct rt_ctx *ctx, const char *text, size_t length, struct rt_request *req);
RT_MUST_USE rt_status rt_event_schedule(
	struct rt_ctx *ctx, const json_t *event, struct rt_schedule_event *schedule);

/* One mail of an event: how to report its failure in the event's own form. In a batch of SQS an
 * unreadable message is an item, too, so that it fails alone. */
struct rt_mail_item {
	struct rt_mail_event mail;
	const char *sqs_id; /* SQS messageId for batchItemFailures; NULL outside SQS */
	const char *odd;    /* why this message of a batch cannot be read; NULL for one that can */
};
RT_MUST_USE rt_status rt_event_mail(
	struct rt_ctx *ctx, const json_t *event, struct rt_mail_item **items, size_t *count);

/* Of another event than HTTP: id, Records[0].ses.mail.messageId, Records[0].messageId; else a new
 * UUID. */
const char *rt_event_request_id(struct rt_ctx *ctx, const json_t *event);

/* Header by lower-case name, path and query parameter; NULL when absent. Borrowed. */
const char *rt_request_header(const struct rt_request *req, const char *name);
const char *rt_request_param(const struct rt_request *req, const char *name);
const char *rt_request_query(const struct rt_request *req, const char *name);

/* Whether a GET or HEAD says by If-None-Match (RFC 9110 section 13.1.2) that it has the version of
 * this ETag, given with its quotes: then 304 is its answer, and *etag the tag as the request has
 * it. A list that cannot be read names nothing. */
bool rt_request_has_tag(struct rt_ctx *ctx, const struct rt_request *req, const char **etag);

/* The address of the client: the peer, or behind EDS_TRUSTED_PROXIES the last address in
 * X-Forwarded-For that is none of them. "" when the event names none. */
const char *rt_request_client(struct rt_ctx *ctx, const struct rt_request *req);

/* The host that the client asked for, in lower case, without a port and a final dot: of Host, or
 * where the peer is one of EDS_TRUSTED_PROXIES of X-Forwarded-Host, of which the last counts. ""
 * when the event names none, or an IPv6 address. */
const char *rt_request_host(struct rt_ctx *ctx, const struct rt_request *req);

/* The body as a JSON object. RT_BAD_INPUT "json-invalid" or "body-not-object"; "body-missing" when
 * there is none; "media-type-unsupported" (415) unless Content-Type is application/json;
 * "body-too-large" (413). Unknown members are the caller's to refuse. */
RT_MUST_USE rt_status rt_body_object(
	struct rt_ctx *ctx, const struct rt_request *req, json_t **body);

/* The same for one of so many octets at most, where a body may be longer than RT_BODY_BYTES_MAX. */
RT_MUST_USE rt_status rt_body_object_within(
	struct rt_ctx *ctx, const struct rt_request *req, size_t max, json_t **body);

/* A string member that must be there. RT_BAD_INPUT "field-invalid" with the field. Embedded NUL
 * cannot occur (the parser refuses it). */
RT_MUST_USE rt_status rt_body_string(
	struct rt_ctx *ctx, const struct rt_request *req, const char *field, const char **value);

/* Refuses a body with members beside these: RT_BAD_INPUT "field-unknown" naming each. */
RT_MUST_USE rt_status rt_body_only(
	struct rt_ctx *ctx, const json_t *body, const char *const *fields, size_t count);

void rt_response_header(struct rt_response *res, const char *name, const char *value);
/* NULL when absent. */
const char *rt_response_header_of(const struct rt_response *res, const char *name);
RT_MUST_USE rt_status rt_respond_json(
	struct rt_ctx *ctx, struct rt_response *res, int status, const json_t *value);
/* The same, wrapped as {"data": value}. */
RT_MUST_USE rt_status rt_respond_data(
	struct rt_ctx *ctx, struct rt_response *res, int status, json_t *value);
/* The ETag that the answer of rt_respond_data with this value has. */
const char *rt_data_etag(struct rt_ctx *ctx, json_t *value);

/* Gives JSON that shows what there is now, by 200 to anything but DELETE, its ETag, unless it has
 * one; 304 to a request that has it. What every answer of an HTTP function goes through. */
void rt_response_tag(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res);

RT_MUST_USE rt_status rt_respond_bytes(struct rt_ctx *ctx, struct rt_response *res, int status,
	const char *content_type, const char *body, size_t length, bool base64);

/* RateLimit-Policy, and RateLimit where it is known what is left, of the context's limits
 * (draft-ietf-httpapi-ratelimit-headers-10):
 *
 *     RateLimit-Policy: "checks";q=60;w=3600
 *     RateLimit: "checks";r=59;t=3600
 */
void rt_respond_limits(struct rt_ctx *ctx, struct rt_response *res);

/* The failure of the context as application/problem+json (RFC 9457), its status from problem.c's
 * table; and as {"errorType", "errorMessage"} for events that a platform retries. Header fields set
 * before stay, but for those about a body or a thing made that now is not there (ETag, Location).
 */
void rt_respond_problem(struct rt_ctx *ctx, struct rt_response *res);
json_t *rt_failure_json(struct rt_ctx *ctx);

/* {statusCode, headers, body, isBase64Encoded} */
/* The answer of an HTTP function, written without building JSON of it. */
void rt_response_write(struct rt_buffer *out, const struct rt_response *res);

#endif
