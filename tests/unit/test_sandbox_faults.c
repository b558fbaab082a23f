/* The sandbox with children that crash, hang, flood and lie: each is a finding, and the next
 * message is verified all the same. */
#include "tests/unit/sandbox_fixture.h"

static void assert_spf_lost(const struct eds_verify_output *output, const char *code)
{
	assert_int_equal(output->spf.code, EDS_SPF_TEMPERROR);
	assert_string_equal(output->spf.domain, "sender.example");
	assert_string_equal(output->spf.reason_code, code);
	assert_int_equal(output->spf_helo.code, EDS_SPF_TEMPERROR);
	assert_string_equal(output->spf_helo.reason_code, code);
	assert_int_equal(output->spf.tree_count, 0);
}

static void assert_dkim_lost(const struct eds_verify_output *output, const char *what)
{
	assert_int_equal(output->dkim.count, 0);
	assert_non_null(strstr(output->dkim.failure, what));
}

/* Misbehaves in every child: nothing is known afterwards but why. */
static void assert_all_lost(const char *behaviour, const char *code, const char *what)
{
	struct eds_verify_output output;

	assert_int_equal(verify(behaviour, &output), RT_OK);
	assert_spf_lost(&output, code);
	assert_dkim_lost(&output, what);
	assert_unharmed();
}

/* Misbehaves once SPF is reported. */
static void assert_only_dkim_lost(const char *behaviour, const char *what)
{
	struct eds_verify_output output;

	assert_int_equal(verify(behaviour, &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_FAIL);
	assert_int_equal(output.spf_helo.code, EDS_SPF_NEUTRAL);
	assert_dkim_lost(&output, what);
	assert_unharmed();
}

static void a_crash_is_a_finding_and_earlier_results_stay(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_all_lost("crash", "verifier-crashed", "crashed (Segmentation fault)");
	assert_only_dkim_lost("crash-in-dkim", "crashed (Segmentation fault)");
	assert_int_equal(verify("crash-when-done", &output), RT_OK);
	assert_honest(&output);
}

static void after_a_crash_in_spf_the_signatures_are_checked_all_the_same(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_int_equal(verify("crash-in-spf", &output), RT_OK);
	assert_spf_lost(&output, "verifier-crashed");
	assert_int_equal(output.dkim.count, 1);
	assert_int_equal(verify("crash-in-helo", &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_FAIL);
	assert_int_equal(output.spf_helo.code, EDS_SPF_TEMPERROR);
	assert_int_equal(output.dkim.count, 1);
}

static void a_failed_assertion_is_a_crash_and_no_violation(void **state)
{
	(void)state;
	assert_all_lost("fail-assertion", "verifier-crashed", "crashed (Aborted)");
	assert_all_lost("overflow-stack", "verifier-crashed", "crashed (Segmentation fault)");
}

static void a_child_that_leaves_early_is_a_finding(void **state)
{
	(void)state;
	assert_all_lost("leave", "verifier-crashed", "ended before it was complete");
}

static void memory_is_limited(void **state)
{
	(void)state;
	spec.silence_ms = EVENT_MS; /* it takes a moment */
	assert_all_lost("eat-memory", "verifier-crashed", "crashed (Segmentation fault)");
}

static void a_hanging_child_is_killed(void **state)
{
	struct eds_verify_output output;
	int64_t begin_ms = rt_monotonic_ms();

	(void)state;
	assert_all_lost("hang", "verifier-hung", "did not come to an end");
	assert_all_lost("spin", "verifier-hung", "did not come to an end");
	assert_int_equal(verify("hang-in-spf", &output), RT_OK);
	assert_spf_lost(&output, "verifier-hung");
	assert_int_equal(output.dkim.count, 1);
	assert_true(rt_monotonic_ms() - begin_ms < 5 * SILENCE_MS + 2000);
}

static void a_child_that_does_not_end_is_killed(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_all_lost("hide", "verifier-crashed", "crashed (Killed)");
	assert_int_equal(verify("hang-when-done", &output), RT_OK);
	assert_honest(&output);
	assert_unharmed();
}

static void the_deadline_of_the_event_ends_a_child(void **state)
{
	struct eds_verify_output output;

	(void)state;
	ctx.deadline_ms = rt_monotonic_ms() + SILENCE_MS / 3;
	assert_int_equal(verify("hang", &output), RT_OK);
	assert_spf_lost(&output, "out-of-time");
	assert_dkim_lost(&output, "was not complete when its time ran out");
	ctx.deadline_ms = rt_monotonic_ms() + EVENT_MS;
	assert_unharmed();
}

static void the_deadline_ends_a_wait_for_dns(void **state)
{
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("ask");

	(void)state;
	input.receiver = "never.example";
	ctx.deadline_ms = rt_monotonic_ms() + SILENCE_MS / 3;
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_spf_lost(&output, "out-of-time");
}

static void a_slow_answer_does_not_count_as_silence(void **state)
{
	struct eds_verify_output output;
	struct eds_verify_input input = input_for("ask");

	(void)state;
	input.receiver = "never.example";
	ctx.deadline_ms = rt_monotonic_ms() + 2 * SILENCE_MS;
	assert_int_equal(eds_verify(&ctx, &dns, &input, &output), RT_OK);
	assert_spf_lost(&output, "out-of-time");
	assert_true(rt_monotonic_ms() >= ctx.deadline_ms);
}

static void a_flood_of_questions_is_cut_off(void **state)
{
	(void)state;
	assert_all_lost("ask-for-ever", "verifier-flooded", "asked too many DNS questions");
	assert_true(dns.asked <= 4 * EDS_DNS_QUERIES_MAX);
}

static void lies_are_findings(void **state)
{
	static const char *const lies[] = {"talk-while-asking", "claim-a-huge-frame",
		"cut-a-frame-short", "say-an-unknown-kind", "say-an-unknown-code",
		"ask-for-an-unknown-type", "be-done-without-results"};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++)
		assert_all_lost(lies[i], "verifier-lied", "makes no sense");
}

static void lies_about_signatures_are_findings(void **state)
{
	(void)state;
	assert_only_dkim_lost("report-eleven-signatures", "makes no sense");
	assert_only_dkim_lost("report-valid-without-domain", "makes no sense");
	assert_only_dkim_lost("talk-for-ever", "makes no sense");
}

static void a_repeated_result_does_not_replace_the_first(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_int_equal(verify("repeat-a-result", &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_FAIL);
	assert_int_equal(output.spf_helo.code, EDS_SPF_TEMPERROR);
	assert_string_equal(output.spf_helo.reason_code, "verifier-lied");
}

static void a_forbidden_call_is_a_violation(void **state)
{
	static const char *const calls[] = {"open-file", "open-socket", "fork", "kill-parent",
		"abort-helper", "stop-itself", "trace", "execute", "map-code", "map-file",
		"make-code", "raise-limit"};
	struct eds_verify_output output;

	(void)state;
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		if (verify(calls[i], &output) != RT_INTERNAL)
			fail_msg("%s is allowed", calls[i]);
		assert_string_equal(ctx.failure.code, "sandbox-violation");
		rt_fail_clear(&ctx);
		assert_unharmed();
	}
}

static void unconfined_children_may_do_what_they_like(void **state)
{
	struct eds_verify_output output;

	(void)state;
	spec.confined = false;
	assert_int_equal(verify("open-file", &output), RT_OK);
	assert_honest(&output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_child_that_leaves_early_is_a_finding),
		TEST(a_hanging_child_is_killed),
		TEST(a_child_that_does_not_end_is_killed),
		TEST(the_deadline_of_the_event_ends_a_child),
		TEST(the_deadline_ends_a_wait_for_dns),
		TEST(a_slow_answer_does_not_count_as_silence),
		TEST(a_flood_of_questions_is_cut_off),
		TEST(lies_are_findings),
		TEST(lies_about_signatures_are_findings),
		TEST(a_repeated_result_does_not_replace_the_first),
		TEST(unconfined_children_may_do_what_they_like),
	};
	const struct CMUnitTest confined_tests[] = {
		TEST(a_crash_is_a_finding_and_earlier_results_stay),
		TEST(after_a_crash_in_spf_the_signatures_are_checked_all_the_same),
		TEST(a_failed_assertion_is_a_crash_and_no_violation),
		TEST(memory_is_limited),
		TEST(a_forbidden_call_is_a_violation),
	};

	int failed;

	find_helpers();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (confined)
		failed += cmocka_run_group_tests(confined_tests, NULL, NULL);
	return failed;
}
