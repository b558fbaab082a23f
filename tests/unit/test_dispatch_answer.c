/* The dispatch reads the functions' answers about mail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <string.h>

#include "local/dispatch/dispatch-answer.h"

static void answers_about_a_recipient_are_checked(void **state)
{
	static const struct {
		enum pool_outcome outcome;
		const char *text;
		enum accept_answer expected;
	} cases[] = {
		{POOL_ANSWERED, "{\"accept\":true,\"function\":\"tester\"}", ACCEPT_TAKEN},
		{POOL_ANSWERED, "{\"accept\":false,\"reason\":\"r\"}", ACCEPT_REFUSED},
		{POOL_ANSWERED, "{\"accept\":false,\"function\":\"tester\"}", ACCEPT_REFUSED},
		{POOL_ANSWERED, "{\"accept\":true}", ACCEPT_FAILED},
		{POOL_ANSWERED, "{\"accept\":true,\"function\":\"reports\"}", ACCEPT_FAILED},
		{POOL_ANSWERED, "{\"accept\":true,\"function\":\"none\"}", ACCEPT_FAILED},
		{POOL_ANSWERED, "{\"accept\":\"yes\",\"function\":\"tester\"}", ACCEPT_FAILED},
		{POOL_ANSWERED, "{\"accept\":true,\"function\":\"tester\",\"errorType\":\"E\"}",
			ACCEPT_FAILED},
		{POOL_ANSWERED, "{}", ACCEPT_FAILED},
		{POOL_BUSY, NULL, ACCEPT_FAILED},
		{POOL_CRASHED, NULL, ACCEPT_FAILED},
		{POOL_TIMED_OUT, NULL, ACCEPT_FAILED},
		{POOL_ABSENT, NULL, ACCEPT_FAILED},
	};
	static struct manifest manifest = {.count = 2};

	(void)state;
	manifest.functions[0].name = "tester";
	manifest.functions[0].mail = true;
	manifest.functions[1].name = "reports"; /* a function that takes no mail */
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct accept_result result;

		dispatch_read_accept(&manifest, cases[i].outcome, cases[i].text,
			cases[i].text != NULL ? strlen(cases[i].text) : 0, &result);
		if (result.answer != cases[i].expected)
			fail_msg("case %zu: %d", i, result.answer);
	}
}

static void mail_waits_for_what_does_not_work_and_fails_by_its_own_fault(void **state)
{
	static const struct {
		enum pool_outcome outcome;
		const char *text;
		enum dispatch_verdict expected;
		const char *reason;
	} cases[] = {
		{POOL_ANSWERED, "{}", DISPATCH_DEALT_WITH, ""},
		{POOL_ANSWERED, "{\"errorType\":\"temporary.x\",\"errorMessage\":\"m\"}",
			DISPATCH_NOT_NOW, "temporary.x: m"},
		{POOL_ANSWERED, "{\"errorType\":\"internal.x\"}", DISPATCH_FAILED,
			"internal.x: no message"},
		{POOL_ABSENT, NULL, DISPATCH_NOT_NOW, "the function's program cannot be started"},
		{POOL_CRASHED, NULL, DISPATCH_FAILED, "the function ended without an answer"},
		{POOL_TIMED_OUT, NULL, DISPATCH_FAILED, "the function did not answer in time"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char reason[DISPATCH_REASON_MAX] = "";

		assert_int_equal(dispatch_judge(cases[i].outcome, cases[i].text,
					 cases[i].text != NULL ? strlen(cases[i].text) : 0, reason),
			cases[i].expected);
		if (cases[i].expected != DISPATCH_DEALT_WITH)
			assert_string_equal(reason, cases[i].reason);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_about_a_recipient_are_checked),
		cmocka_unit_test(mail_waits_for_what_does_not_work_and_fails_by_its_own_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
