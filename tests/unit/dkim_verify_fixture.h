/* Code shared by the tests of the verification: keys of each kind, DNS records of them, and the
 * verdict on a message that was signed with them. */
#ifndef DKIM_VERIFY_FIXTURE_H
#define DKIM_VERIFY_FIXTURE_H

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

static inline void publish(struct world *world, const char *selector, const char *record)
{
	zone_add(&world->zone, rt_printf(&world->ctx, "%s._domainkey.example.com", selector),
		EDS_DNS_TXT, record, strlen(record));
}

static inline void publish_key(
	struct world *world, const char *selector, const char *tags, EVP_PKEY *key)
{
	publish(world, selector,
		rt_printf(&world->ctx, "%s p=%s", tags, fixture_public(&world->ctx, key)));
}

static inline int set_up(void **state)
{
	struct world *world = calloc(1, sizeof *world);

	world->ctx.arena = rt_arena_new();
	zone_init(&world->zone, &world->ctx);
	*state = world;
	return 0;
}

static inline int tear_down(void **state)
{
	struct world *world = *state;

	rt_arena_free(world->ctx.arena);
	free(world);
	return 0;
}

static inline const struct eds_dkim_signature *verify_bytes(
	struct world *world, const char *message, size_t length)
{
	struct eds_lookup lookup = zone_lookup(&world->zone);

	/* The copy is exactly as large as the message, so that the sanitizer sees a read past its
	 * end. */
	char *copy = malloc(length);

	memcpy(copy, message, length);
	eds_dkim_verify(&world->ctx, &lookup, copy, length, NOW_S * INT64_C(1000), &world->result);
	free(copy);
	return &world->result.signatures[0];
}

static inline const struct eds_dkim_signature *verify(struct world *world, const char *message)
{
	return verify_bytes(world, message, strlen(message));
}

static inline const struct eds_dkim_signature *sign_and_verify(
	struct world *world, const char *tags, const char *headers, const char *body)
{
	publish_key(world, "s1", "v=DKIM1; k=rsa;", rsa);
	return verify(world, fixture_sign(&world->ctx, rsa, tags, headers, body));
}

static inline void assert_error(const struct eds_dkim_signature *signature, const char *code)
{
	if (!eds_finding_has(&signature->errors, code))
		fail_msg("no error %s but %s", code,
			signature->errors.count ? signature->errors.items[0].code : "none");
}

static inline void assert_state(
	const struct eds_dkim_signature *signature, enum eds_dkim_state state)
{
	if (signature->state != state)
		fail_msg("%s, not %s (%s: %s)", eds_dkim_state_name(signature->state),
			eds_dkim_state_name(state),
			signature->errors.count ? signature->errors.items[0].code : "no error",
			signature->errors.count ? signature->errors.items[0].message : "");
}

static inline char *replaced(struct rt_ctx *ctx, const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);

	assert_non_null(at);
	return rt_printf(ctx, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static inline int make_keys(void **state)
{
	(void)state;
	rsa = fixture_rsa(2048);
	return rsa == NULL;
}

static inline int free_keys(void **state)
{
	(void)state;
	EVP_PKEY_free(rsa);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
