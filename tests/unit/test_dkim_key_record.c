#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "functions/lib/dkim/key-der.h"
#include "functions/lib/dkim/key-record.h"
#include "tests/unit/dkim_fixture.h"

#define NAME "s1._domainkey.example.com"

static char *rsa_2048;
static char *rsa_1024;
static char *rsa_768;
static char *ed25519;
static struct rt_ctx ctx;

static void read_text(const char *text, struct eds_key_record *key)
{
	eds_key_record_read(&ctx, text, strlen(text), key);
}

static void assert_has(const struct eds_findings *findings, const char *code)
{
	if (!eds_finding_has(findings, code))
		fail_msg("no %s but %s", code,
			findings->count ? findings->items[0].code : "nothing");
}

static void assert_one_error(const char *text, const char *code)
{
	struct eds_key_record key;

	read_text(text, &key);
	assert_has(&key.errors, code);
	assert_int_equal(key.errors.count, 1);
	assert_true(strlen(key.errors.items[0].message) > 20);
	assert_int_equal(
		key.state, strcmp(code, "key-revoked") ? EDS_KEY_INVALID : EDS_KEY_REVOKED);
}

static void assert_one_warning(const char *text, const char *code)
{
	struct eds_key_record key;

	read_text(text, &key);
	assert_int_equal(key.errors.count, 0);
	assert_has(&key.warnings, code);
	assert_int_equal(key.warnings.count, 1);
	assert_int_equal(key.state, EDS_KEY_FOUND);
}

static char *with(const char *tags, const char *p)
{
	return rt_printf(&ctx, "%s p=%s", tags, p);
}

/* The DER of an RSA key with this many octets: a modulus of ones, and any exponent. */
static char *made_rsa(size_t octets, const char *exponent, size_t exponent_length)
{
	uint8_t *der = rt_alloc(&ctx, octets + 64);
	size_t inner = 4 + 1 + octets + 2 + exponent_length;
	uint8_t head[] = {0x30, 0x82, (uint8_t)(inner >> 8), (uint8_t)inner, 2, 0x82,
		(uint8_t)((octets + 1) >> 8), (uint8_t)(octets + 1), 0};

	memcpy(der, head, sizeof head);
	memset(der + sizeof head, 0xff, octets);
	der[sizeof head + octets] = 2;
	der[sizeof head + octets + 1] = (uint8_t)exponent_length;
	memcpy(der + sizeof head + octets + 2, exponent, exponent_length);
	return rt_base64_encode(&ctx, der, sizeof head + octets + 2 + exponent_length);
}

static void a_good_record_has_no_findings(void **state)
{
	struct eds_key_record key;

	(void)state;
	read_text(with("v=DKIM1; k=rsa; h=sha256; s=email; t=s; n=note;", rsa_2048), &key);
	assert_int_equal(key.errors.count + key.warnings.count, 0);
	assert_int_equal(key.state, EDS_KEY_FOUND);
	assert_int_equal(key.type, EDS_KEY_RSA);
	assert_int_equal(key.bits, 2048);
	assert_true(key.strict_identity);
	assert_false(key.testing);
	assert_string_equal(key.public_key, rsa_2048);
	read_text(with("v=DKIM1; k=ed25519;", ed25519), &key);
	assert_int_equal(key.errors.count + key.warnings.count, 0);
	assert_int_equal(key.bits, 256);
}

static void each_fault_has_its_code(void **state)
{
	(void)state;
	assert_one_error(with("v=DKIM1; k=rsa; k=rsa;", rsa_2048), "key-tag-duplicate");
	assert_one_error("v=DKIM1; this is a key", "key-syntax");
	assert_one_error("", "key-syntax");
	assert_one_error(with("v=DKIM2;", rsa_2048), "key-version");
	assert_one_error(with("v=dkim1;", rsa_2048), "key-version");
	assert_one_error(with("k=rsa; v=DKIM1;", rsa_2048), "key-version");
	assert_one_error("v=DKIM1; k=rsa", "key-no-public-key");
	assert_one_error("v=DKIM1; p=", "key-revoked");
	assert_one_error("v=DKIM1; p= ;", "key-revoked");
	assert_one_error("v=DKIM1; p=M!IB", "key-base64");
	assert_one_error("v=DKIM1; p=QUJD=", "key-base64");
	assert_one_error("v=DKIM1; p=QUJD", "key-der");
	assert_one_error(with("v=DKIM1; k=dsa;", rsa_2048), "key-type-unknown");
	assert_one_error(with("v=DKIM1; k=ed25519;", rsa_2048), "key-type-mismatch");
	assert_one_error(with("v=DKIM1; k=rsa;", ed25519), "key-type-mismatch");
	assert_one_error(with("v=DKIM1;", rsa_768), "key-too-short");
	assert_one_error(with("v=DKIM1; h=sha1x;", rsa_2048), "key-hash");
	assert_one_error(with("v=DKIM1; s=chat:web;", rsa_2048), "key-service");
	assert_one_error(rt_printf(&ctx, "\"v=DKIM1; p=%s\"", rsa_2048), "key-quoted");
	assert_one_error(rt_printf(&ctx, "v=DKIM1\\; p=%s", rsa_2048), "key-quoted");
}

static void each_weakness_is_a_warning(void **state)
{
	char notes[1025];

	(void)state;
	memset(notes, 'n', sizeof notes - 1);
	notes[sizeof notes - 1] = '\0';
	assert_one_warning(with("v=DKIM1;", rsa_1024), "key-short");
	assert_one_warning(with("v=DKIM1; h=sha1:sha256;", rsa_2048), "key-sha1");
	assert_one_warning(with("v=DKIM1; t=y;", rsa_2048), "key-testing");
	assert_one_warning(with("v=DKIM1; g=*;", rsa_2048), "key-granularity");
	assert_one_warning(with("k=rsa;", rsa_2048), "key-no-version");
	assert_one_warning(
		with(rt_printf(&ctx, "v=DKIM1; n=%s;", notes), rsa_2048), "key-record-long");
	assert_one_warning(with("v=DKIM1;", made_rsa(256, "\1\0\1", 3)), "key-pkcs1");
}

static void long_keys_and_unusual_exponents_are_warnings(void **state)
{
	struct eds_key_record key;

	(void)state;
	read_text(with("v=DKIM1;", made_rsa(1024, "\1\0\1", 3)), &key);
	assert_int_equal(key.bits, 8192);
	assert_has(&key.warnings, "key-long");
	read_text(with("v=DKIM1;", made_rsa(256, "\3", 1)), &key);
	assert_has(&key.warnings, "key-exponent");
	assert_int_equal(key.errors.count, 0);
}

static void an_exponent_of_more_than_64_bits_is_an_error(void **state)
{
	static const char longest[] = "\0\377\377\377\377\377\377\377\377";
	static const char longer[] = "\1\0\0\0\0\0\0\0\1";
	struct eds_key_record key;

	(void)state;
	read_text(with("v=DKIM1;", made_rsa(256, longest, 9)), &key);
	assert_has(&key.warnings, "key-exponent");
	assert_int_equal(key.state, EDS_KEY_FOUND);
	assert_non_null(key.public_key);
	assert_one_error(with("v=DKIM1;", made_rsa(256, longer, 9)), "key-exponent");
	read_text(with("v=DKIM1;", made_rsa(256, longer, 9)), &key);
	assert_int_equal(key.state, EDS_KEY_INVALID);
	assert_null(key.public_key);
	assert_int_equal(key.bits, 2048);
}

static void white_space_within_the_key_is_ignored(void **state)
{
	struct eds_key_record key;

	(void)state;
	read_text(rt_printf(&ctx, "v=DKIM1; p=%.100s %.100s\t%s", rsa_2048, rsa_2048 + 100,
			  rsa_2048 + 200),
		&key);
	assert_int_equal(key.errors.count, 0);
	assert_string_equal(key.public_key, rsa_2048);
}

static void der_is_read_to_its_last_octet(void **state)
{
	size_t length;
	char *der = rt_base64_decode(&ctx, rsa_2048, strlen(rsa_2048), &length);
	struct eds_der_key key;

	(void)state;
	for (size_t i = 0; i <= length + 1; i++) {
		uint8_t *copy = calloc(1, i + 1);

		memcpy(copy, der, i < length ? i : length);
		eds_der_key_read(copy, i, &key);
		free(copy);
		assert_int_equal(key.kind, i == length ? EDS_DER_RSA : EDS_DER_NONE);
	}
}

static void der_of_other_lengths_and_forms_is_refused(void **state)
{
	static const struct {
		size_t at;
		char octet;
	} changes[] = {{0, 0x31}, {1, (char)0x81}, {1, (char)0x83}, {1, (char)0x80}, {4, 0x31},
		{8, 0x2b}, {17, 0x04}, {19, 0x04}, {23, 1}, {24, 0x31}, {28, 3}, {32, (char)0x80}};
	size_t length;
	char *der = rt_base64_decode(&ctx, rsa_2048, strlen(rsa_2048), &length);

	(void)state;
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		char *copy = rt_memdup(&ctx, der, length);
		struct eds_der_key key;

		copy[changes[i].at] = changes[i].octet;
		eds_der_key_read((const uint8_t *)copy, length, &key);
		if (key.kind != EDS_DER_NONE)
			fail_msg("change %zu was not detected", i);
	}
}

/* X.690 section 10.1: a length has its shortest form. */
static void der_with_zeros_before_a_length_is_refused(void **state)
{
	size_t length;
	char *der = rt_base64_decode(&ctx, rsa_2048, strlen(rsa_2048), &length);

	(void)state;
	for (size_t zeros = 0; zeros <= 3; zeros++) {
		char *copy = rt_alloc(&ctx, length + zeros);
		struct eds_der_key key;

		copy[0] = 0x30;
		copy[1] = (char)(0x82 + zeros);
		memset(copy + 2, 0, zeros);
		memcpy(copy + 2 + zeros, der + 2, length - 2);
		eds_der_key_read((const uint8_t *)copy, length + zeros, &key);
		assert_int_equal(key.kind, zeros == 0 ? EDS_DER_RSA : EDS_DER_NONE);
	}
}

static void data_that_is_not_a_key_is_refused(void **state)
{
	(void)state;
	assert_one_error(with("v=DKIM1;", made_rsa(256, "\1", 1)), "key-der");
	assert_one_error(with("v=DKIM1;", made_rsa(256, "\2", 1)), "key-der");
	assert_one_error(with("v=DKIM1;", made_rsa(256, "\0\3", 2)), "key-der");
	assert_one_error(with("v=DKIM1; k=ed25519;", "QUJD"), "key-der");
	assert_one_error("v=DKIM1; k=ed25519; "
			 "p=MCowBQYDK2VwAyEA3SUqa9UbfciWkk7tlcJ9P1VD5pXAasg0JUn/OgjVbKE=",
		"key-der");
	assert_one_error("v=DKIM1; k=rsa; "
			 "p=MCowBQYDK2VwAyEA3SUqa9UbfciWkk7tlcJ9P1VD5pXAasg0JUn/OgjVbKE=",
		"key-type-mismatch");
}

static void a_wrapped_key_equals_what_openssl_writes(void **state)
{
	size_t length;
	size_t wrapped_length;
	char *der = rt_base64_decode(&ctx, rsa_2048, strlen(rsa_2048), &length);
	struct eds_der_key key;
	uint8_t *wrapped;

	(void)state;
	eds_der_key_read((const uint8_t *)der, length, &key);
	wrapped = eds_der_wrap_rsa(&ctx, &key, &wrapped_length);
	assert_int_equal(wrapped_length, length);
	assert_memory_equal(wrapped, der, length);
}

static uint8_t *put_head(uint8_t *at, uint8_t tag, size_t length)
{
	*at++ = tag;
	if (length >= 0x80)
		*at++ = length < 0x100 ? 0x81 : 0x82;
	if (length >= 0x100)
		*at++ = (uint8_t)(length >> 8);
	*at++ = (uint8_t)length;
	return at;
}

/* An RSA key with a modulus of this many octets, in which each length has its shortest form. */
static size_t put_rsa(uint8_t *der, size_t octets)
{
	static const uint8_t exponent[] = {2, 3, 1, 0, 1};
	uint8_t inner[512];
	uint8_t *at = put_head(inner, 2, octets + 1);

	*at++ = 0;
	memset(at, 0xff, octets);
	memcpy(at + octets, exponent, sizeof exponent);
	at += octets + sizeof exponent;
	memcpy(put_head(der, 0x30, (size_t)(at - inner)), inner, (size_t)(at - inner));
	return (size_t)(put_head(der, 0x30, (size_t)(at - inner)) - der) + (size_t)(at - inner);
}

/* The reader refuses a length with more octets than it needs. */
static void a_key_of_any_length_is_wrapped_so_that_it_can_be_read(void **state)
{
	(void)state;
	for (size_t octets = 32; octets <= 300; octets++) {
		uint8_t der[512];
		size_t length = put_rsa(der, octets);
		size_t wrapped_length;
		struct eds_der_key key;
		struct eds_der_key read;
		uint8_t *wrapped;

		eds_der_key_read(der, length, &key);
		assert_int_equal(key.kind, EDS_DER_PKCS1);
		wrapped = eds_der_wrap_rsa(&ctx, &key, &wrapped_length);
		eds_der_key_read(wrapped, wrapped_length, &read);
		assert_int_equal(read.kind, EDS_DER_RSA);
		assert_int_equal(read.rsa_length, length);
		assert_memory_equal(read.rsa, der, length);
	}
}

static enum eds_der_kind kind_of(const uint8_t *der, size_t length)
{
	struct eds_der_key key;

	eds_der_key_read(der, length, &key);
	return key.kind;
}

static void an_octet_after_an_rsa_key_or_after_its_numbers_is_refused(void **state)
{
	uint8_t der[512] = {0};
	size_t length = put_rsa(der, 64);
	struct eds_der_key key;
	size_t wrapped_length;
	uint8_t *wrapped;

	(void)state;
	assert_int_equal(kind_of(der, length), EDS_DER_PKCS1);
	assert_int_equal(kind_of(der, length + 1), EDS_DER_NONE);
	for (size_t shorter = 0; shorter < length; shorter++)
		assert_int_equal(kind_of(der, shorter), EDS_DER_NONE);
	key = (struct eds_der_key){.rsa = der, .rsa_length = length + 1};
	wrapped = eds_der_wrap_rsa(&ctx, &key, &wrapped_length);
	assert_int_equal(kind_of(wrapped, wrapped_length), EDS_DER_NONE);
	der[1]++; /* the sequence has the octet after the exponent */
	assert_int_equal(kind_of(der, length + 1), EDS_DER_NONE);
}

static void answer(struct zone *zone, struct eds_key_record *key)
{
	struct eds_lookup lookup = zone_lookup(zone);

	eds_key_record_from_answer(&ctx, lookup.get(lookup.arg, NAME, EDS_DNS_TXT), key);
}

static void assert_answer(const char *records, enum eds_key_state expected, const char *code)
{
	struct eds_key_record key;
	struct zone zone;

	zone_init(&zone, &ctx);
	zone_load(&zone, records);
	answer(&zone, &key);
	assert_int_equal(key.state, expected);
	if (code)
		assert_has(&key.errors, code);
	else
		assert_int_equal(key.errors.count, 0);
}

static void each_answer_of_dns_has_its_own_outcome(void **state)
{
	char *good = rt_printf(&ctx, NAME " TXT %s\n", with("v=DKIM1;", rsa_2048));

	(void)state;
	assert_answer("", EDS_KEY_MISSING, "key-missing");
	assert_answer(NAME " A 192.0.2.1\n", EDS_KEY_MISSING, "key-no-txt");
	assert_answer(NAME " FAIL SERVFAIL\n", EDS_KEY_TEMPORARY, "key-temporary");
	assert_answer(NAME " CNAME gone.example.net\n", EDS_KEY_MISSING, "key-cname-dangling");
	assert_answer(NAME " TXT v=spf1 -all\n", EDS_KEY_MISSING, "key-no-txt");
	assert_answer(good, EDS_KEY_FOUND, NULL);
	assert_answer(rt_printf(&ctx, "%s" NAME " TXT v=spf1 -all\n", good), EDS_KEY_FOUND, NULL);
	assert_answer(rt_printf(&ctx, "%s%s", good, good), EDS_KEY_INVALID, "key-several");
	assert_answer(rt_printf(&ctx, "%s" NAME " TXT site-verification=abc\n", good),
		EDS_KEY_INVALID, "key-other-text");
	assert_answer(NAME " TXT hello\n" NAME " TXT site-verification=abc\n", EDS_KEY_MISSING,
		"key-no-txt");
	assert_answer(NAME " TXT v=DKIM1; k=rsa\n" NAME " TXT hello\n", EDS_KEY_INVALID,
		"key-other-text");
}

static void an_alias_gives_no_warning(void **state)
{
	struct eds_key_record key;
	struct zone zone;

	(void)state;
	zone_init(&zone, &ctx);
	zone_load(&zone,
		rt_printf(&ctx, NAME " CNAME k.example.net\nk.example.net TXT %s\n",
			with("v=DKIM1;", rsa_2048)));
	answer(&zone, &key);
	assert_int_equal(key.state, EDS_KEY_FOUND);
	assert_true(key.aliased);
	assert_int_equal(key.errors.count + key.warnings.count, 0);
}

static int make_keys(void **state)
{
	EVP_PKEY *keys[] = {fixture_rsa(2048), fixture_rsa(1024), fixture_rsa(768),
		EVP_PKEY_Q_keygen(NULL, NULL, "ED25519")};

	(void)state;
	ctx.arena = rt_arena_new();
	rsa_2048 = fixture_public(&ctx, keys[0]);
	rsa_1024 = fixture_public(&ctx, keys[1]);
	rsa_768 = fixture_public(&ctx, keys[2]);
	ed25519 = fixture_public(&ctx, keys[3]);
	for (size_t i = 0; i < 4; i++)
		EVP_PKEY_free(keys[i]);
	return 0;
}

static int free_keys(void **state)
{
	(void)state;
	rt_arena_free(ctx.arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_record_has_no_findings),
		cmocka_unit_test(each_fault_has_its_code),
		cmocka_unit_test(each_weakness_is_a_warning),
		cmocka_unit_test(long_keys_and_unusual_exponents_are_warnings),
		cmocka_unit_test(an_exponent_of_more_than_64_bits_is_an_error),
		cmocka_unit_test(white_space_within_the_key_is_ignored),
		cmocka_unit_test(der_is_read_to_its_last_octet),
		cmocka_unit_test(der_of_other_lengths_and_forms_is_refused),
		cmocka_unit_test(der_with_zeros_before_a_length_is_refused),
		cmocka_unit_test(data_that_is_not_a_key_is_refused),
		cmocka_unit_test(a_wrapped_key_equals_what_openssl_writes),
		cmocka_unit_test(an_octet_after_an_rsa_key_or_after_its_numbers_is_refused),
		cmocka_unit_test(a_key_of_any_length_is_wrapped_so_that_it_can_be_read),
		cmocka_unit_test(each_answer_of_dns_has_its_own_outcome),
		cmocka_unit_test(an_alias_gives_no_warning),
	};

	return cmocka_run_group_tests(tests, make_keys, free_keys);
}
