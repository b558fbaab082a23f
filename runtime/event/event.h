/* The events of the clouds, parsed into plain structs, and the answers to them.
 *
 * HTTP      API Gateway payload 2.0
 * schedule  EventBridge "Scheduled Event" (aws.events and aws.scheduler)
 * mail      SES receipt notification or S3 notification, each also inside SNS or SQS
 * direct    any JSON object
 *
 * Two members may stand beside Records[].ses in a mail event. A receiver that knows the envelope
 * adds `envelope` {clientIp, helo, mailFrom, tls}. A receiver that keeps the mail, and sends the
 * event again when the function puts the mail off, adds `comesAgain` with the value true.
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

/* One member of a JSON object whose values are strings. */
struct rt_field {
	const char *name;
	const char *value;
	const struct rt_field *next;
};

struct rt_request {
	const char *id;        /* requestContext.requestId, or NULL */
	const char *trace_id;  /* value of the member RT_TRACE_VARIABLE, or NULL */
	const char *method;    /* the method: "GET" */
	const char *path;      /* rawPath, percent-encoded as sent */
	const char *query;     /* rawQueryString, "" when none */
	const char *source_ip; /* requestContext.http.sourceIp: the connection's peer */
	const char *body;      /* the decoded body; NULL when there is none */
	size_t body_length;
	const struct rt_field *headers;     /* header fields, names in lower case */
	const struct rt_field *path_params; /* path parameters, percent-decoded */
	const struct rt_field *query_params;
};

struct rt_response {
	int status;
	struct {
		const char *name;
		const char *value;
	} headers[RT_RESPONSE_HEADERS_MAX];
	size_t header_count;
	const char *body; /* body of the answer; NULL: empty */
	size_t body_length;
	bool base64; /* the body is sent in base64, because it is not text */
	/* If the body shows more than the client can change: the part that the client can change,
	 * as text. If-Match then compares only this part (etag.h). NULL: If-Match compares the
	 * whole body. */
	const char *settings;
};

struct rt_envelope {
	/* address of the SMTP client; NULL if the receiver did not give it */
	const char *client_ip;
	const char *helo;
	/* envelope sender; "" for <>; NULL if the receiver did not give it */
	const char *mail_from;
	/* TLS version and cipher: "TLSv1.3 TLS_AES_256_GCM_SHA384"; or "none"; NULL if unknown */
	const char *tls;
};

struct rt_mail_event {
	const char *message_id; /* the message's name in the mail store */
	int64_t received_at_ms; /* time of receipt, epoch ms */
	/* envelope sender, from envelope or ses.mail.source; "" for <>, or if the event does not
	 * name it */
	const char *mail_from;
	const char *recipients[RT_MAIL_RECIPIENTS_MAX];
	size_t recipient_count;
	/* All recipients of the message, at most RT_MAIL_RECIPIENTS_MAX. In an event of SES, the
	 * member `recipients` has only those that the function's receipt rule matched. */
	const char **destinations;
	size_t destination_count;
	bool has_envelope;
	struct rt_envelope envelope;
	/* True if the function may answer RT_LATER, because the sender of the event keeps a failed
	 * event and sends it again for more than an hour. A queue (SQS) does so, and so does a
	 * receiver that sets `comesAgain`. */
	bool comes_again;
};

struct rt_schedule_event {
	const char *id;
	int64_t time_ms; /* the time at which the run is due, epoch ms */
};

/* Parses a schedule event. Fails with RT_BAD_INPUT "event-invalid", naming the member that is
 * missing or invalid. */
RT_MUST_USE rt_status rt_event_schedule(
	struct rt_ctx *ctx, const json_t *event, struct rt_schedule_event *schedule);

/* One mail of an event, with the id under which its failure is reported. In an SQS batch an
 * unreadable message is an item too, so that it fails alone. */
struct rt_mail_item {
	struct rt_mail_event mail;
	const char *sqs_id; /* SQS messageId for batchItemFailures; NULL outside SQS */
	const char *odd;    /* why this message of a batch cannot be read; NULL if it can */
	bool is_setup;      /* a notice that notifications are set up; it names no mail */
};

/* The request id of an event that is not HTTP: its id, Records[0].ses.mail.messageId or
 * Records[0].messageId; else a new UUID. */
const char *rt_event_request_id(struct rt_ctx *ctx, const json_t *event);

#endif
