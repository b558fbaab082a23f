/* DKIM signatures and the parts that they cover: canonicalization, header, body, identity. */
#include "tests/unit/dkim_verify_fixture.h"

static char *with_lf(struct rt_ctx *ctx, const char *text)
{
	char *copy = rt_strdup(ctx, text);
	char *out = copy;

	for (const char *at = copy; *at; at++)
		if (*at != '\r')
			*out++ = *at;
	*out = '\0';
	return copy;
}

static void every_canonicalization_verifies(void **state)
{
	static const char *const tags[] = {TAGS("simple/simple", ""), TAGS("simple/relaxed", ""),
		TAGS("relaxed/simple", ""), TAGS("relaxed/relaxed", ""), TAGS("relaxed", ""),
		"v=1; a=rsa-sha256; d=example.com; s=s1; h=from:to:subject"};

	for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
		const struct eds_dkim_signature *signature = sign_and_verify(
			*state, tags[i], HEADERS, BODY);

		assert_state(signature, EDS_DKIM_VALID);
		assert_int_equal(signature->header_hash, EDS_DKIM_HASH_MATCH);
		assert_int_equal(signature->body_hash, EDS_DKIM_HASH_MATCH);
		((struct world *)*state)->zone.count = 0;
	}
}

static void lf_line_ends_verify_like_crlf(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, TAGS("simple/simple", ""), HEADERS, BODY);

	publish_key(world, "s1", "v=DKIM1;", rsa);
	assert_state(verify(world, with_lf(&world->ctx, message)), EDS_DKIM_VALID);
}

static void a_body_may_be_empty_absent_or_without_a_final_line_end(void **state)
{
	static const char *const bodies[] = {"", "\r\n", "\r\n\r\n", "no end", " \r\n", " \t"};

	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
		for (int relaxed = 0; relaxed < 2; relaxed++) {
			struct world *world = *state;
			const char *tags = relaxed ? RELAXED : TAGS("relaxed/simple", "");
			char *whole = fixture_sign(&world->ctx, rsa, tags, HEADERS,
				rt_printf(&world->ctx, "%s%s", bodies[i],
					i > 2 && i != 4 ? "\r\n" : ""));

			world->zone.count = 0;
			publish_key(world, "s1", "v=DKIM1;", rsa);
			if (i > 2 && i != 4)
				whole[strlen(whole) - 2] = '\0';
			assert_state(verify(world, whole), EDS_DKIM_VALID);
		}
}

static void a_message_that_ends_with_its_header_verifies(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, "");

	publish_key(world, "s1", "v=DKIM1;", rsa);
	message[strlen(message) - 2] = '\0';
	assert_state(verify(world, message), EDS_DKIM_VALID);
}

static void a_changed_body_has_another_error_than_a_changed_header(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);
	const struct eds_dkim_signature *signature;

	publish_key(world, "s1", "v=DKIM1;", rsa);
	signature = verify(world, replaced(&world->ctx, message, "game", "fame"));
	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "body-hash-mismatch");
	assert_int_equal(signature->header_hash, EDS_DKIM_HASH_MATCH);
	assert_int_equal(signature->body_hash, EDS_DKIM_HASH_MISMATCH);

	signature = verify(world, replaced(&world->ctx, message, "dinner", "supper"));
	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "signature-mismatch");
	assert_int_equal(signature->header_hash, EDS_DKIM_HASH_MISMATCH);
	assert_int_equal(signature->body_hash, EDS_DKIM_HASH_MATCH);
}

static void white_space_counts_in_simple_but_not_in_relaxed(void **state)
{
	struct world *world = *state;
	char *simple = fixture_sign(&world->ctx, rsa, TAGS("simple/simple", ""), HEADERS, BODY);
	char *relaxed = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);

	publish_key(world, "s1", "v=DKIM1;", rsa);
	assert_state(verify(world, replaced(&world->ctx, simple, "Joe  Six", "Joe Six")),
		EDS_DKIM_INVALID);
	assert_state(verify(world, replaced(&world->ctx, relaxed, "Joe  Six", "Joe \t\r\n Six")),
		EDS_DKIM_VALID);
	assert_state(verify(world, replaced(&world->ctx, relaxed, "lost  the", "lost\tthe")),
		EDS_DKIM_VALID);
}

static void white_space_before_a_colon_follows_the_canonicalization(void **state)
{
	struct world *world = *state;
	char *relaxed = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);
	char *headers = replaced(&world->ctx, HEADERS, "Subject:", "Subject :");

	assert_state(
		sign_and_verify(world, TAGS("simple/simple", ""), headers, BODY), EDS_DKIM_VALID);
	assert_state(verify(world, replaced(&world->ctx, relaxed, "Subject:", "Subject \t:")),
		EDS_DKIM_VALID);
}

static void a_group_in_from_verifies(void **state)
{
	static const char *const groups[] = {"From: Team: joe@example.com;\r\nTo: a\r\n",
		"From: Undisclosed: ;\r\nTo: a\r\n", "From:\r\nTo: a\r\n", "From: <>\r\nTo: a\r\n"};

	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		((struct world *)*state)->zone.count = 0;
		assert_state(
			sign_and_verify(*state, TAGS("relaxed/relaxed", ":from"), groups[i], BODY),
			EDS_DKIM_VALID);
	}
}

static void a_message_without_from_is_invalid(void **state)
{
	const struct eds_dkim_signature *signature = sign_and_verify(
		*state, RELAXED, "To: a\r\nSubject: b\r\n", BODY);

	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "from-missing");
}

static void a_signature_that_leaves_from_out_is_invalid(void **state)
{
	const struct eds_dkim_signature *signature = sign_and_verify(*state,
		"v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.com; s=s1; h=to:subject", HEADERS,
		BODY);

	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "from-not-signed");
}

static void an_added_from_breaks_only_an_oversigned_message(void **state)
{
	struct world *world = *state;
	char *once = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);
	char *twice = fixture_sign(
		&world->ctx, rsa, TAGS("relaxed/relaxed", ":from"), HEADERS, BODY);
	const struct eds_dkim_signature *signature;

	publish_key(world, "s1", "v=DKIM1;", rsa);
	assert_state(verify(world, twice), EDS_DKIM_VALID);
	twice = rt_printf(&world->ctx, "From: evil@example.org\r\n%s", twice);
	assert_state(verify(world, twice), EDS_DKIM_INVALID);
	signature = verify(world, rt_printf(&world->ctx, "From: evil@example.org\r\n%s", once));
	assert_state(signature, EDS_DKIM_VALID);
	assert_true(eds_finding_has(&signature->warnings, "from-partly-signed"));
}

static void a_line_that_is_not_a_field_makes_the_signature_invalid(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);
	static const char *const lines[] = {"no field\r\n", "two words: x\r\n", ": x\r\n"};

	publish_key(world, "s1", "v=DKIM1;", rsa);
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		const struct eds_dkim_signature *signature = verify(
			world, rt_printf(&world->ctx, "X: y\r\n%s%s", lines[i], message));

		assert_state(signature, EDS_DKIM_INVALID);
		assert_error(signature, "header-malformed");
	}
}

static void an_h_tag_may_name_each_field_once_more_than_it_occurs(void **state)
{
	assert_state(sign_and_verify(*state,
			     "v=1; a=rsa-sha256; c=simple/simple; d=example.com; s=s1; "
			     "h=from:to:subject:received:dkim:x:y:z:from:to:subject:received",
			     HEADERS, BODY),
		EDS_DKIM_VALID);
}

static void a_signature_whose_h_tag_names_dkim_signature_is_not_judged(void **state)
{
	const struct eds_dkim_signature *signature = sign_and_verify(
		*state, TAGS("relaxed/relaxed", ":dkim-signature"), HEADERS, BODY);

	assert_state(signature, EDS_DKIM_UNCHECKED);
	assert_error(signature, "signature-unchecked");
}

static void a_signature_may_cover_another(void **state)
{
	struct world *world = *state;
	char *inner = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);
	char *headers = rt_memdup(
		&world->ctx, inner, (size_t)(strstr(inner, "\r\n\r\n") - inner) + 2);
	char *outer = fixture_sign(
		&world->ctx, rsa, TAGS("relaxed/relaxed", ":dkim-signature"), headers, BODY);

	publish_key(world, "s1", "v=DKIM1;", rsa);
	assert_state(verify(world, outer), EDS_DKIM_VALID);
	assert_state(&world->result.signatures[1], EDS_DKIM_VALID);
	assert_int_equal(world->result.count, 2);
}

static void a_long_identity_never_reaches_the_library(void **state)
{
	for (int length = 200; length < 5000; length += length < 300 ? 1 : 700) {
		struct world *world = *state;
		char *local = rt_alloc(&world->ctx, (size_t)length + 1);
		const struct eds_dkim_signature *signature;

		memset(local, 'a', (size_t)length);
		world->zone.count = 0;
		signature = sign_and_verify(world,
			rt_printf(&world->ctx, "%s; i=%s@example.com", RELAXED, local), HEADERS,
			BODY);
		assert_state(signature, length + 12 <= 255 ? EDS_DKIM_VALID : EDS_DKIM_UNCHECKED);
	}
}

static void identity_must_lie_in_the_domain(void **state)
{
	struct world *world = *state;
	static const struct {
		const char *identity;
		enum eds_dkim_state state;
	} cases[] = {
		{"joe@example.com", EDS_DKIM_VALID},
		{"@mail.EXAMPLE.com", EDS_DKIM_VALID},
		{"=6A=6Fe@example.com", EDS_DKIM_VALID},
		{"@badexample.com", EDS_DKIM_INVALID},
		{"@com", EDS_DKIM_INVALID},
		{"@example.com.evil.org", EDS_DKIM_INVALID},
		{"joe@evil.org@example.com", EDS_DKIM_UNCHECKED},
		{"joe@example.com@evil.org", EDS_DKIM_INVALID},
		{"example.com", EDS_DKIM_INVALID},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		world->zone.count = 0;
		assert_state(sign_and_verify(world,
				     rt_printf(&world->ctx, "%s; i=%s", RELAXED, cases[i].identity),
				     HEADERS, BODY),
			cases[i].state);
	}
}

static void an_unsigned_message_has_no_result(void **state)
{
	struct world *world = *state;

	verify(world, "From: a@example.com\r\n\r\nHi.\r\n");
	assert_int_equal(world->result.count, 0);
	assert_int_equal(world->result.total, 0);
	assert_string_equal(world->result.failure, "");
	verify_bytes(world, "", 0);
	assert_int_equal(world->result.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_canonicalization_verifies),
		TEST(lf_line_ends_verify_like_crlf),
		TEST(a_body_may_be_empty_absent_or_without_a_final_line_end),
		TEST(a_message_that_ends_with_its_header_verifies),
		TEST(a_changed_body_has_another_error_than_a_changed_header),
		TEST(white_space_counts_in_simple_but_not_in_relaxed),
		TEST(white_space_before_a_colon_follows_the_canonicalization),
		TEST(a_group_in_from_verifies),
		TEST(a_message_without_from_is_invalid),
		TEST(a_signature_that_leaves_from_out_is_invalid),
		TEST(an_added_from_breaks_only_an_oversigned_message),
		TEST(a_line_that_is_not_a_field_makes_the_signature_invalid),
		TEST(an_h_tag_may_name_each_field_once_more_than_it_occurs),
		TEST(a_signature_whose_h_tag_names_dkim_signature_is_not_judged),
		TEST(a_signature_may_cover_another),
		TEST(a_long_identity_never_reaches_the_library),
		TEST(identity_must_lie_in_the_domain),
		TEST(an_unsigned_message_has_no_result),
	};

	return cmocka_run_group_tests(tests, make_keys, free_keys);
}
