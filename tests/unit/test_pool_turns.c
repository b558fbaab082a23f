/* Which event a pool takes next, and which must wait or give way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/host/pool/pool-turns.h"

static struct pool_turns turns;

static int eight_places(void **state)
{
	(void)state;
	pool_turns_init(&turns, 8);
	return 0;
}

static void push_of(uint64_t sender, int number, void *arg)
{
	struct pool_waiting *waiting = pool_waiting_new(
		&(struct pool_event){.text = "", .arg = arg});

	waiting->since_ms = number;
	pool_turns_push(&turns, sender, waiting);
}

static void push(uint64_t sender, int number)
{
	push_of(sender, number, NULL);
}

static int number_of(struct pool_waiting *waiting)
{
	int number = waiting != NULL ? (int)waiting->since_ms : 0;

	free(waiting);
	return number;
}

/* Takes the next event and returns its number; 0 when none may begin. */
static int begin(struct pool_sender **sender)
{
	struct pool_waiting *next = pool_turns_next(&turns);

	*sender = next != NULL ? pool_turns_begin(&turns, next) : NULL;
	return number_of(next);
}

static int begun_of(int *numbers, int max)
{
	struct pool_sender *sender;
	int count = 0;

	while (count < max && (numbers[count] = begin(&sender)) != 0)
		count++;
	return count;
}

static int none_left(void **state)
{
	(void)state;
	while (turns.count > 0)
		number_of(pool_turns_any(&turns));
	while (turns.first != NULL)
		pool_turns_end(&turns, turns.first);
	return 0;
}

static void a_senders_events_keep_their_order_and_take_half_of_the_places(void **state)
{
	int numbers[8];

	(void)state;
	for (int i = 1; i <= 8; i++)
		push(7, i);
	assert_int_equal(begun_of(numbers, 8), 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(numbers[i], i + 1);
	assert_null(pool_turns_begin_at_once(&turns, 7));
	assert_non_null(pool_turns_begin_at_once(&turns, 8));
}

static void senders_take_turns(void **state)
{
	int numbers[8];

	(void)state;
	for (int i = 1; i <= 5; i++)
		push(7, i);
	push(8, 11);
	push(9, 21);
	push(8, 12);
	assert_int_equal(begun_of(numbers, 5), 5);
	assert_int_equal(numbers[0], 1);
	assert_int_equal(numbers[1], 11);
	assert_int_equal(numbers[2], 21);
	assert_int_equal(numbers[3], 2);
	assert_int_equal(numbers[4], 12);
}

static void a_free_place_goes_to_a_waiting_event(void **state)
{
	struct pool_sender *first;
	int numbers[8];

	(void)state;
	push(7, 1);
	assert_int_equal(begin(&first), 1);
	for (int i = 2; i <= 6; i++)
		push(7, i);
	assert_int_equal(begun_of(numbers, 8), 3);
	pool_turns_end(&turns, first);
	assert_int_equal(begun_of(numbers, 8), 1);
	assert_int_equal(numbers[0], 5);
}

static void events_of_the_service_itself_are_not_counted(void **state)
{
	int numbers[16];

	(void)state;
	for (int i = 1; i <= 10; i++)
		push(0, i);
	assert_int_equal(begun_of(numbers, 16), 10);
	push(7, 11);
	assert_int_equal(begun_of(numbers, 16), 1);
}

static void a_single_place_goes_to_each_sender_in_turn(void **state)
{
	struct pool_sender *first;
	struct pool_sender *second;

	(void)state;
	pool_turns_init(&turns, 1);
	push(7, 1);
	push(7, 2);
	push(8, 11);
	assert_int_equal(begin(&first), 1);
	assert_int_equal(begin(&second), 0);
	pool_turns_end(&turns, first);
	assert_int_equal(begin(&first), 11);
	pool_turns_end(&turns, first);
	assert_int_equal(begin(&first), 2);
}

static void the_newest_event_of_the_sender_with_most_events_gives_way(void **state)
{
	(void)state;
	for (int i = 1; i <= 5; i++)
		push(7, i);
	for (int i = 11; i <= 13; i++)
		push(8, i);
	assert_int_equal(number_of(pool_turns_give_way(&turns, 9)), 5);
	assert_int_equal(number_of(pool_turns_give_way(&turns, 9)), 4);
	assert_int_equal(turns.count, 6);
	/* no sender has two events more than another */
	assert_null(pool_turns_give_way(&turns, 7));
	push(7, 6);
	assert_null(pool_turns_give_way(&turns, 7));
}

static void an_event_whose_sender_has_left_gives_way_before_all_others(void **state)
{
	static int args[4];
	int numbers[3];

	(void)state;
	for (int i = 1; i <= 3; i++)
		push_of(7, i, &args[i]);
	push(8, 11);
	pool_turns_sender_left(&turns, 8, &args[2]);
	assert_null(pool_turns_give_way(&turns, 7));
	pool_turns_sender_left(&turns, 9, &args[2]);
	pool_turns_sender_left(&turns, 7, &args[2]);
	pool_turns_sender_left(&turns, 7, &args[3]);
	assert_int_equal(turns.count, 4);
	/* an event of sender 7 also makes room for another one of sender 7 */
	assert_int_equal(number_of(pool_turns_give_way(&turns, 7)), 2);
	assert_int_equal(number_of(pool_turns_give_way(&turns, 9)), 3);
	assert_null(pool_turns_give_way(&turns, 7));
	push(7, 4);
	assert_int_equal(begun_of(numbers, 3), 3);
	assert_int_equal(numbers[0], 1);
	assert_int_equal(numbers[1], 11);
	assert_int_equal(numbers[2], 4);
}

static void the_last_event_of_a_sender_that_has_left_gives_way(void **state)
{
	static int arg;

	(void)state;
	push_of(7, 1, &arg);
	pool_turns_sender_left(&turns, 7, &arg);
	assert_int_equal(number_of(pool_turns_give_way(&turns, 7)), 1);
	assert_null(turns.first);
}

static void events_that_waited_too_long_are_found(void **state)
{
	(void)state;
	push(7, 30);
	push(8, 10);
	push(8, 40);
	assert_int_equal(number_of(pool_turns_expired(&turns, 11)), 10);
	assert_null(pool_turns_expired(&turns, 11));
	assert_int_equal(number_of(pool_turns_expired(&turns, 31)), 30);
	assert_int_equal(number_of(pool_turns_any(&turns)), 40);
	assert_null(turns.first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_senders_events_keep_their_order_and_take_half_of_the_places, eight_places,
			none_left),
		cmocka_unit_test_setup_teardown(senders_take_turns, eight_places, none_left),
		cmocka_unit_test_setup_teardown(
			a_free_place_goes_to_a_waiting_event, eight_places, none_left),
		cmocka_unit_test_setup_teardown(
			events_of_the_service_itself_are_not_counted, eight_places, none_left),
		cmocka_unit_test_setup_teardown(
			a_single_place_goes_to_each_sender_in_turn, eight_places, none_left),
		cmocka_unit_test_setup_teardown(
			the_newest_event_of_the_sender_with_most_events_gives_way, eight_places,
			none_left),
		cmocka_unit_test_setup_teardown(
			an_event_whose_sender_has_left_gives_way_before_all_others, eight_places,
			none_left),
		cmocka_unit_test_setup_teardown(the_last_event_of_a_sender_that_has_left_gives_way,
			eight_places, none_left),
		cmocka_unit_test_setup_teardown(
			events_that_waited_too_long_are_found, eight_places, none_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
