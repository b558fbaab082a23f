/* DKIM signatures and their keys: states, sizes, algorithms. */
#include <openssl/core_names.h>
#include <openssl/param_build.h>

#include "tests/unit/dkim_verify_fixture.h"

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

static BIGNUM *number_of(EVP_PKEY *key, const char *name)
{
	BIGNUM *number = NULL;

	assert_int_equal(EVP_PKEY_get_bn_param(key, name, &number), 1);
	return number;
}

/* The public exponent e + (p-1)(q-1)/2: it verifies the same signatures as e, but has about 2047
 * bits, so each verification is slow. */
static BIGNUM *equal_exponent(EVP_PKEY *key)
{
	BN_CTX *scratch = BN_CTX_new();
	BIGNUM *p = number_of(key, OSSL_PKEY_PARAM_RSA_FACTOR1);
	BIGNUM *q = number_of(key, OSSL_PKEY_PARAM_RSA_FACTOR2);
	BIGNUM *e = number_of(key, OSSL_PKEY_PARAM_RSA_E);
	BIGNUM *order = BN_new();

	BN_sub_word(p, 1);
	BN_sub_word(q, 1);
	BN_mul(order, p, q, scratch);
	BN_rshift1(order, order);
	BN_add(e, e, order);
	BN_free(order);
	BN_free(p);
	BN_free(q);
	BN_CTX_free(scratch);
	return e;
}

static EVP_PKEY *with_exponent(EVP_PKEY *key, BIGNUM *e)
{
	BIGNUM *n = number_of(key, OSSL_PKEY_PARAM_RSA_N);
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
	OSSL_PARAM *parameters;
	EVP_PKEY *made = NULL;

	OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n);
	OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e);
	parameters = OSSL_PARAM_BLD_to_param(builder);
	EVP_PKEY_fromdata_init(maker);
	assert_int_equal(EVP_PKEY_fromdata(maker, &made, EVP_PKEY_PUBLIC_KEY, parameters), 1);
	OSSL_PARAM_free(parameters);
	OSSL_PARAM_BLD_free(builder);
	EVP_PKEY_CTX_free(maker);
	BN_free(n);
	return made;
}

static void a_key_with_a_costly_exponent_is_not_used(void **state)
{
	struct world *world = *state;
	BIGNUM *exponent = equal_exponent(rsa);
	EVP_PKEY *slow = with_exponent(rsa, exponent);
	const struct eds_dkim_signature *signature;

	publish_key(world, "s1", "v=DKIM1;", slow);
	signature = verify(world, fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY));
	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "key-exponent");
	assert_int_equal(signature->header_hash, EDS_DKIM_HASH_UNKNOWN);
	EVP_PKEY_free(slow);
	BN_free(exponent);
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

static void the_state_of_the_key_is_shown(void **state)
{
	struct world *world = *state;
	char *message = fixture_sign(&world->ctx, rsa, RELAXED, HEADERS, BODY);
	const struct eds_dkim_signature *signature = verify(world, message);

	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "key-missing");
	assert_int_equal(signature->key_state, EDS_KEY_MISSING);
	assert_int_equal(signature->body_hash, EDS_DKIM_HASH_MATCH);
	assert_int_equal(signature->header_hash, EDS_DKIM_HASH_UNKNOWN);

	publish(world, "s1", "v=DKIM1; p=");
	signature = verify(world, message);
	assert_state(signature, EDS_DKIM_INVALID);
	assert_int_equal(signature->key_state, EDS_KEY_REVOKED);

	world->zone.count = 0;
	zone_fail(&world->zone, "s1._domainkey.example.com", "SERVFAIL");
	signature = verify(world, message);
	assert_state(signature, EDS_DKIM_TEMPORARY);
	assert_int_equal(signature->key_state, EDS_KEY_TEMPORARY);
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
	assert_int_equal(signature->key_state, EDS_KEY_UNSUPPORTED);
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
	assert_int_equal(signature->key_type, EDS_KEY_ED25519);
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

static void rsa_sha1_is_not_supported(void **state)
{
	const struct eds_dkim_signature *signature = sign_and_verify(*state,
		"v=1; a=rsa-sha1; c=relaxed/relaxed; d=example.com; s=s1; h=from", HEADERS, BODY);

	assert_state(signature, EDS_DKIM_INVALID);
	assert_error(signature, "algorithm-unsupported");
	assert_string_equal(signature->algorithm, "rsa-sha1");
}

static void rsa_keys_are_read_by_the_fast_reader(void **state)
{
	unsigned before = eds_fast_key_count();

	assert_state(sign_and_verify(*state, RELAXED, HEADERS, BODY), EDS_DKIM_VALID);
	assert_int_equal(eds_fast_key_count(), before + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_strict_key_refuses_subdomains),
		TEST(a_key_with_a_costly_exponent_is_not_used),
		TEST(a_broken_signature_with_a_testing_key_counts_as_none),
		TEST(the_state_of_the_key_is_shown),
		TEST(a_temporary_failure_is_never_invalid),
		TEST(the_size_of_rsa_keys_decides),
		TEST(a_key_that_cannot_be_held_leaves_the_signature_unchecked),
		TEST(a_record_of_8_kb_with_a_usable_key_verifies),
		TEST(a_key_and_an_algorithm_of_different_types_do_not_verify),
		TEST(ed25519_verifies),
		TEST(the_example_of_rfc_8463_verifies),
		TEST(rsa_sha1_is_not_supported),
		TEST(rsa_keys_are_read_by_the_fast_reader),
	};

	return cmocka_run_group_tests(tests, make_keys, free_keys);
}
