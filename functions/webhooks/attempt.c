#include "functions/webhooks/attempt.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/webhook/signature.h"
#include "runtime/config/config.h"
#include "runtime/event/trace.h"

enum {
	GONE = 410,
	TOO_MANY_REQUESTS = 429,
	UNAVAILABLE = 503,
};

struct reason {
	const char *code;
	const char *sentence;
};

/* A fault of this service (EDS_FETCH_FAILED) has no reason here, because it does not count as a
 * try. */
static const struct reason REASONS[] = {
	[EDS_FETCH_REFUSED] = {"receiver-refused", "The host refused the connection."},
	[EDS_FETCH_UNREACHABLE] = {"receiver-unreachable",
		"The host could not be reached, or ended the connection without an answer."},
	[EDS_FETCH_CONNECT_TIME] = {"receiver-timeout",
		"The host did not accept a connection in time."},
	[EDS_FETCH_TOTAL_TIME] = {"receiver-timeout",
		"The receiver did not answer within 15 seconds."},
	[EDS_FETCH_TLS] = {"receiver-tls",
		"No TLS connection could be made: TLS 1.2 at least is needed."},
	[EDS_FETCH_TLS_REFUSED] = {"receiver-tls", "The host has no certificate for this name."},
	[EDS_FETCH_CERT_EXPIRED] = {"receiver-certificate", "The host's certificate has expired."},
	[EDS_FETCH_CERT_EARLY] = {"receiver-certificate",
		"The host's certificate is not valid yet."},
	[EDS_FETCH_CERT_NAME] = {"receiver-certificate",
		"The host's certificate is for other names."},
	[EDS_FETCH_CERT_UNTRUSTED] = {"receiver-certificate",
		"The host's certificate is not from an authority that is trusted here."},
	[EDS_FETCH_TOO_LARGE] = {"receiver-protocol", "The answer was too long."},
	[EDS_FETCH_PROTOCOL] = {"receiver-protocol", "The host did not answer in valid HTTP."},
	[EDS_FETCH_FAILED] = {NULL, NULL},
};

static void finish(struct attempt *attempt, enum eds_outbox_outcome outcome, const char *code,
	const char *sentence)
{
	struct eds_outbox_due *due = attempt->due;

	due->outcome = outcome;
	due->reason_code = code;
	due->reason = sentence;
	attempt->done(attempt);
}

static int64_t pause_ms(int64_t tries)
{
	int64_t pause = ATTEMPT_PAUSE_MS;

	for (int64_t i = 1; i < tries && pause < ATTEMPT_PAUSE_MAX_MS; i++)
		pause *= 2;
	return pause < ATTEMPT_PAUSE_MAX_MS ? pause : ATTEMPT_PAUSE_MAX_MS;
}

/* When the next try is due, epoch ms. A pause that the receiver asked for is shortened if it would
 * leave no time for one more try before the row is given up. */
static int64_t next_try_ms(const struct attempt *attempt)
{
	const struct eds_outbox_due *due = attempt->due;
	int64_t now_ms = rt_wall_ms();
	int64_t pause = pause_ms(due->tries);
	int64_t asked = attempt->asked_ms;

	if (asked > due->until_ms - now_ms - ATTEMPT_PAUSE_MS)
		asked = due->until_ms - now_ms - ATTEMPT_PAUSE_MS;
	return now_ms + (asked > pause ? asked : pause);
}

static void fail(struct attempt *attempt, const char *code, const char *sentence)
{
	struct eds_outbox_due *due = attempt->due;

	due->next_at_ms = next_try_ms(attempt);
	finish(attempt, due->next_at_ms < due->until_ms ? EDS_OUTBOX_LATER : EDS_OUTBOX_FAILED,
		code, sentence);
}

void attempt_postpone(struct attempt *attempt, int64_t next_at_ms, bool host_is_silent)
{
	struct eds_outbox_due *due = attempt->due;

	due->next_at_ms = next_at_ms;
	finish(attempt, next_at_ms < due->until_ms ? EDS_OUTBOX_UNTRIED : EDS_OUTBOX_FAILED,
		host_is_silent ? "receiver-silent" : "delivery-postponed",
		host_is_silent ? "The host did not answer other deliveries, so this one waits."
			       : "The delivery could not be tried at this moment.");
}

static void judge_status(struct attempt *attempt, long status, int64_t retry_after_s)
{
	attempt->due->status = status;
	if ((status == TOO_MANY_REQUESTS || status == UNAVAILABLE) &&
		retry_after_s < ATTEMPT_ASKED_MAX_MS / 1000)
		attempt->asked_ms = retry_after_s * 1000;
	else if (status == TOO_MANY_REQUESTS || status == UNAVAILABLE)
		attempt->asked_ms = ATTEMPT_ASKED_MAX_MS;
	if (status >= 200 && status <= 299)
		finish(attempt, EDS_OUTBOX_DELIVERED, NULL, NULL);
	else if (status == GONE)
		finish(attempt, EDS_OUTBOX_FAILED, "receiver-gone",
			"The receiver answered 410: it wants no more deliveries.");
	else if (status >= 300 && status <= 399)
		fail(attempt, "receiver-redirect",
			"The receiver answered with a redirect, which is not followed: use the URL "
			"that the redirect leads to.");
	else
		fail(attempt, "receiver-status",
			rt_printf(attempt->ctx, "The receiver answered with HTTP status %ld.",
				status));
}

/* Only the status of the answer is used, so an answer that is too long is no failure if it begins
 * with a status.
 */
static void take_fetched(void *arg, const struct eds_fetched *fetched)
{
	struct attempt *attempt = arg;
	enum eds_fetch_outcome outcome = fetched->outcome;

	attempt->due->status = 0;
	if (outcome == EDS_FETCH_DONE || (outcome == EDS_FETCH_TOO_LARGE && fetched->status > 0)) {
		judge_status(attempt, fetched->status, fetched->retry_after_s);
		return;
	}
	if (outcome == EDS_FETCH_FAILED) {
		attempt_postpone(attempt, rt_wall_ms() + ATTEMPT_PAUSE_MS, false);
		return;
	}
	attempt->silent = true;
	fail(attempt, REASONS[outcome].code, REASONS[outcome].sentence);
}

static void no_address(struct attempt *attempt)
{
	attempt->due->status = 0;
	attempt->silent = true;
	if (attempt->fetch.forbidden)
		finish(attempt, EDS_OUTBOX_FAILED, "receiver-private",
			"The host has only addresses that are private or reserved; nothing is sent "
			"there.");
	else if (attempt->dns_failed)
		fail(attempt, "receiver-dns", "DNS gave no answer for the host.");
	else
		fail(attempt, "receiver-no-address", "The host has no address.");
}

static void take_address(
	void *arg, size_t tag, struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	struct attempt *attempt = arg;

	(void)tag;
	(void)ctx;
	attempt->dns_failed |= answer->state == EDS_DNS_TEMPORARY;
	eds_fetch_vet(&attempt->fetch, answer);
	if (--attempt->answers_wanted > 0)
		return;
	if (attempt->fetch.address_count > 0)
		eds_fetch_start(attempt->fetcher, &attempt->fetch);
	else
		no_address(attempt);
}

bool attempt_prepare(struct attempt *attempt)
{
	const char *reason;

	if (attempt->due->until_ms <= rt_wall_ms()) {
		finish(attempt, EDS_OUTBOX_FAILED, "delivery-late",
			"The time allowed for this delivery ended before it was made.");
		return false;
	}
	if (eds_webhook_address_read(attempt->ctx, attempt->due->url, &attempt->address, &reason))
		return true;
	finish(attempt, EDS_OUTBOX_FAILED, "receiver-invalid",
		rt_printf(attempt->ctx, "The address %s.", reason));
	return false;
}

/* The traceparent value to send: the receiver's span becomes a child of this try. */
static const char *trace_of(const struct attempt *attempt)
{
	char *text = rt_alloc(attempt->ctx, RT_TRACEPARENT_LENGTH + 1);
	struct rt_trace trace = *attempt->ctx->trace;

	rt_trace_step(&trace);
	rt_trace_write(&trace, text);
	return text;
}

static bool sign(struct attempt *attempt)
{
	struct rt_ctx *ctx = attempt->ctx;
	const struct eds_outbox_due *due = attempt->due;
	int64_t now_s = rt_wall_ms() / 1000;
	const char *signature = eds_webhook_signature(ctx, due->secret, due->id, now_s, due->body);
	struct eds_fetch_post *post = &attempt->post;

	*post = (struct eds_fetch_post){.body = due->body, .length = strlen(due->body)};
	post->fields[post->field_count++] = "Content-Type: application/json";
	post->fields[post->field_count++] = "User-Agent: eds";
	post->fields[post->field_count++] = rt_printf(ctx, "Webhook-Id: %s", due->id);
	post->fields[post->field_count++] = rt_printf(
		ctx, "Webhook-Timestamp: %lld", (long long)now_s);
	post->fields[post->field_count++] = rt_printf(ctx, "Webhook-Signature: %s", signature);
	if (ctx->trace != NULL)
		post->fields[post->field_count++] = rt_printf(
			ctx, "Traceparent: %s", trace_of(attempt));
	return signature != NULL;
}

void attempt_begin(struct attempt *attempt, struct eds_fetcher *fetcher)
{
	struct eds_dns_queue *dns = eds_fetcher_dns(fetcher);

	attempt->begun = true;
	if (!sign(attempt)) {
		finish(attempt, EDS_OUTBOX_FAILED, "receiver-invalid",
			"The stored secret is not valid.");
		return;
	}
	attempt->fetcher = fetcher;
	attempt->answers_wanted = 2;
	attempt->fetch = (struct eds_fetch){
		.kind = EDS_FETCH_HTTPS,
		.host = attempt->address.host,
		.path = attempt->address.path,
		.post = &attempt->post,
		.port = rt_config()->webhook_port,
		.done = take_fetched,
		.arg = attempt,
	};
	eds_dns_queue_ask(dns, attempt->address.host, EDS_DNS_A, take_address, attempt, 0);
	eds_dns_queue_ask(dns, attempt->address.host, EDS_DNS_AAAA, take_address, attempt, 1);
}
