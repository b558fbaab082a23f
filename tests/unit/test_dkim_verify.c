#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "functions/lib/dkim/dkim-verify.h"
#include "functions/lib/dkim/fast-key.h"
#include "tests/unit/dkim_fixture.h"

#define NOW_S 1800000000
#define TAGS(c, more) "v=1; a=rsa-sha256; c=" c "; d=example.com; s=s1; h=from:to:subject" more
#define RELAXED TAGS("relaxed/relaxed", "")

static const char HEADERS[] = "Received: from a by b; now\r\n"
			      "From: Joe  SixPack <joe@example.com>\r\n"
			      "To: Suzie Q <suzie@example.net>\r\n"
			      "Subject:  Is dinner\r\n\t ready?\r\n";
static const char BODY[] = "Hi.\r\n\r\nWe lost  the game. \t\r\nAre you hungry yet?\r\n\r\n\r\n";

static EVP_PKEY *rsa;

struct world {
	struct rt_ctx ctx;
	struct zone zone;
	struct eds_dkim_result result;
};

static void publish(struct world *world, const char *selector, const char *record)
{
	zone_add(&world->zone, rt_printf(&world->ctx, "%s._domainkey.example.com", selector),
		EDS_DNS_TXT, record, strlen(record));
}

static void publish_key(struct world *world, const char *selector, const char *tags, EVP_PKEY *key)
{
	publish(world, selector,
		rt_printf(&world->ctx, "%s p=%s", tags, fixture_public(&world->ctx, key)));
}

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof *world);

	world->ctx.arena = rt_arena_new();
	zone_init(&world->zone, &world->ctx);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;

	rt_arena_free(world->ctx.arena);
	free(world);
	return 0;
}

static const struct eds_dkim_signature *verify_bytes(
	struct world *world, const char *message, size_t length)
{
	struct eds_lookup lookup = zone_lookup(&world->zone);

	/* A copy of its own size, so that the sanitizer sees a read past the end. */
	char *copy = malloc(length);

	memcpy(copy, message, length);
	eds_dkim_verify(&world->ctx, &lookup, copy, length, NOW_S * INT64_C(1000), &world->result);
	free(copy);
	return &world->result.signatures[0];
}

static const struct eds_dkim_signature *verify(struct world *world, const char *message)
{
	return verify_bytes(world, message, strlen(message));
}

static const struct eds_dkim_signature *sign_and_verify(
	struct world *world, const char *tags, const char *headers, const char *body)
{
	publish_key(world, "s1", "v=DKIM1; k=rsa;", rsa);
	return verify(world, fixture_sign(&world->ctx, rsa, tags, headers, body));
}

static void assert_error(const struct eds_dkim_signature *signature, const char *code)
{
	if (!eds_finding_has(&signature->errors, code))
		fail_msg("no error %s but %s", code,
			signature->errors.count ? signature->errors.items[0].code : "none");
}

static void assert_state(const struct eds_dkim_signature *signature, enum eds_dkim_state state)
{
	if (signature->state != state)
		fail_msg("%s, not %s (%s: %s)", eds_dkim_state_name(signature->state),
			eds_dkim_state_name(state),
			signature->errors.count ? signature->errors.items[0].code : "no error",
			signature->errors.count ? signature->errors.items[0].message : "");
}

static char *replaced(struct rt_ctx *ctx, const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);

	assert_non_null(at);
	return rt_printf(ctx, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

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

static void a_changed_body_is_told_from_a_changed_header(void **state)
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

static void white_space_counts_in_simple_and_not_in_relaxed(void **state)
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

static void a_line_that_is_no_field_makes_the_signature_invalid(void **state)
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

static void h_naming_every_field_and_one_more_is_harmless(void **state)
{
	assert_state(sign_and_verify(*state,
			     "v=1; a=rsa-sha256; c=simple/simple; d=example.com; s=s1; "
			     "h=from:to:subject:received:dkim:x:y:z:from:to:subject:received",
			     HEADERS, BODY),
		EDS_DKIM_VALID);
}

static void the_library_never_selects_the_signature_itself(void **state)
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

static void a_strict_key_refuses_subdomains(void **state)
{
	struct world *world = *state;
	const struct eds_dkim_signature *signature;

	publish_key(world, "s1", "v=DKIM1; t=s;", rsa);
	signature = verify(world,
		fixture_sign(&world->ctx, rsa, RELAXED "; i=@mail.example.com", HEADERS, BODY));
	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "identity-mismatch");
	assert_state(
		verify(world,
			fixture_sign(&world->ctx, rsa, RELAXED "; i=a@EXAMPLE.com", HEADERS, BODY)),
		EDS_DKIM_VALID);
}

static void a_broken_signature_with_a_testing_key_counts_as_none(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);
	const struct eds_dkim_signature *signature;

	publish_key(world, "s1", "v=DKIM1; t=y;", rsa);
	signature = verify(world, replaced(&world->ctx, message, "game", "fame"));
	assert_state(signature, EDS_DKIM_TESTING);
	assert_true(signature->key_testing);
	assert_error(signature, "body-hash-mismatch");
	assert_state(verify(world, message), EDS_DKIM_VALID);
}

static void the_state_of_the_key_is_told(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);
	const struct eds_dkim_signature *signature = verify(world, message);

	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "key-missing");
	assert_string_equal(signature->key_state, "missing");
	assert_int_equal(signature->body_hash, EDS_DKIM_HASH_MATCH);
	assert_int_equal(signature->header_hash, EDS_DKIM_HASH_UNKNOWN);

	publish(world, "s1", "v=DKIM1; p=");
	signature = verify(world, message);
	assert_state(signature, EDS_DKIM_INVALID);
	assert_string_equal(signature->key_state, "revoked");

	world->zone.count = 0;
	zone_fail(&world->zone, "s1._domainkey.example.com", "SERVFAIL");
	signature = verify(world, message);
	assert_state(signature, EDS_DKIM_TEMPORARY);
	assert_string_equal(signature->key_state, "temporary");
}

static void a_temporary_failure_is_never_invalid(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);

	zone_fail(&world->zone, "s1._domainkey.example.com", "SERVFAIL");
	assert_state(
		verify(world, replaced(&world->ctx, message, "game", "fame")), EDS_DKIM_TEMPORARY);
}

static void the_size_of_rsa_keys_decides(void **state)
{
	struct world *world = *state;
	EVP_PKEY *small = fixture_rsa(768);
	EVP_PKEY *short_key = fixture_rsa(1024);
	const struct eds_dkim_signature *signature;

	publish_key(world, "s1", "v=DKIM1;", small);
	signature = verify(world, fixture_sign(&world->ctx, small, RELAXED, HEADERS, BODY));
	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "key-too-short");
	assert_int_equal(signature->key_bits, 768);
	assert_int_equal(signature->header_hash, EDS_DKIM_HASH_MATCH);

	world->zone.count = 0;
	publish_key(world, "s1", "v=DKIM1;", short_key);
	signature = verify(world, fixture_sign(&world->ctx, short_key, RELAXED, HEADERS, BODY));
	assert_state(signature, EDS_DKIM_VALID);
	assert_true(eds_finding_has(&signature->warnings, "key-short"));
	EVP_PKEY_free(small);
	EVP_PKEY_free(short_key);
}

static void a_key_that_cannot_be_held_leaves_the_signature_unchecked(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);
	char *der = rt_alloc(&world->ctx, 1200);
	const struct eds_dkim_signature *signature;

	memcpy(der, "\x30\x82\x04\x0a\x02\x82\x04\x01", 8); /* RSA of 8192 bits, PKCS#1 */
	memset(der + 9, 0xff, 1024);
	memcpy(der + 9 + 1024, "\x02\x03\x01\x00\x01", 5);
	publish(world, "s1",
		rt_printf(&world->ctx, "v=DKIM1; p=%s",
			rt_base64_encode(&world->ctx, der, 9 + 1024 + 5)));
	signature = verify(world, message);
	assert_state(signature, EDS_DKIM_UNCHECKED);
	assert_string_equal(signature->key_state, "unsupported");
	assert_int_equal(signature->key_bits, 8192);
	assert_int_equal(signature->body_hash, EDS_DKIM_HASH_MATCH);
}

static void a_record_of_8_kb_with_a_usable_key_verifies(void **state)
{
	struct world *world = *state;
	char *notes = rt_alloc(&world->ctx, 8193);

	memset(notes, 'n', 8192);
	publish_key(world, "s1", rt_printf(&world->ctx, "v=DKIM1; n=%s;", notes), rsa);
	assert_state(verify(world, fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY)),
		EDS_DKIM_VALID);
}

static void a_key_and_an_algorithm_of_different_types_do_not_verify(void **state)
{
	struct world *world = *state;
	EVP_PKEY *ed25519 = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	const struct eds_dkim_signature *signature;

	publish_key(world, "s1", "v=DKIM1; k=ed25519;", ed25519);
	signature = verify(world, fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY));
	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "key-type-mismatch");
	signature = verify(world, fixture_sign(&world->ctx, ed25519, RELAXED, HEADERS, BODY));
	assert_state(signature, EDS_DKIM_INVALID);
	EVP_PKEY_free(ed25519);
}

static void ed25519_verifies(void **state)
{
	struct world *world = *state;
	EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	const struct eds_dkim_signature *signature;
	char *message = fixture_sign(&world->ctx, key,
		"v=1; a=ed25519-sha256; c=relaxed/relaxed; d=example.com; s=s1; h=from", HEADERS,
		BODY);

	publish_key(world, "s1", "v=DKIM1; k=ed25519;", key);
	signature = verify(world, message);
	assert_state(signature, EDS_DKIM_VALID);
	assert_string_equal(signature->key_type, "ed25519");
	assert_int_equal(signature->key_bits, 256);
	assert_state(verify(world, replaced(&world->ctx, message, "Joe", "Jim")), EDS_DKIM_INVALID);
	EVP_PKEY_free(key);
}

/* RFC 8463 appendix A: one message, signed with both algorithms. */
static void the_example_of_rfc_8463_verifies(void **state)
{
	static const char message[] =
		"DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;\r\n"
		" d=football.example.com; i=@football.example.com;\r\n"
		" q=dns/txt; s=brisbane; t=1528637909; h=from : to :\r\n"
		" subject : date : message-id : from : subject : date;\r\n"
		" bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;\r\n"
		" b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus\r\n"
		" Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==\r\n"
		"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;\r\n"
		" d=football.example.com; i=@football.example.com;\r\n"
		" q=dns/txt; s=test; t=1528637909; h=from : to : subject :\r\n"
		" date : message-id : from : subject : date;\r\n"
		" bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;\r\n"
		" b=F45dVWDfMbQDGHJFlXUNB2HKfbCeLRyhDXgFpEL8GwpsRe0IeIixNTe3\r\n"
		" DhCVlUrSjV4BwcVcOF6+FF3Zo9Rpo1tFOeS9mPYQTnGdaSGsgeefOsk2Jz\r\n"
		" dA+L10TeYt9BgDfQNZtKdN1WO//KgIqXP7OdEFE4LjFYNcUxZQ4FADY+8=\r\n"
		"From: Joe SixPack <joe@football.example.com>\r\n"
		"To: Suzie Q <suzie@shopping.example.net>\r\n"
		"Subject: Is dinner ready?\r\n"
		"Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)\r\n"
		"Message-ID: <20030712040037.46341.5F8J@football.example.com>\r\n\r\n"
		"Hi.\r\n\r\nWe lost the game.  Are you hungry yet?\r\n\r\nJoe.\r\n";
	struct world *world = *state;

	zone_load(&world->zone,
		"brisbane._domainkey.football.example.com TXT v=DKIM1; k=ed25519; "
		"p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
		"test._domainkey.football.example.com TXT v=DKIM1; k=rsa; "
		"p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRiGs5V6NpP3id"
		"Y6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutACDfzwQ/B"
		"C/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip"
		"3G+2kryOTIKT+l/K4w3QIDAQAB\n");
	verify(world, message);
	assert_int_equal(world->result.count, 2);
	assert_state(&world->result.signatures[0], EDS_DKIM_VALID);
	assert_state(&world->result.signatures[1], EDS_DKIM_VALID);
}

static void times_are_judged_at_receipt(void **state)
{
	static const struct {
		const char *tags;
		const char *error; /* NULL: valid */
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

static void a_body_length_is_a_warning_or_an_error(void **state)
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

static void rsa_sha1_is_not_supported(void **state)
{
	const struct eds_dkim_signature *signature = sign_and_verify(*state,
		"v=1; a=rsa-sha1; c=relaxed/relaxed; d=example.com; s=s1; h=from", HEADERS, BODY);

	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "algorithm-unsupported");
	assert_string_equal(signature->algorithm, "rsa-sha1");
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

/* The signature is made over what the library would take for the same: it must not be taken. */
static void treacherous_bytes_are_never_valid_and_never_a_crash(void **state)
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

static void a_nul_in_the_body_is_a_character_like_any(void **state)
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

static void a_bare_cr_in_the_body_is_a_character_like_any(void **state)
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
	assert_state(sign_and_verify(world, TAGS("simple/simple", ""), HEADERS, body),
		EDS_DKIM_INVALID); /* two key records */
	world->zone.count = 0;
	assert_state(
		sign_and_verify(world, TAGS("simple/simple", ""), HEADERS, body), EDS_DKIM_VALID);
	for (size_t i = 50000; i < 200000; i += 50000)
		body[i] = ' ';
	world->zone.count = 0;
	assert_state(sign_and_verify(world, RELAXED, HEADERS, body), EDS_DKIM_VALID);
}

static void unsigned_fields_may_be_many_and_signed_ones_have_a_limit(void **state)
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

static void a_message_cut_anywhere_is_never_a_crash(void **state)
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

static void unusual_b_tags_are_not_judged(void **state)
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

static void rsa_keys_are_read_by_the_fast_reader(void **state)
{
	unsigned before = eds_fast_key_count();

	assert_state(sign_and_verify(*state, RELAXED, HEADERS, BODY), EDS_DKIM_VALID);
	assert_int_equal(eds_fast_key_count(), before + 1);
}

static int make_keys(void **state)
{
	(void)state;
	rsa = fixture_rsa(2048);
	return rsa == NULL;
}

static int free_keys(void **state)
{
	(void)state;
	EVP_PKEY_free(rsa);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_canonicalization_verifies),
		TEST(lf_line_ends_verify_like_crlf),
		TEST(a_body_may_be_empty_absent_or_without_a_final_line_end),
		TEST(a_message_that_ends_with_its_header_verifies),
		TEST(a_changed_body_is_told_from_a_changed_header),
		TEST(white_space_counts_in_simple_and_not_in_relaxed),
		TEST(white_space_before_a_colon_follows_the_canonicalization),
		TEST(a_group_in_from_verifies),
		TEST(a_message_without_from_is_invalid),
		TEST(a_signature_that_leaves_from_out_is_invalid),
		TEST(an_added_from_breaks_only_an_oversigned_message),
		TEST(a_line_that_is_no_field_makes_the_signature_invalid),
		TEST(h_naming_every_field_and_one_more_is_harmless),
		TEST(the_library_never_selects_the_signature_itself),
		TEST(a_signature_may_cover_another),
		TEST(a_long_identity_never_reaches_the_library),
		TEST(identity_must_lie_in_the_domain),
		TEST(a_strict_key_refuses_subdomains),
		TEST(a_broken_signature_with_a_testing_key_counts_as_none),
		TEST(the_state_of_the_key_is_told),
		TEST(a_temporary_failure_is_never_invalid),
		TEST(the_size_of_rsa_keys_decides),
		TEST(a_key_that_cannot_be_held_leaves_the_signature_unchecked),
		TEST(a_record_of_8_kb_with_a_usable_key_verifies),
		TEST(a_key_and_an_algorithm_of_different_types_do_not_verify),
		TEST(ed25519_verifies),
		TEST(the_example_of_rfc_8463_verifies),
		TEST(times_are_judged_at_receipt),
		TEST(a_body_length_is_a_warning_or_an_error),
		TEST(text_may_be_added_behind_a_body_length),
		TEST(a_signature_may_cover_another_that_is_not_valid),
		TEST(rsa_sha1_is_not_supported),
		TEST(ten_signatures_are_evaluated),
		TEST(a_bad_signature_does_not_harm_a_good_one),
		TEST(trailing_garbage_makes_a_signature_invalid),
		TEST(treacherous_bytes_are_never_valid_and_never_a_crash),
		TEST(a_nul_in_the_body_is_a_character_like_any),
		TEST(a_bare_cr_in_the_body_is_a_character_like_any),
		TEST(a_very_long_word_in_the_body_is_read_to_its_end),
		TEST(unsigned_fields_may_be_many_and_signed_ones_have_a_limit),
		TEST(a_header_beyond_the_readers_limit_is_not_judged),
		TEST(every_octet_of_a_signed_message_counts),
		TEST(a_message_cut_anywhere_is_never_a_crash),
		TEST(a_list_of_fields_beyond_the_librarys_limit_is_not_judged),
		TEST(unusual_b_tags_are_not_judged),
		TEST(an_unsigned_message_has_no_result),
		TEST(rsa_keys_are_read_by_the_fast_reader),
	};

	return cmocka_run_group_tests(tests, make_keys, free_keys);
}
