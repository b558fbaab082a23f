/* Trace fields from untrusted clients (W3C Trace Context sections 3.2 and 4.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <string.h>

#include "runtime/event/trace.h"

#define ID "4bf92f3577b34da6a3ce929d0e0e4736"
#define SPAN "00f067aa0ba902b7"
#define NO_ID "00000000000000000000000000000000"

static bool is_read(const char *text)
{
	struct rt_trace trace;

	return rt_trace_read(text, strlen(text), &trace);
}

static void a_trace_continues_with_a_new_span(void **state)
{
	static const char text[] = "00-" ID "-" SPAN "-01";
	char written[RT_TRACEPARENT_LENGTH + 1];
	struct rt_trace trace;

	(void)state;
	assert_true(rt_trace_read(text, strlen(text), &trace));
	assert_string_equal(trace.id, ID);
	assert_string_equal(trace.span, SPAN);
	assert_true(trace.sampled);
	rt_trace_write(&trace, written);
	assert_string_equal(written, text);
	rt_trace_step(&trace);
	assert_string_equal(trace.id, ID);
	assert_string_not_equal(trace.span, SPAN);
	rt_trace_write(&trace, written);
	assert_true(is_read(written));
}

/* Flags that this version does not know are not passed on. */
static void only_the_sampled_flag_is_passed_on(void **state)
{
	char written[RT_TRACEPARENT_LENGTH + 1];
	struct rt_trace trace;

	(void)state;
	assert_true(rt_trace_read("00-" ID "-" SPAN "-fe", RT_TRACEPARENT_LENGTH, &trace));
	assert_false(trace.sampled);
	assert_true(rt_trace_read("00-" ID "-" SPAN "-ff", RT_TRACEPARENT_LENGTH, &trace));
	rt_trace_write(&trace, written);
	assert_string_equal(written, "00-" ID "-" SPAN "-01");
}

static void a_malformed_trace_is_dropped(void **state)
{
	static const char *const wrong[] = {"", "00", "00-" ID "-" SPAN "-0",
		"00-" ID "-" SPAN "-011", "00-" ID "-" SPAN "-01-x", "00-" ID "-" SPAN "-01 ",
		" 00-" ID "-" SPAN "-01", "00-" ID "-" SPAN "-0A",
		"00-4BF92F3577B34DA6A3CE929D0E0E4736-" SPAN "-01", "00-" NO_ID "-" SPAN "-01",
		"00-" ID "-0000000000000000-01", "ff-" ID "-" SPAN "-01", "0g-" ID "-" SPAN "-01",
		"00_" ID "-" SPAN "-01", "00-" ID "_" SPAN "-01", "00-" ID "-" SPAN "_01",
		"00-" ID "-" SPAN "-\"1", "00-" ID "-00f067aa0ba902b\n-01",
		"00-" ID "-" SPAN "-01,00-" ID "-" SPAN "-01"};
	struct rt_trace trace;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		if (is_read(wrong[i]))
			fail_msg("read: %s", wrong[i]);
	assert_false(
		rt_trace_read("00-" ID "-00f067aa0ba902b\0-01", RT_TRACEPARENT_LENGTH, &trace));
}

static void the_known_part_of_a_later_version_is_read(void **state)
{
	(void)state;
	assert_true(is_read("01-" ID "-" SPAN "-01"));
	assert_true(is_read("cc-" ID "-" SPAN "-01-what the future will be like"));
	assert_false(is_read("01-" ID "-" SPAN "-01x"));
	assert_false(is_read("01-" ID "-" SPAN "-01.more"));
}

static void a_new_trace_is_well_formed_and_unique(void **state)
{
	char seen[200][RT_TRACEPARENT_LENGTH + 1];
	struct rt_trace trace;

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		rt_trace_make(&trace);
		assert_false(trace.sampled);
		rt_trace_write(&trace, seen[i]);
		assert_true(is_read(seen[i]));
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(seen[i], seen[j], 3 + RT_TRACE_ID_LENGTH);
	}
}

static void a_trace_of_x_ray_keeps_its_id(void **state)
{
	static const char *const wrong[] = {"", "Root=1", "Root=1-5759e988", "Root=2;\"odd\"\\",
		"Root=1-5759e988-bd862e3f", "Root=1-5759e988-bd862e3fe1be46a9942727",
		"Root=1-5759e988-bd862e3fe1be46a99427279",
		"Root=1-5759E988-bd862e3fe1be46a994272793",
		"Root=1-5759e9880bd862e3fe1be46a994272793",
		"Root=1-00000000-000000000000000000000000"};
	struct rt_trace trace;

	(void)state;
	assert_true(rt_trace_read_xray(
		"Self=1-1-2;Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=1", &trace));
	assert_string_equal(trace.id, "5759e988bd862e3fe1be46a994272793");
	assert_true(trace.sampled);
	assert_true(rt_trace_read_xray("Root=1-5759e988-bd862e3fe1be46a994272793", &trace));
	assert_false(trace.sampled);
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		assert_false(rt_trace_read_xray(wrong[i], &trace));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_continues_with_a_new_span),
		cmocka_unit_test(only_the_sampled_flag_is_passed_on),
		cmocka_unit_test(a_malformed_trace_is_dropped),
		cmocka_unit_test(the_known_part_of_a_later_version_is_read),
		cmocka_unit_test(a_new_trace_is_well_formed_and_unique),
		cmocka_unit_test(a_trace_of_x_ray_keeps_its_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
