/* The sender to which a request is attributed when requests take turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/host/gateway/gateway-sender.h"

static struct gateway_senders senders;
static struct http_head head;
static const struct manifest_function by_token = {.name = "f", .turns_by_token = true};
static const struct manifest_function by_address = {.name = "f"};

static struct http_span span(const char *text)
{
	return (struct http_span){text, strlen(text)};
}

static uint64_t sender_of(const struct manifest_function *function, const char *client,
	const char *authorization, uint64_t *token)
{
	struct http_request request = {.head = &head, .peer = client, .client = client};

	head.field_count = 0;
	head.fields[head.field_count++] = (struct http_field){span("Host"), span("x")};
	if (authorization != NULL)
		head.fields[head.field_count++] = (struct http_field){
			span("Authorization"), span(authorization)};
	return gateway_sender(&senders, &request, function, token);
}

static uint64_t sender(const char *client, const char *authorization)
{
	uint64_t token;

	return sender_of(&by_token, client, authorization, &token);
}

static void answer(const char *authorization, int status)
{
	uint64_t token;

	sender_of(&by_token, "192.0.2.1", authorization, &token);
	assert_true(token != 0);
	gateway_sender_answered(&senders, token, status);
}

static int nobody_known(void **state)
{
	(void)state;
	gateway_senders_init(&senders);
	return 0;
}

static void an_accepted_token_counts_as_a_separate_sender(void **state)
{
	(void)state;
	assert_true(sender("192.0.2.1", "Bearer one") == sender("192.0.2.1", "Bearer two"));
	answer("Bearer one", 200);
	answer("Bearer two", 404);
	assert_false(sender("192.0.2.1", "Bearer one") == sender("192.0.2.1", "Bearer two"));
	assert_false(sender("192.0.2.1", "Bearer one") == sender("192.0.2.1", NULL));
	assert_true(sender("192.0.2.1", "Bearer one") == sender("198.51.100.9", "Bearer one"));
}

static void a_request_with_an_unknown_token_counts_for_its_address(void **state)
{
	(void)state;
	answer("Bearer bad", 401);
	assert_true(sender("192.0.2.1", "Bearer bad") == sender("192.0.2.1", NULL));
	answer("Bearer revoked", 200);
	answer("Bearer revoked", 401);
	assert_true(sender("192.0.2.1", "Bearer revoked") == sender("192.0.2.1", NULL));
}

static void a_token_is_the_same_sender_however_its_field_is_written(void **state)
{
	(void)state;
	answer("Bearer one", 200);
	assert_true(sender("192.0.2.1", "Bearer one") == sender("192.0.2.1", "bEARER   one"));
}

static void a_token_is_not_a_sender_where_no_token_is_required(void **state)
{
	uint64_t token;

	(void)state;
	answer("Bearer one", 200);
	assert_true(sender_of(&by_address, "192.0.2.1", "Bearer one", &token) ==
		sender("192.0.2.1", NULL));
	assert_true(token == 0);
}

static void ipv6_addresses_of_one_64_are_one_sender(void **state)
{
	(void)state;
	assert_true(sender("2001:db8::1", NULL) == sender("2001:db8::ffff:1", NULL));
	assert_false(sender("2001:db8::1", NULL) == sender("2001:db8:0:1::1", NULL));
	assert_false(sender("192.0.2.1", NULL) == sender("192.0.2.2", NULL));
	assert_true(sender("", NULL) != 0);
}

static void a_request_without_a_token_counts_for_its_address(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_true(
			sender("192.0.2.1", (const char *const[]){"Bearer ", "Basic one", ""}[i]) ==
			sender("192.0.2.1", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_accepted_token_counts_as_a_separate_sender, nobody_known),
		cmocka_unit_test_setup(
			a_request_with_an_unknown_token_counts_for_its_address, nobody_known),
		cmocka_unit_test_setup(
			a_token_is_the_same_sender_however_its_field_is_written, nobody_known),
		cmocka_unit_test_setup(
			a_token_is_not_a_sender_where_no_token_is_required, nobody_known),
		cmocka_unit_test_setup(ipv6_addresses_of_one_64_are_one_sender, nobody_known),
		cmocka_unit_test_setup(
			a_request_without_a_token_counts_for_its_address, nobody_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
