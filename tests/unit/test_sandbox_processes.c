/* The processes of the sandbox: the rights and descriptors of the helper and its children. No
 * process is left behind. */
#include "runtime/time.h"
#include "tests/unit/sandbox_fixture.h"

/* The children of this process. */
static size_t children_of(pid_t parent, pid_t pids[PROCESSES_MAX])
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	size_t count = 0;

	while ((entry = readdir(folder)) != NULL && count < PROCESSES_MAX) {
		char path[300];
		int pid;
		int its_parent;
		FILE *file;

		snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
		file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
		if (file == NULL)
			continue;
		if (fscanf(file, "%d (%*[^)]) %*c %d", &pid, &its_parent) == 2 &&
			its_parent == parent)
			pids[count++] = pid;
		fclose(file);
	}
	closedir(folder);
	return count;
}

static size_t open_descriptors(pid_t pid, char *list, size_t size)
{
	char path[64];
	DIR *folder;
	struct dirent *entry;
	size_t count = 0;

	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	folder = opendir(path);
	list[0] = '\0';
	while (folder != NULL && (entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		count++;
		snprintf(list + strlen(list), size - strlen(list), "%s ", entry->d_name);
	}
	if (folder != NULL)
		closedir(folder);
	return count;
}

static pid_t only_child_of(pid_t parent)
{
	pid_t pids[PROCESSES_MAX];

	assert_int_equal(children_of(parent, pids), 1);
	return pids[0];
}

static pid_t helper_pid(void)
{
	return only_child_of(getpid());
}

static void a_missing_helper_is_reported(void **state)
{
	struct eds_verify_output output;

	(void)state;
	spec.path = "/nowhere/eds-verifier";
	assert_int_equal(verify("honest", &output), RT_TEMPORARY);
	assert_string_equal(ctx.failure.code, "sandbox-unavailable");
	assert_string_equal(ctx.failure.detail,
		"the program for the verification could not be started "
		"(eds-verifier, No such file or directory)");
}

static void a_program_that_is_not_a_helper_is_reported(void **state)
{
	struct eds_verify_output output;

	(void)state;
	spec.path = "/bin/true";
	assert_int_equal(verify("honest", &output), RT_TEMPORARY);
	assert_string_equal(ctx.failure.code, "sandbox-unavailable");
}

static void a_killed_helper_is_replaced(void **state)
{
	pid_t first;

	(void)state;
	assert_unharmed();
	first = helper_pid();
	kill(first, SIGKILL);
	assert_unharmed();
	assert_int_not_equal(helper_pid(), first);
}

static void kill_helper(struct eds_dns *self)
{
	self->watch = NULL;
	kill(helper_pid(), SIGKILL);
}

static void a_helper_killed_during_a_message_is_replaced(void **state)
{
	struct eds_verify_output output;

	(void)state;
	dns.watch = kill_helper;
	assert_int_equal(verify("ask", &output), RT_OK);
	assert_string_equal(output.dkim.failure, "answered");
}

static void look_at_child(struct eds_dns *self)
{
	char descriptors[128];
	pid_t child = only_child_of(helper_pid());
	char path[64];
	char octet;
	FILE *environment;

	snprintf(path, sizeof path, "/proc/%d/environ", (int)child);
	environment = fopen(path, "r");
	assert_non_null(environment);
	assert_int_equal(fread(&octet, 1, 1, environment), 0);
	fclose(environment);
	open_descriptors(child, descriptors, sizeof descriptors);
	snprintf(self->seen, sizeof self->seen, "%s", descriptors);
}

static void a_child_has_two_descriptors_and_no_environment(void **state)
{
	struct eds_verify_output output;

	(void)state;
	setenv("EDS_SECRET", "not for children", 1);
	dns.watch = look_at_child;
	assert_int_equal(verify("ask", &output), RT_OK);
	assert_string_equal(dns.seen, "3 4 ");
}

static void the_helper_has_one_descriptor(void **state)
{
	char descriptors[128];

	(void)state;
	assert_unharmed();
	open_descriptors(helper_pid(), descriptors, sizeof descriptors);
	assert_string_equal(descriptors, "3 ");
}

static void a_thousand_messages_leave_nothing_behind(void **state)
{
	static const char *const behaviors[] = {"honest", "crash", "ask", "leave"};
	pid_t pids[PROCESSES_MAX];
	char list[1024];
	size_t before;
	pid_t helper;

	(void)state;
	assert_unharmed();
	helper = helper_pid();
	before = open_descriptors(getpid(), list, sizeof list);
	for (int i = 0; i < MESSAGES; i++) {
		struct eds_verify_output output;

		ctx.deadline_ms = rt_monotonic_ms() + EVENT_MS;
		assert_int_equal(verify(behaviors[i % 4], &output), RT_OK);
		rt_arena_reset(ctx.arena);
	}
	assert_int_equal(open_descriptors(getpid(), list, sizeof list), before);
	assert_int_equal(helper_pid(), helper);
	assert_int_equal(children_of(helper, pids), 0);
	assert_int_equal(open_descriptors(helper, list, sizeof list), 1);
}

static bool gone_within(pid_t pid, int ms)
{
	for (int i = 0; i < ms; i++) {
		if (kill(pid, 0) != 0)
			return true;
		usleep(1000);
	}
	return false;
}

/* A process that starts a helper with a child, prints their ids, and dies. */
static void say_processes_and_die(struct eds_dns *self)
{
	pid_t pids[2] = {helper_pid(), only_child_of(helper_pid())};

	assert_int_equal(write(self->report, pids, sizeof pids), sizeof pids);
	kill(getpid(), SIGKILL);
}

static void helper_and_child_end_with_their_function(void **state)
{
	pid_t pids[2] = {0, 0};
	int report[2];
	pid_t function;

	(void)state;
	assert_int_equal(pipe(report), 0);
	function = fork();
	if (function == 0) {
		struct eds_verify_output output;

		dns.watch = say_processes_and_die;
		dns.report = report[1];
		(void)!verify("ask", &output);
		_exit(1);
	}
	close(report[1]);
	assert_int_equal(read(report[0], pids, sizeof pids), sizeof pids);
	waitpid(function, NULL, 0);
	close(report[0]);
	assert_true(gone_within(pids[0], 2000));
	assert_true(gone_within(pids[1], 2000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_missing_helper_is_reported),
		TEST(a_program_that_is_not_a_helper_is_reported),
		TEST(a_killed_helper_is_replaced),
		TEST(a_helper_killed_during_a_message_is_replaced),
		TEST(helper_and_child_end_with_their_function),
	};
	const struct CMUnitTest confined_tests[] = {
		TEST(a_child_has_two_descriptors_and_no_environment),
		TEST(the_helper_has_one_descriptor),
		TEST(a_thousand_messages_leave_nothing_behind),
	};

	int failed;

	find_helpers();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	/* only root may look into the /proc files of confined processes */
	if (confined && getuid() == 0)
		failed += cmocka_run_group_tests(confined_tests, NULL, NULL);
	return failed;
}
