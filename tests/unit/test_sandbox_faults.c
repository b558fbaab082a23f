/* The sandbox with children that crash, hang, flood and lie: each fault becomes a finding, and the
 * next message is still verified. */
#include "runtime/time.h"
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

/* Lets the child misbehave before it reports anything, also at the second try: all results are
 * lost, and each has the reason. */
static void assert_all_lost(const char *behavior, const char *code, const char *what)
{
	struct eds_verify_output output;

	assert_int_equal(verify(behavior, &output), RT_OK);
	assert_spf_lost(&output, code);
	assert_dkim_lost(&output, what);
	assert_unharmed();
}

/* Lets the child misbehave after it has reported SPF: the SPF result stays, and only DKIM is
 * lost. */
static void assert_only_dkim_lost(const char *behavior, const char *what)
{
	struct eds_verify_output output;

	assert_int_equal(verify(behavior, &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_FAIL);
	assert_int_equal(output.spf_helo.code, EDS_SPF_NEUTRAL);
	assert_dkim_lost(&output, what);
	assert_unharmed();
}

static void a_crash_is_a_finding_and_earlier_results_are_kept(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_all_lost("crash", "verifier-crashed", "ended before it was complete");
	assert_only_dkim_lost("crash-in-dkim", "ended before it was complete");
	assert_int_equal(verify("crash-when-done", &output), RT_OK);
	assert_honest(&output);
	assert_string_equal(output.crash, "");
	assert_int_equal(verify("crash", &output), RT_OK);
	/* the name of the signal is for the log, not for users */
	assert_string_equal(output.crash, "Segmentation fault");
}

static void signatures_are_still_checked_after_a_crash_in_spf(void **state)
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

static void a_failed_assertion_is_a_crash_and_not_a_violation(void **state)
{
	(void)state;
	assert_all_lost("fail-assertion", "verifier-crashed", "ended before it was complete");
	assert_all_lost("overflow-stack", "verifier-crashed", "ended before it was complete");
}

static void a_child_that_exits_early_is_a_finding(void **state)
{
	(void)state;
	assert_all_lost("leave", "verifier-crashed", "ended before it was complete");
}

static void memory_is_limited(void **state)
{
	(void)state;
	/* the child sends nothing while it uses up its memory, which takes a moment */
	spec.silence_ms = EVENT_MS;
	assert_all_lost("eat-memory", "verifier-crashed", "ended before it was complete");
}

/* Without a replacement the helper program is looked for in the folder of this test program, which
 * has none. */
static void without_the_program_the_event_fails_temporarily(void **state)
{
	struct eds_verify_output output;

	(void)state;
	eds_helper_use(EDS_HELPER_VERIFIER, NULL);
	assert_int_equal(verify("honest", &output), RT_TEMPORARY);
	assert_string_equal(ctx.failure.code, "sandbox-unavailable");
	eds_helper_use(EDS_HELPER_VERIFIER, &spec);
	assert_unharmed();
}

static void a_hanging_child_is_killed(void **state)
{
	struct eds_verify_output output;
	int64_t begin_ms = rt_monotonic_ms();

	(void)state;
	assert_all_lost("hang", "verifier-hung", "did not end");
	assert_all_lost("spin", "verifier-hung", "did not end");
	assert_int_equal(verify("hang-in-spf", &output), RT_OK);
	assert_spf_lost(&output, "verifier-hung");
	assert_int_equal(output.dkim.count, 1);
	assert_true(rt_monotonic_ms() - begin_ms < 5 * SILENCE_MS + 2000);
}

static void the_parent_sleeps_while_a_child_is_silent(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_int_equal(verify("hang", &output), RT_OK);
	assert_in_range(dns.waits, 1, 20);
}

static void a_child_that_does_not_exit_is_killed(void **state)
{
	struct eds_verify_output output;

	(void)state;
	assert_all_lost("hide", "verifier-crashed", "ended before it was complete");
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
	assert_true(dns.asked <= 4 * 200);
}

static void impossible_results_are_findings(void **state)
{
	static const char *const lies[] = {"talk-while-asking", "claim-a-huge-frame",
		"cut-a-frame-short", "say-an-unknown-kind", "say-an-unknown-code",
		"ask-for-an-unknown-type", "be-done-without-results"};

	(void)state;
	for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++)
		assert_all_lost(lies[i], "verifier-lied", "makes no sense");
}

static void impossible_results_about_signatures_are_findings(void **state)
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
	static const char *const calls[] = {"open-file", "open-environment", "open-socket",
		"make-pipe", "make-memory-file", "fork", "trace-helper", "trace-function",
		"read-helper", "read-function", "write-function", "take-descriptor", "raise-limit",
		"kill-parent", "abort-helper", "stop-itself", "trace", "execute", "map-code",
		"map-file", "make-code"};
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

static void without_confinement_a_forbidden_call_is_not_stopped(void **state)
{
	struct eds_verify_output output;

	(void)state;
	spec.sandbox = RT_SANDBOX_OFF;
	spec.silence_ms = EVENT_MS; /* in a sanitizer build the child first writes a report */
	assert_int_equal(verify("open-file", &output), RT_OK);
	assert_int_equal(output.spf.code, EDS_SPF_TEMPERROR);
	assert_string_equal(output.spf.reason_code, "verifier-crashed");
}

/* Each child reports its level of confinement itself, before it reads the message. */
static void no_result_of_an_unconfined_child_is_believed(void **state)
{
	struct eds_verify_output output;
	char path[CARELESS_PATH_MAX];

	(void)state;
	write_careless(path, hostile_path);
	spec.path = path;
	spec.sandbox = RT_SANDBOX_REQUIRED;
	assert_int_equal(verify("honest", &output), RT_TEMPORARY);
	assert_string_equal(ctx.failure.code, "sandbox-unavailable");
	eds_helper_end(EDS_HELPER_VERIFIER);
	unlink(path);
}

/* The helper claims a level for its children, but each child also reports its own, and a lower one
 * is refused. */
static void a_child_below_the_level_of_its_helper_is_not_believed(void **state)
{
	struct eds_verify_output output;
	char program[sizeof hostile_path + sizeof " --overclaim"];
	char path[CARELESS_PATH_MAX];

	(void)state;
	snprintf(program, sizeof program, "%s --overclaim", hostile_path);
	write_careless(path, program);
	spec.path = path;
	spec.sandbox = RT_SANDBOX_FILTER;
	assert_int_equal(verify("honest", &output), RT_INTERNAL);
	assert_string_equal(ctx.failure.code, "sandbox-unavailable");
	eds_helper_end(EDS_HELPER_VERIFIER);
	unlink(path);
}

/* A configuration that was neither read nor set requires confinement. */
static void confinement_is_required_unless_a_setting_says_otherwise(void **state)
{
	struct eds_verify_output output;

	(void)state;
	spec = (struct eds_helper_spec){.path = hostile_path, .silence_ms = SILENCE_MS};
	assert_int_equal(verify("open-file", &output), RT_INTERNAL);
	assert_string_equal(ctx.failure.code, "sandbox-violation");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_child_that_exits_early_is_a_finding),
		TEST(without_the_program_the_event_fails_temporarily),
		TEST(a_hanging_child_is_killed),
		TEST(the_parent_sleeps_while_a_child_is_silent),
		TEST(a_child_that_does_not_exit_is_killed),
		TEST(the_deadline_of_the_event_ends_a_child),
		TEST(the_deadline_ends_a_wait_for_dns),
		TEST(a_slow_answer_does_not_count_as_silence),
		TEST(a_flood_of_questions_is_cut_off),
		TEST(impossible_results_are_findings),
		TEST(impossible_results_about_signatures_are_findings),
		TEST(a_repeated_result_does_not_replace_the_first),
		TEST(without_confinement_a_forbidden_call_is_not_stopped),
		TEST(no_result_of_an_unconfined_child_is_believed),
		TEST(a_child_below_the_level_of_its_helper_is_not_believed),
	};
	const struct CMUnitTest confined_tests[] = {
		TEST(a_crash_is_a_finding_and_earlier_results_are_kept),
		TEST(signatures_are_still_checked_after_a_crash_in_spf),
		TEST(a_failed_assertion_is_a_crash_and_not_a_violation),
		TEST(memory_is_limited),
		TEST(a_forbidden_call_is_a_violation),
		TEST(confinement_is_required_unless_a_setting_says_otherwise),
	};

	int failed;

	find_helpers();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (confined)
		failed += cmocka_run_group_tests(confined_tests, NULL, NULL);
	return failed;
}
