/* Addresses of receivers as users enter them, and the signature of deliveries to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "functions/lib/webhook/address.h"
#include "functions/lib/webhook/signature.h"
#include "runtime/config/config.h"

static struct rt_ctx event;

static int new_event(void **state)
{
	(void)state;
	event = (struct rt_ctx){.arena = rt_arena_new()};
	return 0;
}

static int end_event(void **state)
{
	(void)state;
	rt_arena_free(event.arena);
	return 0;
}

static void an_address_has_a_host_and_a_path(void **state)
{
	static const struct {
		const char *text;
		const char *host;
		const char *path;
	} cases[] = {
		{"https://ci.example.com/hooks/mail?job=17", "ci.example.com",
			"/hooks/mail?job=17"},
		{"HTTPS://CI.Example.com", "ci.example.com", "/"},
		{"https://ci.example.com.:443/", "ci.example.com", "/"},
		{"https://ci.example.com?job=17", "ci.example.com", "/?job=17"},
		{"https://b\xc3\xbc\x63her.example/a/../b", "xn--bcher-kva.example", "/a/../b"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_webhook_address address;
		const char *reason;

		assert_true(eds_webhook_address_read(&event, cases[i].text, &address, &reason));
		assert_string_equal(address.host, cases[i].host);
		assert_string_equal(address.path, cases[i].path);
	}
}

static void an_address_that_cannot_be_a_receiver_is_refused_with_a_reason(void **state)
{
	static const char *const cases[] = {"", "https:", "https://", "https:///x",
		"http://a.example/", "ftp://a.example/", "https://a.example:8443/",
		"https://a.example:0443/", "https://a.example:/", "https://a.example:443x/",
		"https://u@a.example/", "https://127.0.0.1/", "https://127.1/",
		"https://2130706433/", "https://0x7f.0x1/", "https://[::1]/",
		"https://[::ffff:127.0.0.1]/", "https://localhost/", "https://a_b.example/",
		"https://a..example/", "https://-/", "https://a.example/ x", "https://a.example/\n",
		"https://a.example/#x", "https://a.example/\xc3\xbc",
		"https://a.example\\@b.example/", "https://a.example/<x>",
		"https://a.example%2eb.c/"};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct eds_webhook_address address;
		const char *reason = NULL;

		assert_false(eds_webhook_address_read(&event, cases[i], &address, &reason));
		assert_int_equal(strncmp(reason, "must ", 5), 0);
	}
}

static void an_address_of_1024_octets_is_the_longest(void **state)
{
	char text[1026] = "https://a.example/";
	struct eds_webhook_address address;
	const char *reason;

	(void)state;
	memset(text + strlen(text), 'x', sizeof text - 1 - strlen(text));
	assert_int_equal(strlen(text), 1025);
	assert_false(eds_webhook_address_read(&event, text, &address, &reason));
	text[1024] = '\0';
	assert_true(eds_webhook_address_read(&event, text, &address, &reason));
}

static void each_new_secret_is_valid_and_unique(void **state)
{
	const char *secret;
	size_t length;

	(void)state;
	secret = eds_webhook_secret_new(&event);
	assert_non_null(eds_webhook_secret_read(&event, secret, &length));
	assert_int_equal(length, 32);
	assert_string_not_equal(secret, eds_webhook_secret_new(&event));
}

/* The expected signature is from the reference libraries of Standard Webhooks. */
static void the_signature_follows_standard_webhooks(void **state)
{
	(void)state;
	assert_string_equal(
		eds_webhook_signature(&event, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
			"msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, "{\"test\": 2432232314}"),
		"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
	assert_null(eds_webhook_signature(&event, "whsec_", "id", 1, "{}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			an_address_has_a_host_and_a_path, new_event, end_event),
		cmocka_unit_test_setup_teardown(
			an_address_that_cannot_be_a_receiver_is_refused_with_a_reason, new_event,
			end_event),
		cmocka_unit_test_setup_teardown(
			an_address_of_1024_octets_is_the_longest, new_event, end_event),
		cmocka_unit_test_setup_teardown(
			each_new_secret_is_valid_and_unique, new_event, end_event),
		cmocka_unit_test_setup_teardown(
			the_signature_follows_standard_webhooks, new_event, end_event),
	};

	return cmocka_run_group_tests_name("webhook", tests, NULL, NULL);
}
