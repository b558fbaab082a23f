/* Dispatch: mail whose record in the spool becomes damaged or unreadable while it waits. */
#include "local/dispatch/dispatch.h"
#include "tests/unit/dispatch_fixture.h"

#include <fcntl.h>

#define BROKEN "{\"errorType\":\"internal.oops\",\"errorMessage\":\"because\"}"

/* Overwrites an octet of the message that was added last. */
static void spoil(const struct fixture *fixture)
{
	char path[192];
	int fd;

	snprintf(path, sizeof path, "%s/00000000000000000001.mail", fixture->spool_folder);
	fd = open(path, O_WRONLY);
	assert_int_equal(
		pwrite(fd, "!", 1, (off_t)(fixture->place.offset + fixture->place.length - 1)), 1);
	close(fd);
}

static void damaged_mail_is_never_sent_and_holds_up_no_other(void **state)
{
	struct fixture *fixture = *state;

	add_message(fixture, "id-1", "tester");
	run_until(fixture, 1);
	spoil(fixture);
	answer(0, POOL_ANSWERED, BROKEN); /* the next tries read the record again */
	RUN_UNTIL(fixture, dispatch_queued(fixture->dispatch) == 0);
	stays_at(fixture, 1);
	assert_true(exists(fixture, "spool/damaged"));
	assert_false(exists(fixture, "spool/failed/id-1.eml"));
	add_message(fixture, "id-2", "tester");
	run_until(fixture, 2);
	answer(1, POOL_ANSWERED, "{}");
	assert_int_equal(dispatch_queued(fixture->dispatch), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			damaged_mail_is_never_sent_and_holds_up_no_other, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
