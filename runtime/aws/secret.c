#include "runtime/aws/secret.h"
#include "runtime/aws/secret-parse.h"
#include "runtime/time.h"

#include <string.h>
#include <time.h>

#include "runtime/aws/signed.h"

enum {
	PAUSE_MS = 100, /* pause before a second try with the same credentials; a random time
			 * shorter than this is added */
};

/* What to do after an answer. */
enum outcome { DONE, TRY_AGAIN, RENEW, REFUSED };

static bool is_one_of(const char *type, const char *const *types, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

static enum outcome judge(const struct aws_http_answer *answer)
{
	static const char *const passing[] = {
		"ThrottlingException", "InternalServiceError", "RequestTimeTooSkewed"};
	static const char *const expired[] = {"ExpiredTokenException", "ExpiredToken"};
	char type[AWS_SECRET_ERROR_MAX + 1];

	if (answer->status == 200)
		return DONE;
	if (answer->status == 0 || answer->status == 429 || answer->status >= 500)
		return TRY_AGAIN;
	aws_secret_error(answer->body.bytes, answer->body.length, type);
	if (is_one_of(type, expired, sizeof expired / sizeof *expired))
		return RENEW;
	return is_one_of(type, passing, sizeof passing / sizeof *passing) ? TRY_AGAIN : REFUSED;
}

/* Advice to the administrator for some errors; the name of any other error says enough. */
static const struct {
	const char *type;
	const char *sentence;
} known[] = {
	{"AccessDeniedException",
		"the role is not allowed to read the secret; the role needs secretsmanager:GetSecretValue, "
		"and kms:Decrypt if the secret has a key of its own"},
	{"DecryptionFailure",
		"the role is not allowed to use the secret's key; the role needs kms:Decrypt"},
	{"ResourceNotFoundException", "there is no such secret, or it has no current version"},
	{"InvalidRequestException", "the secret is marked for deletion"},
	{"UnrecognizedClientException", "Secrets Manager does not know the credentials"},
	{"InvalidSignatureException",
		"the signature is not valid: the secret access key or the clock is wrong"},
};

static rt_status failed(
	struct rt_ctx *ctx, const struct aws_service *service, const struct aws_http_answer *answer)
{
	char type[AWS_SECRET_ERROR_MAX + 1];

	if (answer->status == 0)
		return rt_fail(ctx, RT_TEMPORARY, service->failed,
			"%s cannot be read: Secrets Manager cannot be reached: %s", service->what,
			answer->error);
	aws_secret_error(answer->body.bytes, answer->body.length, type);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(type, known[i].type) == 0)
			return rt_fail(ctx, RT_TEMPORARY, service->failed,
				"%s cannot be read: %s (%s)", service->what, known[i].sentence,
				type);
	return rt_fail(ctx, RT_TEMPORARY, service->failed,
		"%s cannot be read: Secrets Manager answers %d %s", service->what, answer->status,
		type);
}

static rt_status find_endpoint(struct rt_ctx *ctx, struct aws_signed_request *request)
{
	const char *other = aws_setting("AWS_ENDPOINT_URL_SECRETS_MANAGER", "AWS_ENDPOINT_URL");

	if (other == NULL) {
		request->endpoint.scheme = "https://";
		request->endpoint.host = rt_printf(ctx, "%s.%s.%s", request->service->name,
			request->region, aws_domain(request->region));
		return RT_OK;
	}
	if (!aws_endpoint_parse(ctx, other, &request->endpoint))
		return rt_fail(ctx, RT_TEMPORARY, request->service->failed,
			"AWS_ENDPOINT_URL_SECRETS_MANAGER must be an address like "
			"https://secrets.example.com, without path or credentials");
	return RT_OK;
}

static void pause_before_retry(struct rt_ctx *ctx)
{
	int left_ms = rt_remaining_ms(ctx);
	uint16_t chance;
	int pause_ms;
	struct timespec pause = {0};

	rt_random(&chance, sizeof chance);
	pause_ms = PAUSE_MS + chance % PAUSE_MS;
	pause.tv_nsec = (long)(pause_ms < left_ms ? pause_ms : left_ms) * 1000000;
	nanosleep(&pause, NULL);
}

static rt_status ask_twice(struct rt_ctx *ctx, const struct aws_signed_request *request,
	struct aws_http_answer *answer)
{
	enum outcome outcome;

	RT_TRY(aws_send(ctx, request, false, answer));
	outcome = judge(answer);
	if (outcome == TRY_AGAIN || outcome == RENEW) {
		if (outcome == TRY_AGAIN)
			pause_before_retry(ctx);
		RT_TRY(aws_send(ctx, request, outcome == RENEW, answer));
		outcome = judge(answer);
	}
	return outcome == DONE ? RT_OK : failed(ctx, request->service, answer);
}

rt_status aws_secret_get(
	struct rt_ctx *ctx, const struct aws_service *service, const char *arn, const char **text)
{
	char *body = rt_printf(ctx, "{\"SecretId\":\"%s\"}", arn);
	const struct iovec part = {body, strlen(body)};
	struct aws_signed_request request = {
		.service = service,
		.region = aws_secret_region(ctx, arn),
		.path = "/",
		.query = "",
		.content_type = "application/x-amz-json-1.1",
		.target = "secretsmanager.GetSecretValue",
		.timeout_ms = AWS_SECRET_TRY_MS,
		.http = {.method = "POST", .parts = &part, .part_count = 1, .sink = -1},
	};
	struct aws_http_answer answer;

	RT_TRY(find_endpoint(ctx, &request));
	RT_TRY(ask_twice(ctx, &request, &answer));
	*text = aws_secret_text(ctx, answer.body.bytes, answer.body.length);
	explicit_bzero(answer.body.bytes, answer.body.length);
	if (*text == NULL)
		return rt_fail(ctx, RT_TEMPORARY, service->failed,
			"%s cannot be read: the answer contains no text of it", service->what);
	return RT_OK;
}
