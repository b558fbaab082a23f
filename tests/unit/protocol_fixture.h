/* Code shared by the tests of the frames between a function and its helper: a buffer in which one
 * frame is written, and its payload.
 */
#ifndef TESTS_PROTOCOL_FIXTURE_H
#define TESTS_PROTOCOL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "functions/lib/sandbox/protocol.h"

static struct rt_ctx ctx;
static struct rt_buffer out;

static inline int set_up(void **state)
{
	(void)state;
	memset(&ctx, 0, sizeof ctx);
	ctx.arena = rt_arena_new();
	rt_buffer_init(&out, &ctx, 4 * EDS_FRAME_BYTES_MAX);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	rt_arena_free(ctx.arena);
	return 0;
}

/* The payload of the one frame in out. */
static inline struct eds_wire payload(void)
{
	return (struct eds_wire){
		.at = out.bytes + EDS_FRAME_HEADER_BYTES, .end = out.bytes + out.length};
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
