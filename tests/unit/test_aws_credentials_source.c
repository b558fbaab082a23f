/* The sources of credentials: which ones are asked, how often, and what the requests contain. Each
 * source is an HTTP server of this test. */
#include "tests/support/test-event.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "runtime/aws/credentials.h"
#include "runtime/aws/http.h"

enum {
	REQUEST_BYTES = 8192,
	BODY_BYTES = 512,
};

static const struct aws_service service = {"s3", "the mail store", "mail-store-failed"};

/* The answer of the source, and the requests that it got. */
static struct {
	pthread_mutex_t mutex;
	int listener;
	int port;
	int asked;
	int status;
	char credentials[BODY_BYTES];
	const char *token; /* the session token that the metadata service issues */
	const char *role;
	char heard[REQUEST_BYTES]; /* the last request */
} source = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static const char *body_of(const char *request)
{
	if (strncmp(request, "PUT /latest/api/token ", 22) == 0)
		return source.token;
	if (strstr(request, "/security-credentials/ HTTP") != NULL)
		return source.role;
	return source.credentials;
}

static void answer(int fd)
{
	char request[REQUEST_BYTES] = "";
	char text[BODY_BYTES + 256];
	size_t length = 0;
	const char *body;

	while (strstr(request, "\r\n\r\n") == NULL && length < sizeof request - 1) {
		ssize_t got = read(fd, request + length, sizeof request - 1 - length);

		if (got <= 0)
			return;
		length += (size_t)got;
		request[length] = '\0';
	}
	pthread_mutex_lock(&source.mutex);
	source.asked++;
	memcpy(source.heard, request, sizeof request);
	body = body_of(request);
	length = (size_t)snprintf(text, sizeof text,
		"HTTP/1.1 %d Said\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
		source.status, strlen(body), body);
	pthread_mutex_unlock(&source.mutex);
	(void)!write(fd, text, length);
}

static void *serve(void *arg)
{
	(void)arg;
	for (;;) {
		int fd = accept(source.listener, NULL, NULL);

		if (fd < 0)
			return NULL;
		answer(fd);
		close(fd);
	}
}

static int start_source(void **state)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	pthread_t thread;

	(void)state;
	source.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(source.listener, (struct sockaddr *)&address, sizeof address) != 0 ||
		listen(source.listener, 8) != 0 ||
		getsockname(source.listener, (struct sockaddr *)&address, &length) != 0)
		return -1;
	source.port = ntohs(address.sin_port);
	if (pthread_create(&thread, NULL, serve, NULL) != 0)
		return -1;
	return pthread_detach(thread);
}

static void set(const char *name, const char *value)
{
	if (value != NULL)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/* Makes the source that of a container; a test may choose another. */
static int begin(void **state)
{
	static const char *const names[] = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
		"AWS_SESSION_TOKEN", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
		"AWS_EC2_METADATA_DISABLED", "AWS_EC2_METADATA_SERVICE_ENDPOINT"};

	test_event_begin(state);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		unsetenv(names[i]);
	set("AWS_CONTAINER_CREDENTIALS_FULL_URI",
		rt_printf(*state, "http://127.0.0.1:%d/creds", source.port));
	source.status = 200;
	source.token = "metadata-token";
	source.role = "mail-role\n";
	source.asked = 0;
	source.heard[0] = '\0';
	return 0;
}

/* Makes the source give these credentials from now on, valid for this many seconds. */
static void issue(const char *id, int seconds)
{
	time_t end = time(NULL) + seconds;
	struct tm tm;
	char text[64];

	assert_non_null(gmtime_r(&end, &tm));
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(source.credentials, sizeof source.credentials,
		"{\"AccessKeyId\":\"%s\",\"SecretAccessKey\":\"s\",\"Token\":\"t\","
		"\"Expiration\":\"%s\"}",
		id, text);
}

static void assert_given(bool renew, const char *id)
{
	struct aws_credentials credentials;

	assert_int_equal(aws_credentials_get(&test_event, &service, renew, &credentials), RT_OK);
	assert_string_equal(credentials.id, id);
}

static void assert_none(bool renew, const char *why)
{
	struct aws_credentials credentials;

	assert_int_equal(
		aws_credentials_get(&test_event, &service, renew, &credentials), RT_TEMPORARY);
	assert_string_equal(test_event.failure.code, "mail-store-failed");
	if (strstr(test_event.failure.detail, why) == NULL)
		fail_msg("\"%s\" is not in %s", why, test_event.failure.detail);
	rt_fail_clear(&test_event);
}

static void credentials_are_kept_until_five_minutes_before_their_end(void **state)
{
	(void)state;
	issue("first", 3600);
	assert_given(true, "first");
	issue("second", 290);
	assert_given(false, "first");
	assert_int_equal(source.asked, 1);
	assert_given(true, "second");
	issue("third", 330);
	assert_given(false, "third");
	issue("fourth", 3600);
	assert_given(false, "third");
	assert_int_equal(source.asked, 3);
}

static void valid_credentials_are_used_while_their_source_is_away(void **state)
{
	(void)state;
	issue("holding", 60);
	assert_given(true, "holding");
	source.status = 500;
	source.asked = 0;
	assert_given(false, "holding");
	assert_int_equal(source.asked, 3);
	assert_int_equal(test_event.failure.category, RT_OK);
	/* the service has refused these credentials, so they are not used again */
	assert_none(true, "their source does not answer");
}

static void expired_credentials_are_not_used(void **state)
{
	(void)state;
	issue("ended", -60);
	assert_given(true, "ended");
	source.status = 500;
	assert_none(false, "their source does not answer");
}

static void a_source_that_refuses_is_asked_once(void **state)
{
	(void)state;
	source.status = 403;
	assert_none(true, "their source refuses to give them");
	assert_int_equal(source.asked, 1);
	source.status = 200;
	snprintf(source.credentials, sizeof source.credentials, "{}");
	assert_none(true, "their source gives an answer without credentials");
}

static void a_container_is_asked_with_its_token(void **state)
{
	char path[] = "/tmp/eds-token-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	issue("container", 3600);
	set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "said");
	assert_given(true, "container");
	assert_non_null(strstr(source.heard, "GET /creds HTTP/1.1\r\n"));
	assert_non_null(strstr(source.heard, "\r\nAuthorization: said\r\n"));
	assert_int_equal(write(fd, "of a file\nand no more", 21), 21);
	close(fd);
	set("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", path);
	assert_given(true, "container");
	assert_non_null(strstr(source.heard, "\r\nAuthorization: of a file\r\n"));
	assert_null(strstr(source.heard, "and no more"));
	unlink(path);
	source.asked = 0;
	assert_none(true, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE cannot be read");
	set("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", NULL);
	set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "a\r\nX-Injected: b");
	assert_none(true, "AWS_CONTAINER_AUTHORIZATION_TOKEN is not a valid header field value");
	assert_int_equal(source.asked, 0);
}

static void the_token_of_a_container_is_sent_to_nobody_else(void **state)
{
	(void)state;
	set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "said");
	set("AWS_CONTAINER_CREDENTIALS_FULL_URI",
		rt_printf(&test_event, "http://localhost.example:%d/creds", source.port));
	assert_none(true, "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor local");
	assert_int_equal(source.asked, 0);
}

static void an_instance_is_asked_with_a_token_of_its_own(void **state)
{
	(void)state;
	issue("instance", 3600);
	set("AWS_CONTAINER_CREDENTIALS_FULL_URI", NULL);
	set("AWS_EC2_METADATA_SERVICE_ENDPOINT",
		rt_printf(&test_event, "http://127.0.0.1:%d", source.port));
	assert_given(true, "instance");
	assert_int_equal(source.asked, 3);
	assert_non_null(strstr(source.heard,
		"GET /latest/meta-data/iam/security-credentials/mail-role HTTP/1.1\r\n"));
	assert_non_null(strstr(source.heard, "\r\nX-aws-ec2-metadata-token: metadata-token\r\n"));
	source.asked = 0;
	source.status = 403; /* the body of this refusal looks like a token */
	assert_none(true, "their source refuses to give them");
	assert_int_equal(source.asked, 1);
	source.status = 200;
	source.role = "\n";
	assert_none(true, "the instance has no role");
	source.token = "a\r\nX-Injected: b";
	assert_none(true, "the metadata service gives no token");
	source.token = "";
	assert_none(true, "the metadata service gives no token");
	source.asked = 0;
	set("AWS_EC2_METADATA_DISABLED", "true");
	assert_none(true, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set");
	assert_int_equal(source.asked, 0);
}

static void credentials_of_the_environment_come_first(void **state)
{
	struct aws_credentials credentials;

	(void)state;
	issue("source", 3600);
	set("AWS_ACCESS_KEY_ID", "environment");
	/* the environment has a key id without a key, so it is ignored */
	assert_given(true, "source");
	set("AWS_SECRET_ACCESS_KEY", "");
	assert_given(true, "source");
	set("AWS_SECRET_ACCESS_KEY", "a\nb");
	assert_given(true, "source");
	set("AWS_SECRET_ACCESS_KEY", "secret");
	source.asked = 0;
	assert_int_equal(aws_credentials_get(&test_event, &service, true, &credentials), RT_OK);
	assert_string_equal(credentials.id, "environment");
	assert_string_equal(credentials.secret, "secret");
	assert_string_equal(credentials.token, "");
	assert_int_equal(credentials.expires_at_ms, 0);
	set("AWS_SESSION_TOKEN", "session");
	assert_int_equal(aws_credentials_get(&test_event, &service, false, &credentials), RT_OK);
	assert_string_equal(credentials.token, "session");
	assert_int_equal(source.asked, 0);
}

#define SOURCE(name) cmocka_unit_test_setup_teardown(name, begin, test_event_end)

static int stop_source(void **state)
{
	(void)state;
	aws_http_done();
	shutdown(source.listener, SHUT_RDWR);
	close(source.listener);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SOURCE(credentials_are_kept_until_five_minutes_before_their_end),
		SOURCE(valid_credentials_are_used_while_their_source_is_away),
		SOURCE(expired_credentials_are_not_used),
		SOURCE(a_source_that_refuses_is_asked_once),
		SOURCE(a_container_is_asked_with_its_token),
		SOURCE(the_token_of_a_container_is_sent_to_nobody_else),
		SOURCE(an_instance_is_asked_with_a_token_of_its_own),
		SOURCE(credentials_of_the_environment_come_first),
	};

	return cmocka_run_group_tests(tests, start_source, stop_source);
}
