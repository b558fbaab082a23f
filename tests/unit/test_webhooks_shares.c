/* How many rows each account may have in progress in a run of webhooks-deliver. */
#include "functions/webhooks/shares.h"
#include "tests/support/test-event.h"

enum { ROOM = 256 };

static size_t take_all(struct shares *shares, const char *account)
{
	size_t count = 0;

	while (shares_take(shares, account))
		count++;
	return count;
}

static void an_account_alone_gets_a_seventh_of_the_room(void **state)
{
	struct shares *shares = shares_new(&test_event, ROOM);

	(void)state;
	assert_int_equal(take_all(shares, "a"), 36);
	assert_int_equal(shares_held(shares), 36);
}

static void thirty_accounts_that_give_nothing_back_leave_room(void **state)
{
	struct shares *shares = shares_new(&test_event, ROOM);

	(void)state;
	for (int i = 0; i < 30; i++)
		assert_true(take_all(shares, rt_printf(&test_event, "account%d", i)) > 0);
	assert_true(shares_take(shares, "another"));
}

static void no_row_is_taken_beyond_the_room(void **state)
{
	struct shares *shares = shares_new(&test_event, 3);

	(void)state;
	assert_true(shares_take(shares, "a"));
	assert_true(shares_take(shares, "b"));
	assert_true(shares_take(shares, "c"));
	assert_false(shares_take(shares, "d"));
}

static void an_account_at_its_share_is_left_out_until_it_holds_less_than_half(void **state)
{
	struct shares *shares = shares_new(&test_event, ROOM);

	(void)state;
	assert_string_equal(shares_left_out(shares, &test_event), "");
	(void)take_all(shares, "a");
	(void)take_all(shares, "b");
	assert_string_equal(shares_left_out(shares, &test_event), "|b|a|");
	assert_false(shares_have_opened(shares));
	for (int i = 0; i < 19; i++)
		shares_give_back(shares, "a");
	assert_string_equal(shares_left_out(shares, &test_event), "|b|a|");
	shares_give_back(shares, "a");
	assert_true(shares_have_opened(shares));
	assert_string_equal(shares_left_out(shares, &test_event), "|b|");
	assert_false(shares_have_opened(shares));
}

static void an_account_whose_share_is_one_row_gets_another_when_it_is_done(void **state)
{
	struct shares *shares = shares_new(&test_event, 2);

	(void)state;
	assert_true(shares_take(shares, "a"));
	assert_string_equal(shares_left_out(shares, &test_event), "|a|");
	shares_give_back(shares, "a");
	assert_string_equal(shares_left_out(shares, &test_event), "");
	assert_true(shares_take(shares, "a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_account_alone_gets_a_seventh_of_the_room),
		TEST(thirty_accounts_that_give_nothing_back_leave_room),
		TEST(no_row_is_taken_beyond_the_room),
		TEST(an_account_at_its_share_is_left_out_until_it_holds_less_than_half),
		TEST(an_account_whose_share_is_one_row_gets_another_when_it_is_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
