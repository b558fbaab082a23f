#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "functions/lib/dkim/signature.h"

#define BH "bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8="
#define REST "; d=example.com; s=s1; h=from:to; " BH "; b=QUJD"
#define GOOD "v=1; a=rsa-sha256" REST

static struct rt_ctx ctx;

static void read_text(const char *text, struct eds_signature *signature)
{
	struct eds_field *field = rt_alloc(&ctx, sizeof *field);
	char *line = rt_printf(&ctx, "DKIM-Signature:%s", text);

	*field = (struct eds_field){line, 14, line + 15, strlen(text)};
	eds_signature_read(&ctx, field, signature);
}

static void assert_error(const char *text, const char *code)
{
	struct eds_signature signature;

	read_text(text, &signature);
	if (!eds_finding_has(&signature.errors, code))
		fail_msg("%s: no %s but %s", text, code,
			signature.errors.count ? signature.errors.items[0].code : "nothing");
}

static void every_tag_of_a_signature_is_read(void **state)
{
	struct eds_signature signature;

	(void)state;
	read_text(" v=1; a=rsa-sha256; c=relaxed/simple; d=Example.COM;\r\n\ts=S1; "
		  "h=From : To; i=joe=40x@Mail.example.com; q=dns/txt; t=5; x=6; l=0; " BH
		  "; b=QU\r\n JD",
		&signature);
	assert_int_equal(signature.errors.count, 0);
	assert_true(signature.readable);
	assert_string_equal(signature.domain, "example.com");
	assert_string_equal(signature.selector, "s1");
	assert_string_equal(signature.identity, "joe@x@Mail.example.com");
	assert_string_equal(signature.algorithm, "rsa-sha256");
	assert_string_equal(signature.canonicalization, "relaxed/simple");
	assert_string_equal(signature.key_name, "s1._domainkey.example.com");
	assert_true(signature.relaxed_header);
	assert_false(signature.relaxed_body);
	assert_int_equal(signature.signed_count, 2);
	assert_int_equal(signature.signed_names[1].length, 2);
	assert_int_equal(signature.signed_at_s, 5);
	assert_int_equal(signature.expires_at_s, 6);
	assert_true(signature.has_body_length);
	assert_int_equal(signature.body_length, 0);
}

static void an_absent_tag_has_its_default(void **state)
{
	struct eds_signature signature;

	(void)state;
	read_text(GOOD, &signature);
	assert_true(signature.readable);
	assert_int_equal(signature.errors.count, 0);
	assert_string_equal(signature.identity, "@example.com");
	assert_string_equal(signature.canonicalization, "simple/simple");
	assert_int_equal(signature.signed_at_s, -1);
	assert_int_equal(signature.expires_at_s, -1);
	assert_false(signature.has_body_length);
}

static void each_missing_required_tag_has_its_error(void **state)
{
	static const char *const parts[] = {"v=1;", "a=rsa-sha256;", "d=example.com;", "s=s1;",
		"h=from:to;", BH ";", "b=QUJD;"};

	(void)state;
	for (size_t without = 0; without < 7; without++) {
		char *text = rt_strdup(&ctx, "");

		for (size_t i = 0; i < 7; i++)
			if (i != without)
				text = rt_printf(&ctx, "%s%s", text, parts[i]);
		assert_error(text, "tag-missing");
	}
}

static void each_malformed_tag_has_its_error(void **state)
{
	static const char *const texts[] = {"v=2; a=rsa-sha256" REST, "v=0.5; a=rsa-sha256" REST,
		GOOD "; c=future", GOOD "; c=relaxed/", GOOD "; c=relaxed/simple/simple",
		GOOD "; c=Relaxed", GOOD "; l=-5", GOOD "; l=", GOOD "; t=x", GOOD "; x=1.5",
		GOOD "; t=1234567890123", GOOD "; i=nobody",
		GOOD "; i=", "v=1; a=rsa-sha256; d=exa mple.com; s=s1; h=from; " BH "; b=QUJD",
		"v=1; a=rsa-sha256; d=example..com; s=s1; h=from; " BH "; b=QUJD",
		"v=1; a=rsa-sha256; d=example.com.; s=s1; h=from; " BH "; b=QUJD",
		"v=1; a=rsa-sha256; d=; s=s1; h=from; " BH "; b=QUJD",
		"v=1; a=rsa-sha256; d=example.com; s=s/1; h=from; " BH "; b=QUJD",
		"v=1; a=rsa-sha256; d=example.com; s=s1; h=from::to; " BH "; b=QUJD",
		"v=1; a=rsa-sha256; d=example.com; s=s1; h=from:t o; " BH "; b=QUJD",
		"v=1; a=rsa-sha256; d=example.com; s=s1; h=; " BH "; b=QUJD",
		"v=1; a=rsa-sha256; d=example.com; s=s1; h=from; bh=QUJD; b=QUJD",
		"v=1; a=rsa-sha256; d=example.com; s=s1; h=from; " BH "; b=",
		"v=1; a=rsa-sha256; d=example.com; s=s1; h=from; " BH "; b=Q!"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct eds_signature signature;

		assert_error(texts[i], "tag-invalid");
		read_text(texts[i], &signature);
		assert_false(signature.readable);
	}
}

static void a_malformed_tag_list_has_one_error_alone(void **state)
{
	const char *texts[] = {GOOD "; b=QUJD", GOOD "; junk", "v=2; d=; " GOOD, GOOD};

	(void)state;
	for (int i = 0; i < 64; i++)
		texts[3] = rt_printf(&ctx, "%s; x%d=1", texts[3], i);
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct eds_signature signature;

		read_text(texts[i], &signature);
		assert_false(signature.readable);
		assert_int_equal(signature.errors.count, 1);
	}
}

static void a_fault_of_the_list_is_reported_with_its_place(void **state)
{
	struct eds_signature signature;

	(void)state;
	read_text("v=1; a=rsa-sha256; v=1", &signature);
	assert_string_equal(signature.errors.items[0].message,
		"The signature has a tag twice (character 20); correct the signer.");
	read_text("v=1; junk; a=rsa-sha256", &signature);
	assert_string_equal(signature.errors.items[0].message,
		"The signature is not a list of tag=value pairs (character 10); correct the "
		"signer.");
}

static void other_faults_have_their_own_codes(void **state)
{
	(void)state;
	assert_error(GOOD "; b=QUJD", "signature-tag-duplicate");
	assert_error(GOOD "; junk", "signature-syntax");
	assert_error("v=1; a=rsa-sha1" REST, "algorithm-unsupported");
	assert_error("v=1; a=rsa-sha512" REST, "algorithm-unsupported");
	assert_error("v=1; a=RSA-SHA256" REST, "algorithm-unsupported");
	assert_error(GOOD "; q=http", "query-unsupported");
	assert_error(GOOD "; q=dns", "query-unsupported");
	assert_error(GOOD "; i=@other.example", "identity-mismatch");
	assert_error(
		"v=1; a=rsa-sha256; d=example.com; s=s1; h=to; " BH "; b=QUJD", "from-not-signed");
}

static void one_of_several_queries_is_enough(void **state)
{
	struct eds_signature signature;

	(void)state;
	read_text(GOOD "; q=http : dns/txt", &signature);
	assert_int_equal(signature.errors.count, 0);
}

static void a_key_name_longer_than_a_name_can_be_is_refused(void **state)
{
	char *domain = rt_strdup(&ctx, "example.com");

	(void)state;
	while (strlen(domain) < 235)
		domain = rt_printf(&ctx, "label.%s", domain);
	assert_error(rt_printf(&ctx, "v=1; a=rsa-sha256; d=%s; s=selector; h=from; " BH "; b=QUJD",
			     domain),
		"tag-invalid");
}

static void a_faulty_signature_still_shows_its_domain_and_selector(void **state)
{
	struct eds_signature signature;

	(void)state;
	read_text(GOOD "; junk", &signature);
	assert_false(signature.readable);
	assert_int_equal(signature.errors.count, 1);
	assert_string_equal(signature.domain, "example.com");
}

static void a_huge_number_is_still_read_as_a_number(void **state)
{
	struct eds_signature signature;

	(void)state;
	read_text(GOOD "; l=99999999999999999999999999999999", &signature);
	assert_true(signature.readable);
	assert_true(signature.body_length == UINT64_MAX);
}

static int make(void **state)
{
	(void)state;
	ctx.arena = rt_arena_new();
	return 0;
}

static int done(void **state)
{
	(void)state;
	rt_arena_free(ctx.arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_tag_of_a_signature_is_read),
		cmocka_unit_test(an_absent_tag_has_its_default),
		cmocka_unit_test(each_missing_required_tag_has_its_error),
		cmocka_unit_test(each_malformed_tag_has_its_error),
		cmocka_unit_test(a_malformed_tag_list_has_one_error_alone),
		cmocka_unit_test(a_fault_of_the_list_is_reported_with_its_place),
		cmocka_unit_test(other_faults_have_their_own_codes),
		cmocka_unit_test(one_of_several_queries_is_enough),
		cmocka_unit_test(a_key_name_longer_than_a_name_can_be_is_refused),
		cmocka_unit_test(a_faulty_signature_still_shows_its_domain_and_selector),
		cmocka_unit_test(a_huge_number_is_still_read_as_a_number),
	};

	return cmocka_run_group_tests(tests, make, done);
}
