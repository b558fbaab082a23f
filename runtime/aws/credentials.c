#include "runtime/aws/credentials.h"
#include "runtime/aws/credentials-parse.h"
#include "runtime/time.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/aws/http.h"

enum {
	SOURCE_MS = 2000, /* time-out of one request; sources are on this machine or near it */
	SOURCE_TRIES = 3,
	TOKEN_FILE_MAX = 16 * 1024,
};

#define CONTAINER_HOST "http://169.254.170.2"
#define INSTANCE_HOST "http://169.254.169.254"
#define INSTANCE_ROLES "/latest/meta-data/iam/security-credentials/"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* credentials in use, guarded by the mutex; id "": none yet */
static struct aws_credentials current;

static const char *setting(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0' ? value : NULL;
}

static rt_status none(struct rt_ctx *ctx, const struct aws_service *service, const char *why)
{
	return rt_fail(ctx, RT_TEMPORARY, service->failed, "there are no credentials for %s: %s",
		service->what, why);
}

/* Asks the source, and asks again a few times if there is no answer or a server error. */
static rt_status ask(struct rt_ctx *ctx, const struct aws_service *service, const char *method,
	const char *url, const char *header, struct aws_http_answer *answer)
{
	struct aws_http_request request = {.method = method, .url = url, .sink = -1};

	if (header != NULL)
		request.headers[request.header_count++] = header;
	for (int tries = 0; tries < SOURCE_TRIES; tries++) {
		int left_ms = rt_remaining_ms(ctx);

		if (left_ms == 0)
			break;
		request.timeout_ms = left_ms < SOURCE_MS ? left_ms : SOURCE_MS;
		aws_http(ctx, &request, answer);
		if (answer->status == 200)
			return RT_OK;
		if (answer->status >= 400 && answer->status < 500)
			return none(ctx, service, "their source refuses to give them");
	}
	return none(ctx, service, "their source does not answer");
}

static bool is_field_value(const char *text)
{
	return strpbrk(text, "\r\n") == NULL;
}

static rt_status read_token_file(
	struct rt_ctx *ctx, const struct aws_service *service, const char *path, const char **token)
{
	char *text = rt_alloc(ctx, TOKEN_FILE_MAX + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, TOKEN_FILE_MAX);

	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return none(ctx, service, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE cannot be read");
	text[strcspn(text, "\r\n")] = '\0';
	*token = text;
	return RT_OK;
}

static rt_status ask_container(struct rt_ctx *ctx, const struct aws_service *service,
	const char *url, struct aws_http_answer *answer)
{
	const char *token = setting("AWS_CONTAINER_AUTHORIZATION_TOKEN");
	const char *file = setting("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");

	if (!aws_credentials_url_is_safe(url))
		return none(ctx, service,
			"AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor local");
	if (file != NULL)
		RT_TRY(read_token_file(ctx, service, file, &token));
	if (token == NULL)
		return ask(ctx, service, "GET", url, NULL, answer);
	if (!is_field_value(token))
		return none(ctx, service,
			"AWS_CONTAINER_AUTHORIZATION_TOKEN is not a valid header field value");
	return ask(ctx, service, "GET", url, rt_printf(ctx, "Authorization: %s", token), answer);
}

static rt_status ask_instance(
	struct rt_ctx *ctx, const struct aws_service *service, struct aws_http_answer *answer)
{
	const char *host = setting("AWS_EC2_METADATA_SERVICE_ENDPOINT");
	const char *token;
	const char *role;

	if (host == NULL)
		host = INSTANCE_HOST;
	RT_TRY(ask(ctx, service, "PUT", rt_printf(ctx, "%s/latest/api/token", host),
		"X-aws-ec2-metadata-token-ttl-seconds: 21600", answer));
	if (answer->body.length == 0 || !is_field_value(answer->body.bytes))
		return none(ctx, service, "the metadata service gives no token");
	token = rt_printf(ctx, "X-aws-ec2-metadata-token: %s", answer->body.bytes);
	RT_TRY(ask(ctx, service, "GET", rt_printf(ctx, "%s" INSTANCE_ROLES, host), token, answer));
	role = rt_memdup(ctx, answer->body.bytes, strcspn(answer->body.bytes, " \r\n"));
	if (role[0] == '\0')
		return none(ctx, service, "the instance has no role");
	return ask(ctx, service, "GET", rt_printf(ctx, "%s" INSTANCE_ROLES "%s", host, role), token,
		answer);
}

static rt_status ask_source(
	struct rt_ctx *ctx, const struct aws_service *service, struct aws_credentials *credentials)
{
	const char *relative = setting("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
	const char *full = setting("AWS_CONTAINER_CREDENTIALS_FULL_URI");
	const char *disabled = setting("AWS_EC2_METADATA_DISABLED");
	struct aws_http_answer answer;

	if (relative != NULL)
		full = rt_printf(
			ctx, CONTAINER_HOST "%s%s", relative[0] == '/' ? "" : "/", relative);
	if (full != NULL)
		RT_TRY(ask_container(ctx, service, full, &answer));
	else if (disabled != NULL && strcmp(disabled, "true") == 0)
		return none(
			ctx, service, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set");
	else
		RT_TRY(ask_instance(ctx, service, &answer));
	if (!aws_credentials_parse(answer.body.bytes, answer.body.length, credentials))
		return none(ctx, service, "their source gives an answer without credentials");
	return RT_OK;
}

static bool is_good(const struct aws_credentials *credentials, int64_t for_ms)
{
	return credentials->id[0] != '\0' &&
		(credentials->expires_at_ms == 0 ||
			credentials->expires_at_ms > rt_wall_ms() + for_ms);
}

/* Requests new credentials. If that fails, the current ones stay in use while they are valid,
 * unless AWS refused them. */
static rt_status renew_current(struct rt_ctx *ctx, const struct aws_service *service, bool refused)
{
	struct aws_credentials next;

	if (ask_source(ctx, service, &next) == RT_OK) {
		current = next;
		explicit_bzero(&next, sizeof next);
		return RT_OK;
	}
	if (refused || !is_good(&current, 0))
		return ctx->failure.category;
	rt_fail_clear(ctx);
	return RT_OK;
}

static bool copy_setting(const char *name, char *to, size_t max)
{
	const char *value = setting(name);

	if (value == NULL || strlen(value) > max || !is_field_value(value))
		return false;
	memcpy(to, value, strlen(value) + 1);
	return true;
}

static bool read_environment(struct aws_credentials *credentials)
{
	memset(credentials, 0, sizeof *credentials);
	if (!copy_setting("AWS_ACCESS_KEY_ID", credentials->id, AWS_KEY_ID_MAX) ||
		!copy_setting("AWS_SECRET_ACCESS_KEY", credentials->secret, AWS_SECRET_MAX))
		return false;
	return setting("AWS_SESSION_TOKEN") == NULL ||
		copy_setting("AWS_SESSION_TOKEN", credentials->token, AWS_TOKEN_MAX);
}

rt_status aws_credentials_get(struct rt_ctx *ctx, const struct aws_service *service, bool renew,
	struct aws_credentials *credentials)
{
	rt_status status = RT_OK;

	if (read_environment(credentials))
		return RT_OK;
	pthread_mutex_lock(&mutex);
	if (renew || !is_good(&current, AWS_RENEW_BEFORE_MS))
		status = renew_current(ctx, service, renew);
	*credentials = current;
	pthread_mutex_unlock(&mutex);
	return status;
}
