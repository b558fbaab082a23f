/* The body of a message with several signatures: hashed once, with the right result for each. */
#include <dlfcn.h>

#include "tests/unit/dkim_verify_fixture.h"

static size_t hashed_bytes;

/* Replaces OpenSSL's function, to count the hashed octets, and calls the original. */
int EVP_DigestUpdate(EVP_MD_CTX *digest, const void *bytes, size_t length)
{
	static int (*real)(EVP_MD_CTX *, const void *, size_t);

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "EVP_DigestUpdate");
	hashed_bytes += length;
	return real(digest, bytes, length);
}

/* A message with one signature for each of these values of l=, the number of signed octets of the
 * body; 0 for no l=. */
static char *signed_often(
	struct world *world, const char *form, const size_t *limits, size_t count, const char *body)
{
	char *message = rt_printf(&world->ctx, "%s\r\n%s", HEADERS, body);

	publish_key(world, "s1", "v=DKIM1;", rsa);
	for (size_t i = 0; i < count; i++) {
		char *tags = limits[i] == 0 ? rt_strdup(&world->ctx, form)
					    : rt_printf(&world->ctx, "%s; l=%zu", form, limits[i]);

		message = rt_printf(&world->ctx, "%s%s",
			fixture_signature(&world->ctx, rsa, tags, HEADERS, body, strlen(body)),
			message);
	}
	return message;
}

static char *long_body(struct world *world)
{
	char *body = rt_alloc(&world->ctx, 1000001);

	for (size_t line = 0; line < 1000000; line += 50) {
		memset(body + line, 'x', 48);
		memset(body + line + 20, ' ', 2);
		memcpy(body + line + 48, "\r\n", 2);
	}
	return body;
}

static void ten_signatures_hash_the_body_once_for_each_canonicalization(void **state)
{
	static const size_t limits[10] = {0, 1000, 0, 999, 500000, 0, 7, 4096, 4097, 900000};
	struct world *world = *state;
	char *message = signed_often(world, RELAXED, limits, 10, long_body(world));

	hashed_bytes = 0;
	verify(world, message);
	assert_int_equal(world->result.count, 10);
	for (size_t i = 0; i < 10; i++)
		assert_state(&world->result.signatures[i], EDS_DKIM_VALID);
	assert_in_range(hashed_bytes, 900000, 1100000);
}

static void each_length_of_the_body_has_its_hash(void **state)
{
	static const char *const forms[] = {RELAXED, TAGS("simple/simple", "")};
	struct world *world = *state;

	for (size_t form = 0; form < 2; form++)
		for (size_t limit = 1; limit < sizeof BODY; limit++) {
			const size_t limits[3] = {limit, limit / 2, limit};

			world->zone.count = 0;
			verify(world, signed_often(world, forms[form], limits, 3, BODY));
			for (size_t i = 0; i < 3; i++)
				assert_int_equal(
					world->result.signatures[i].body_hash, EDS_DKIM_HASH_MATCH);
		}
}

static void a_change_after_a_body_length_leaves_the_hash_of_that_length_valid(void **state)
{
	static const size_t limits[2] = {3, 0};
	struct world *world = *state;
	char *message = signed_often(world, RELAXED, limits, 2, BODY);

	verify(world, replaced(&world->ctx, message, "game", "fame"));
	assert_int_equal(world->result.signatures[0].body_hash, EDS_DKIM_HASH_MISMATCH);
	assert_int_equal(world->result.signatures[1].body_hash, EDS_DKIM_HASH_MATCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ten_signatures_hash_the_body_once_for_each_canonicalization),
		TEST(each_length_of_the_body_has_its_hash),
		TEST(a_change_after_a_body_length_leaves_the_hash_of_that_length_valid),
	};

	return cmocka_run_group_tests(tests, make_keys, free_keys);
}
