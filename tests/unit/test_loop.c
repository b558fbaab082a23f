/* The event loop of runner and bootstrap, with memory and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/host/loop.h"

static void on_event(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	++*(int *)arg;
}

static void a_loop_calls_back_for_its_events(void **state)
{
	struct event_base *base = loop_new();
	int calls = 0;
	struct event *event = event_new(base, -1, 0, on_event, &calls);

	(void)state;
	event_active(event, EV_TIMEOUT, 0);
	event_base_loop(base, EVLOOP_NONBLOCK);
	assert_int_equal(calls, 1);
	event_free(event);
	event_base_free(base);
}

#ifndef __SANITIZE_ADDRESS__ /* which needs terabytes of address space */
static void use_up_memory(void)
{
	const struct rlimit limit = {64 * 1024 * 1024, 64 * 1024 * 1024};
	struct event_base *base = loop_new();

	setrlimit(RLIMIT_AS, &limit);
	for (int i = 0; i < 1000 * 1000; i++)
		event_new(base, -1, 0, on_event, NULL);
}

static void a_process_without_memory_for_an_event_ends_with_71(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		use_up_memory();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 71);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_calls_back_for_its_events),
#ifndef __SANITIZE_ADDRESS__
		cmocka_unit_test(a_process_without_memory_for_an_event_ends_with_71),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
