#include "runtime/s3/client.h"
#include "runtime/time.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime/aws/signed.h"
#include "runtime/aws/sigv4.h"

enum {
	PAUSE_MS = 50, /* maximum pause before the second try; doubles with each further try */
	PAUSE_MS_MAX = 3000,
	CODE_MAX = 64,
};

static const struct aws_service s3_service = {"s3", "the mail store", "mail-store-failed"};

/* What to do after an answer. */
enum outcome { DONE, TRY_AGAIN, RENEW, REFUSED };

/* Reads the code from the XML of an error, such as <Code>SlowDown</Code>; "" when there is none. */
static void error_code(const struct aws_http_answer *answer, char code[CODE_MAX + 1])
{
	static const char open[] = "<Code>";
	const char *at = memmem(answer->body.bytes, answer->body.length, open, sizeof open - 1);
	size_t length = 0;

	if (at != NULL) {
		at += sizeof open - 1;
		length = strspn(
			at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
	}
	if (length > CODE_MAX)
		length = 0;
	if (length > 0)
		memcpy(code, at, length);
	code[length] = '\0';
}

static bool is_one_of(const char *code, const char *const *codes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(code, codes[i]) == 0)
			return true;
	return false;
}

static enum outcome judge(const struct aws_http_answer *answer)
{
	static const char *const passing[] = {"RequestTimeout", "RequestTimeTooSkewed", "SlowDown"};
	static const char *const expired[] = {"ExpiredToken", "ExpiredTokenException"};
	char code[CODE_MAX + 1];

	if (answer->status == 0 || answer->status == 408 || answer->status == 429 ||
		answer->status >= 500)
		return TRY_AGAIN;
	if (answer->status >= 200 && answer->status < 300)
		return DONE;
	error_code(answer, code);
	if (is_one_of(code, expired, sizeof expired / sizeof *expired))
		return RENEW;
	if (is_one_of(code, passing, sizeof passing / sizeof *passing))
		return TRY_AGAIN;
	return answer->status == 404 && strcmp(code, "NoSuchBucket") != 0 ? DONE : REFUSED;
}

static rt_status failed(struct rt_ctx *ctx, const struct aws_http_answer *answer)
{
	char code[CODE_MAX + 1];

	if (answer->status == 0)
		return rt_fail(ctx, RT_TEMPORARY, s3_service.failed,
			"the mail store cannot be reached: %s", answer->error);
	error_code(answer, code);
	return rt_fail(ctx, RT_TEMPORARY, s3_service.failed, "the mail store answers %d%s%s",
		answer->status, code[0] != '\0' ? " " : "", code);
}

static bool is_emptied(int file)
{
	return ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0;
}

/* Sends the request once. Empties the sink first, because an earlier, failed try may have written
 * to it. */
static rt_status send_once(struct rt_ctx *ctx, const struct aws_signed_request *request, bool renew,
	struct aws_http_answer *answer)
{
	int sink = request->http.sink;

	if (sink >= 0 && !is_emptied(sink))
		return rt_fail(ctx, RT_TEMPORARY, s3_service.failed,
			"the local file for the message cannot be emptied: %s", strerror(errno));
	return aws_send(ctx, request, renew, answer);
}

/* Pauses before a try. Half of the pause is random, so that clients that failed together do not
 * return together. False when the deadline does not allow the pause. */
static bool pause_before(const struct rt_ctx *ctx, int tries)
{
	int most = PAUSE_MS << (tries - 1);
	uint16_t chance;
	int pause_ms;
	struct timespec pause;

	most = most < PAUSE_MS_MAX ? most : PAUSE_MS_MAX;
	rt_random(&chance, sizeof chance);
	pause_ms = most / 2 + chance % (most / 2 + 1);
	if (pause_ms >= rt_remaining_ms(ctx))
		return false;
	pause = (struct timespec){pause_ms / 1000, (long)(pause_ms % 1000) * 1000000};
	nanosleep(&pause, NULL);
	return true;
}

static rt_status call_patiently(struct rt_ctx *ctx, const struct aws_signed_request *request,
	struct aws_http_answer *answer)
{
	bool renew = false;

	for (int tries = 1;; tries++) {
		enum outcome outcome;

		RT_TRY(send_once(ctx, request, renew, answer));
		outcome = judge(answer);
		if (outcome == DONE)
			return RT_OK;
		if (outcome == REFUSED || (outcome == RENEW && renew) || tries == S3_TRIES ||
			!pause_before(ctx, tries))
			return failed(ctx, answer);
		renew = outcome == RENEW;
	}
}

rt_status s3_call(struct rt_ctx *ctx, const struct s3_location *location,
	const struct s3_call *call, struct aws_http_answer *answer)
{
	const struct aws_signed_request request = {
		.service = &s3_service,
		.region = location->region,
		.endpoint = location->endpoint,
		.path = rt_printf(ctx, "%s%s", location->base, sigv4_encode(ctx, call->key, true)),
		.query = call->query,
		.timeout_ms = S3_TRY_MS,
		.http = {.method = call->method,
			.parts = call->parts,
			.part_count = call->part_count,
			.sink = call->sink,
			.sink_bytes_max = call->sink_bytes_max},
	};

	return call_patiently(ctx, &request, answer);
}
