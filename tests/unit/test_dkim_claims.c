/* A verifier's claims about signatures: which are accepted, and which are not believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "functions/lib/dkim/claims.h"

#define SIGNATURE(domain, selector)                                                                \
	"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=" domain "; s=" selector          \
	"; h=from; "                                                                               \
	"bh=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=; b=AAAA\r\n"

static const char mail[] = SIGNATURE("Example.com", "s1")
	SIGNATURE("mailer.example", "k1") "From: a@example.com\r\n\r\nHello.\r\n";

static struct rt_ctx ctx;
static struct eds_header header;
static struct eds_dkim_result result;
static struct eds_dns_record record = {.txt = "v=DKIM1; p=AAAA", .txt_length = 15};
static struct eds_dns_answer keys[2];
static const struct eds_dns_answer *answers[2] = {&keys[0], &keys[1]};

static struct eds_dns_answer found(const char *name)
{
	return (struct eds_dns_answer){.name = name,
		.type = EDS_DNS_TXT,
		.state = EDS_DNS_FOUND,
		.reason = "",
		.canonical = name,
		.records = &record,
		.count = 1};
}

static void claim(size_t at, const char *domain, const char *selector)
{
	result.signatures[at] = (struct eds_dkim_signature){
		.state = EDS_DKIM_VALID, .domain = domain, .selector = selector};
}

static int set_up(void **state)
{
	(void)state;
	memset(&ctx, 0, sizeof ctx);
	ctx.arena = rt_arena_new();
	eds_header_read(&ctx, mail, strlen(mail), &header);
	result = (struct eds_dkim_result){.count = 2, .total = 2};
	claim(0, "example.com", "s1");
	claim(1, "mailer.example", "k1");
	keys[0] = found("s1._domainkey.example.com");
	keys[1] = found("k1._domainkey.mailer.example");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rt_arena_free(ctx.arena);
	return 0;
}

static bool holds(void)
{
	return eds_dkim_claims_hold(&ctx, &header, answers, 2, &result);
}

static void a_result_for_a_signature_of_the_message_is_believed(void **state)
{
	(void)state;
	assert_true(holds());
}

static void a_result_for_another_domain_is_not_believed(void **state)
{
	(void)state;
	claim(1, "bank.example", "k1");
	keys[1] = found("k1._domainkey.bank.example");
	assert_false(holds());
}

static void a_result_for_another_selector_is_not_believed(void **state)
{
	(void)state;
	claim(0, "example.com", "s2");
	assert_false(holds());
}

static void a_key_that_was_not_found_verifies_nothing(void **state)
{
	(void)state;
	keys[1].state = EDS_DNS_NO_NAME;
	keys[1].count = 0;
	assert_false(holds());
	keys[1] = found("k1._domainkey.other.example");
	assert_false(holds());
}

static void a_result_for_a_signature_too_many_is_not_believed(void **state)
{
	(void)state;
	result.count = 3;
	claim(2, "mailer.example", "k1");
	assert_false(holds());
}

static void a_false_claim_about_an_invalid_signature_is_harmless(void **state)
{
	(void)state;
	claim(1, "bank.example", "k1");
	result.signatures[1].state = EDS_DKIM_INVALID;
	assert_true(holds());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_result_for_a_signature_of_the_message_is_believed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_result_for_another_domain_is_not_believed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_result_for_another_selector_is_not_believed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_key_that_was_not_found_verifies_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_result_for_a_signature_too_many_is_not_believed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_false_claim_about_an_invalid_signature_is_harmless, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
