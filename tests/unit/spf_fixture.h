/* Code shared by the tests of SPF evaluation: a table of DNS records and one evaluation over it,
 * for MAIL FROM user@example.com from 192.0.2.1. */
#ifndef SPF_FIXTURE_H
#define SPF_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "functions/lib/spf/spf-evaluate.h"
#include "runtime/buffer.h"
#include "runtime/time.h"
#include "tests/support/zone.h"

enum { DEADLINE_MS = 5000 };

static struct rt_ctx ctx;
static struct zone zone;
static struct eds_spf_input input;
static struct eds_spf_result result;

static int set_up(void **state)
{
	(void)state;
	ctx = (struct rt_ctx){.arena = rt_arena_new()};
	zone_init(&zone, &ctx);
	input = (struct eds_spf_input){.helo = "mail.example.com",
		.mail_from = "user@example.com",
		.receiver = "mx.receiver.example",
		.deadline_ms = rt_monotonic_ms() + DEADLINE_MS};
	rt_ip_parse("192.0.2.1", &input.client);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rt_arena_free(ctx.arena);
	return 0;
}

static enum eds_spf_code evaluate(void)
{
	struct eds_lookup lookup = zone_lookup(&zone);

	eds_spf_evaluate(&ctx, &lookup, &input, &result);
	return result.code;
}

static enum eds_spf_code evaluate_in(const char *lines)
{
	zone_init(&zone, &ctx);
	zone_load(&zone, lines);
	return evaluate();
}

static enum eds_spf_code evaluate_from(const char *client, const char *lines)
{
	assert_true(rt_ip_parse(client, &input.client));
	return evaluate_in(lines);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
