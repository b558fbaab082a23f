/* Making the folder of the spool. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h requires the four headers above. */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "local/spool/spool-folder.h"

enum { USER = 61043 };

/* Makes the folder as a user other than root, who alone is bound by modes. */
static bool made_by_user(const char *folder)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(setresuid(USER, USER, USER) == 0 && spool_folder_make(folder) ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void the_spool_is_made_below_folders_that_its_user_may_pass_but_not_list(void **state)
{
	char passed[] = "/tmp/eds-spool-folder-XXXXXX";
	char own[sizeof passed + sizeof "/own"];
	char var[sizeof own + sizeof "/var"];
	char spool[sizeof var + sizeof "/mail.spool"];

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_non_null(mkdtemp(passed));
	assert_int_equal(chmod(passed, 0711), 0);
	snprintf(own, sizeof own, "%s/own", passed);
	snprintf(var, sizeof var, "%s/var", own);
	snprintf(spool, sizeof spool, "%s/mail.spool", var);
	assert_int_equal(mkdir(own, 0700), 0);
	assert_int_equal(chown(own, USER, USER), 0);
	assert_true(made_by_user(spool));
	assert_true(made_by_user(spool));
	assert_int_equal(rmdir(spool), 0);
	assert_int_equal(rmdir(var), 0);
	assert_int_equal(rmdir(own), 0);
	assert_int_equal(rmdir(passed), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_spool_is_made_below_folders_that_its_user_may_pass_but_not_list),
	};

	return cmocka_run_group_tests_name("the folder of the spool", tests, NULL, NULL);
}
