/* The limit of open files that the runner begins with. */
#include "local/serve/descriptors.h"
#include "tests/support/test-event.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The soft limit after the raise; in a child, because a hard limit cannot be raised again. */
static int raised_from(rlim_t soft, rlim_t hard)
{
	struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
			_exit(1);
		descriptors_raise();
		getrlimit(RLIMIT_NOFILE, &limit);
		_exit(limit.rlim_max == hard ? (int)(limit.rlim_cur / 64) : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status) * 64;
}

static void a_low_limit_is_raised_to_8192_files(void **state)
{
	(void)state;
	assert_int_equal(raised_from(1024, 10240), 8192);
	assert_int_equal(raised_from(1024, 8192), 8192);
}

static void a_limit_is_raised_no_further_than_the_machine_allows(void **state)
{
	(void)state;
	assert_int_equal(raised_from(1024, 4096), 4096);
}

static void a_higher_limit_stays(void **state)
{
	(void)state;
	assert_int_equal(raised_from(9216, 10240), 9216);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_low_limit_is_raised_to_8192_files),
		TEST(a_limit_is_raised_no_further_than_the_machine_allows),
		TEST(a_higher_limit_stays),
	};

	return cmocka_run_group_tests_name("descriptors", tests, NULL, NULL);
}
