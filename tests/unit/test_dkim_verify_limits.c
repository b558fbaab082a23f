/* DKIM signatures at their limits, in time, length and number, and messages made to break the
 * library. */
#include "tests/unit/dkim_verify_fixture.h"

static void times_are_judged_at_receipt(void **state)
{
	static const struct {
		const char *tags;
		const char *error; /* NULL: the signature is valid */
	} cases[] = {
		{"; t=1799999999; x=1800000001", NULL},
		{"; x=1800000000", NULL},
		{"; x=1799999999", "signature-expired"},
		{"; t=1; x=2", "signature-expired"},
		{"; t=1800000300", NULL},
		{"; t=1800000301", "signature-in-future"},
		{"; t=999999999999", "signature-in-future"},
		{"; t=1799999999; x=1799999999", "signature-times"},
		{"; t=1799999999; x=999999999999", NULL},
		{"; t=0", NULL},
		{"; x=9999999999999", "tag-invalid"},
		{"; t=-1", "tag-invalid"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct world *world = *state;
		const struct eds_dkim_signature *signature;

		world->zone.count = 0;
		signature = sign_and_verify(world,
			rt_printf(&world->ctx, "%s%s", RELAXED, cases[i].tags), HEADERS, BODY);
		assert_state(signature, cases[i].error ? EDS_DKIM_INVALID : EDS_DKIM_VALID);
		if (cases[i].error)
			assert_error(signature, cases[i].error);
	}
}

static void a_body_length_gives_a_warning_or_an_error(void **state)
{
	struct world *world = *state;
	const struct eds_dkim_signature *signature = sign_and_verify(
		world, RELAXED "; l=5", HEADERS, BODY);
	static const char *const bad[] = {
		"-1", "99999", "18446744073709551615", "18446744073709551617", "0x5", ""};

	assert_state(signature, EDS_DKIM_VALID);
	assert_true(eds_finding_has(&signature->warnings, "body-partly-signed"));
	assert_non_null(strstr(signature->warnings.items[0].message, " 42 octets"));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		world->zone.count = 0;
		signature = sign_and_verify(
			world, rt_printf(&world->ctx, "%s; l=%s", RELAXED, bad[i]), HEADERS, BODY);
		assert_state(signature, EDS_DKIM_INVALID);
	}
}

/* BODY has 47 octets after relaxed canonicalization. */
static void a_body_length_one_octet_longer_than_the_body_is_an_error(void **state)
{
	struct world *world = *state;
	const struct eds_dkim_signature *signature = sign_and_verify(
		world, RELAXED "; l=47", HEADERS, BODY);

	assert_state(signature, EDS_DKIM_VALID);
	world->zone.count = 0;
	signature = sign_and_verify(world, RELAXED "; l=48", HEADERS, BODY);
	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "body-too-short");
	assert_non_null(strstr(signature->errors.items[0].message, " 47 octets"));
}

static void text_may_be_added_behind_a_body_length(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED "; l=5", HEADERS, BODY);

	publish_key(world, "s1", "v=DKIM1;", rsa);
	assert_state(verify(world, rt_printf(&world->ctx, "%sfooter", message)), EDS_DKIM_VALID);
	assert_state(verify(world, replaced(&world->ctx, message, "\r\nHi.", "\r\nHo.")),
		EDS_DKIM_INVALID);
}

static void a_signature_may_cover_another_that_is_not_valid(void **state)
{
	struct world *world = *state;
	static const char *const others[] = {RELAXED "; l=5", RELAXED "; l=18446744073709551616",
		RELAXED "; x=soon", RELAXED "; i=@example.org",
		"v=2; a=rsa-sha256; d=example.com; s=s1; h=from",
		"v=1; a=rsa-sha1; c=relaxed; d=example.com; s=old; h=from:to:x:x:x:x:x:x:x:x:x"};

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		char *other = fixture_signature(
			&world->ctx, rsa, others[i], HEADERS, BODY, strlen(BODY));

		world->zone.count = 0;
		assert_state(sign_and_verify(world, RELAXED ":dkim-signature",
				     rt_printf(&world->ctx, "%s%s", other, HEADERS), BODY),
			EDS_DKIM_VALID);
	}
}

static void ten_signatures_are_evaluated(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);
	char *signature = rt_memdup(&world->ctx, message, strcspn(message, "\n") + 1);

	for (int i = 0; i < 10; i++)
		message = rt_printf(&world->ctx, "%s%s", signature, message);
	publish_key(world, "s1", "v=DKIM1;", rsa);
	verify(world, message);
	assert_int_equal(world->result.count, 10);
	assert_int_equal(world->result.total, 11);
	for (size_t i = 0; i < 10; i++)
		assert_state(&world->result.signatures[i], EDS_DKIM_VALID);
}

static void a_bad_signature_does_not_harm_a_good_one(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);
	static const char *const bad[] = {"", ";", "v=1", "v=1; v=1", "\xff\xff", "v=1; b=", "=;="};

	publish_key(world, "s1", "v=DKIM1;", rsa);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		verify(world, rt_printf(&world->ctx, "DKIM-Signature: %s\r\n%s", bad[i], message));
		assert_state(&world->result.signatures[0], EDS_DKIM_INVALID);
		assert_state(&world->result.signatures[1], EDS_DKIM_VALID);
	}
}

static void trailing_garbage_makes_a_signature_invalid(void **state)
{
	const struct eds_dkim_signature *signature = sign_and_verify(
		*state, RELAXED "; garbage", HEADERS, BODY);

	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "signature-syntax");
}

/* A signature must not be valid for a message that libopendkim would treat like the signed one
 * although octets differ. */
static void hostile_octets_never_verify_and_never_crash(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);
	static const char bytes[] = {'\0', '\r', '\v', '\f'};

	publish_key(world, "s1", "v=DKIM1;", rsa);
	for (size_t i = 0; i < sizeof bytes; i++) {
		size_t length = strlen(message);
		char *copy = rt_memdup(&world->ctx, message, length);

		strstr(copy, "Joe  Six")[4] = bytes[i];
		assert_true(verify_bytes(world, copy, length)->state != EDS_DKIM_VALID);
		copy = rt_memdup(&world->ctx, message, length);
		strstr(copy, "v=1; a")[4] = bytes[i];
		assert_true(verify_bytes(world, copy, length)->state != EDS_DKIM_VALID);
		copy = rt_memdup(&world->ctx, message, length);
		strstr(copy, "lost  the")[4] = bytes[i];
		assert_true(verify_bytes(world, copy, length)->state != EDS_DKIM_VALID);
	}
}

static void a_nul_in_the_body_is_an_ordinary_character(void **state)
{
	struct world *world = *state;
	static const char body[] = "a\0b  c\r\n";
	char *signature = fixture_signature(
		&world->ctx, rsa, RELAXED, HEADERS, body, sizeof body - 1);
	char *head = rt_printf(&world->ctx, "%s%s\r\n", signature, HEADERS);
	struct rt_buffer message;

	publish_key(world, "s1", "v=DKIM1;", rsa);
	rt_buffer_init(&message, &world->ctx, FIXTURE_BYTES_MAX);
	rt_buffer_text(&message, head);
	rt_buffer_add(&message, body, sizeof body - 1);
	assert_state(verify_bytes(world, message.bytes, message.length), EDS_DKIM_VALID);
	message.bytes[message.length - 7] = ' ';
	assert_state(verify_bytes(world, message.bytes, message.length), EDS_DKIM_INVALID);
}

static void a_bare_cr_in_the_body_is_an_ordinary_character(void **state)
{
	static const char *const tags[] = {RELAXED, TAGS("simple/simple", "")};

	for (size_t i = 0; i < 2; i++) {
		((struct world *)*state)->zone.count = 0;
		assert_state(sign_and_verify(*state, tags[i], HEADERS, "a\rb\r\n\r\r\n"),
			EDS_DKIM_VALID);
	}
}

static void a_very_long_word_in_the_body_is_read_to_its_end(void **state)
{
	struct world *world = *state;
	char *body = rt_alloc(&world->ctx, 200003);

	memset(body, 'x', 200000);
	memcpy(body + 200000, "\r\n", 2);
	assert_state(sign_and_verify(world, RELAXED, HEADERS, body), EDS_DKIM_VALID);
	/* the second call has added a second key record for the selector */
	assert_state(
		sign_and_verify(world, TAGS("simple/simple", ""), HEADERS, body), EDS_DKIM_INVALID);
	world->zone.count = 0;
	assert_state(
		sign_and_verify(world, TAGS("simple/simple", ""), HEADERS, body), EDS_DKIM_VALID);
	for (size_t i = 50000; i < 200000; i += 50000)
		body[i] = ' ';
	world->zone.count = 0;
	assert_state(sign_and_verify(world, RELAXED, HEADERS, body), EDS_DKIM_VALID);
}

static void unsigned_fields_may_be_many_but_signed_fields_have_a_limit(void **state)
{
	struct world *world = *state;
	struct rt_buffer headers;
	char *filler = rt_alloc(&world->ctx, 1001);

	memset(filler, 'f', 1000);
	rt_buffer_init(&headers, &world->ctx, FIXTURE_BYTES_MAX);
	for (int i = 0; i < 100; i++)
		rt_buffer_format(&headers, "X-Filler: %s\r\n", filler);
	rt_buffer_text(&headers, HEADERS);
	assert_state(sign_and_verify(world, RELAXED, headers.bytes, BODY), EDS_DKIM_VALID);
	world->zone.count = 0;
	headers.length = 0;
	for (int i = 0; i < 3; i++) {
		rt_buffer_text(&headers, "X-Filler: ");
		for (int n = 0; n < 25; n++)
			rt_buffer_text(&headers, filler);
		rt_buffer_text(&headers, "\r\n");
	}
	rt_buffer_text(&headers, HEADERS);
	assert_state(sign_and_verify(world, TAGS("relaxed/relaxed", ":x-filler:x-filler:x-filler"),
			     headers.bytes, BODY),
		EDS_DKIM_UNCHECKED);
}

static void a_header_beyond_the_readers_limit_is_not_judged(void **state)
{
	struct world *world = *state;
	struct rt_buffer headers;

	rt_buffer_init(&headers, &world->ctx, FIXTURE_BYTES_MAX);
	for (int i = 0; i < 1001; i++)
		rt_buffer_text(&headers, "X: y\r\n");
	rt_buffer_text(&headers, HEADERS);
	assert_state(sign_and_verify(world, RELAXED, headers.bytes, BODY), EDS_DKIM_UNCHECKED);
}

static void every_octet_of_a_signed_message_counts(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(
		&world->ctx, rsa, TAGS("simple/simple", ""), "From: a@example.com\r\n", "Hi.\r\n");
	size_t length = strlen(message);

	publish_key(world, "s1", "v=DKIM1;", rsa);
	assert_state(verify(world, message), EDS_DKIM_VALID);
	for (size_t i = 0; i < length; i++) {
		char *copy = rt_memdup(&world->ctx, message, length);

		copy[i] ^= 1;
		verify_bytes(world, copy, length);
		if (world->result.count > 0 && world->result.signatures[0].state == EDS_DKIM_VALID)
			fail_msg("octet %zu ('%c') may change", i, message[i]);
	}
}

static void a_message_cut_anywhere_never_crashes(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);
	size_t length = strlen(message);

	publish_key(world, "s1", "v=DKIM1;", rsa);
	for (size_t i = 0; i < length; i++) {
		verify_bytes(world, message, i);
		assert_true(world->result.count <= 1);
	}
}

static void a_list_of_fields_beyond_the_librarys_limit_is_not_judged(void **state)
{
	struct world *world = *state;
	struct rt_buffer tags;

	rt_buffer_init(&tags, &world->ctx, FIXTURE_BYTES_MAX);
	rt_buffer_text(&tags, RELAXED);
	for (int i = 0; i < 1000; i++)
		rt_buffer_text(&tags, ":x-y");
	assert_state(sign_and_verify(world, tags.bytes, HEADERS, BODY), EDS_DKIM_UNCHECKED);
	world->zone.count = 0;
	tags.length -= 100;
	tags.bytes[tags.length] = '\0';
	assert_state(sign_and_verify(world, tags.bytes, HEADERS, BODY), EDS_DKIM_VALID);
}

static void a_signature_with_an_unusual_b_tag_is_not_judged(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);

	publish_key(world, "s1", "v=DKIM1;", rsa);
	assert_state(
		verify(world, replaced(&world->ctx, message, " b=", " b =")), EDS_DKIM_UNCHECKED);
	assert_state(sign_and_verify(world, RELAXED "; xb=5", HEADERS, BODY), EDS_DKIM_INVALID);
	world->zone.count = 0;
	assert_state(sign_and_verify(world, RELAXED "; xb=5", HEADERS, BODY), EDS_DKIM_UNCHECKED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(times_are_judged_at_receipt),
		TEST(a_body_length_gives_a_warning_or_an_error),
		TEST(a_body_length_one_octet_longer_than_the_body_is_an_error),
		TEST(text_may_be_added_behind_a_body_length),
		TEST(a_signature_may_cover_another_that_is_not_valid),
		TEST(ten_signatures_are_evaluated),
		TEST(a_bad_signature_does_not_harm_a_good_one),
		TEST(trailing_garbage_makes_a_signature_invalid),
		TEST(hostile_octets_never_verify_and_never_crash),
		TEST(a_nul_in_the_body_is_an_ordinary_character),
		TEST(a_bare_cr_in_the_body_is_an_ordinary_character),
		TEST(a_very_long_word_in_the_body_is_read_to_its_end),
		TEST(unsigned_fields_may_be_many_but_signed_fields_have_a_limit),
		TEST(a_header_beyond_the_readers_limit_is_not_judged),
		TEST(every_octet_of_a_signed_message_counts),
		TEST(a_message_cut_anywhere_never_crashes),
		TEST(a_list_of_fields_beyond_the_librarys_limit_is_not_judged),
		TEST(a_signature_with_an_unusual_b_tag_is_not_judged),
	};

	return cmocka_run_group_tests(tests, make_keys, free_keys);
}
