/* Listening sockets: their addresses, and those that a service manager passes. */
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/host/listen-passed.h"
#include "runtime/host/listen.h"
#include "tests/support/test-event.h"

enum {
	FIRST_FD = 3,
	SOCKETS = 3,
};

static struct sockaddr_in addresses[SOCKETS];

static void only_this_machine_reaches_a_loopback_address(void **state)
{
	(void)state;
	assert_true(listen_is_loopback("127.0.0.1:80"));
	assert_true(listen_is_loopback("127.8.9.10:80"));
	assert_true(listen_is_loopback("[::1]:80"));
	assert_false(listen_is_loopback("10.127.0.1:80"));
	assert_false(listen_is_loopback("0.0.0.0:80"));
	assert_false(listen_is_loopback("[::]:80"));
	assert_false(listen_is_loopback("[::2]:80"));
	assert_false(listen_is_loopback("localhost:80"));
}

static void an_address_needs_a_port(void **state)
{
	static const char *const none[] = {"127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
		"127.0.0.1:-1", "127.0.0.1:8 ", "[::1]", "::1:80", "[]:80", ":80", "[::1:80",
		"1111111111111111111111111111111111111111111111111111111111111111:80"};
	struct sockaddr_storage address;
	socklen_t length;

	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		assert_false(listen_parse(none[i], &address, &length));
	assert_true(listen_parse("127.0.0.1:0", &address, &length));
	assert_true(listen_parse("[::1]:65535", &address, &length));
	assert_int_equal(length, sizeof(struct sockaddr_in6));
}

/* Runs in a child process: puts sockets at the first descriptors that a service manager passes; the
 * last one does not listen. */
static void pass_sockets(pid_t pid, const char *count)
{
	int fds[SOCKETS];

	for (int i = 0; i < SOCKETS; i++) {
		struct sockaddr_in address = {.sin_family = AF_INET};
		socklen_t length = sizeof address;
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		bind(fd, (struct sockaddr *)&address, length);
		if (i < SOCKETS - 1)
			listen(fd, 1);
		getsockname(fd, (struct sockaddr *)&addresses[i], &length);
		fds[i] = fcntl(fd, F_DUPFD, 100);
		close(fd);
	}
	for (int i = 0; i < SOCKETS; i++)
		dup2(fds[i], FIRST_FD + i);
	setenv("LISTEN_PID", rt_printf(&test_event, "%d", (int)pid), 1);
	setenv("LISTEN_FDS", count, 1);
}

static int take(int i)
{
	return listen_passed_take((struct sockaddr *)&addresses[i], sizeof addresses[i]);
}

static bool is_dropped(int i)
{
	struct sockaddr_storage address;

	return listen_passed_drop(&address) &&
		memcmp(&address, &addresses[i], sizeof addresses[i]) == 0 &&
		fcntl(FIRST_FD + i, F_GETFD) < 0;
}

/* Runs the checks in a child process with passed sockets; returns the source line of the first
 * failed check, 0 for none. */
#define EXPECT(what)                                                                               \
	if (!(what))                                                                               \
	return __LINE__

static int run_taken_once(void)
{
	pass_sockets(getpid(), "3");
	EXPECT(take(1) == FIRST_FD + 1);
	EXPECT((fcntl(FIRST_FD + 1, F_GETFL) & O_NONBLOCK) != 0);
	EXPECT((fcntl(FIRST_FD + 1, F_GETFD) & FD_CLOEXEC) != 0);
	EXPECT(take(1) == -1);
	EXPECT(take(0) == FIRST_FD);
	return 0;
}

static int run_other_address(void)
{
	pass_sockets(getpid(), "3");
	addresses[0].sin_addr.s_addr = htonl(INADDR_ANY);
	EXPECT(take(0) == -1);
	EXPECT(take(2) == -1);
	EXPECT((fcntl(FIRST_FD, F_GETFD) & FD_CLOEXEC) != 0);
	return 0;
}

static int run_other_process(void)
{
	struct sockaddr_storage address;

	pass_sockets(getppid(), "3");
	EXPECT(take(0) == -1);
	EXPECT(!listen_passed_drop(&address));
	EXPECT((fcntl(FIRST_FD, F_GETFD) & FD_CLOEXEC) == 0);
	return 0;
}

static int run_count(void)
{
	pass_sockets(getpid(), "1");
	EXPECT(take(1) == -1);
	EXPECT((fcntl(FIRST_FD + 1, F_GETFD) & FD_CLOEXEC) == 0);
	EXPECT(take(0) == FIRST_FD);
	return 0;
}

static int run_no_count(void)
{
	pass_sockets(getpid(), "-1");
	EXPECT(take(0) == -1);
	return 0;
}

static int run_too_many(void)
{
	struct sockaddr_storage address;
	int dropped = 0;

	pass_sockets(getpid(), "1000000");
	EXPECT(take(0) == FIRST_FD);
	while (listen_passed_drop(&address))
		dropped++;
	EXPECT(dropped == 15);
	return 0;
}

static int run_dropped(void)
{
	struct sockaddr_storage address;

	pass_sockets(getpid(), "2");
	EXPECT(take(0) == FIRST_FD);
	EXPECT(is_dropped(1));
	EXPECT(!listen_passed_drop(&address));
	EXPECT(fcntl(FIRST_FD, F_GETFD) >= 0);
	EXPECT(take(1) == -1);
	return 0;
}

static int run_none_taken(void)
{
	struct sockaddr_storage address;

	pass_sockets(getpid(), "2");
	EXPECT(is_dropped(0));
	EXPECT(is_dropped(1));
	EXPECT(!listen_passed_drop(&address));
	return 0;
}

static int run_without_number(void)
{
	pass_sockets(getpid(), "1");
	unsetenv("LISTEN_FDS");
	EXPECT(take(0) == -1);
	return 0;
}

static void assert_passes(int (*run)(void))
{
	int told[2];
	int wrong = -1;
	pid_t child;

	assert_int_equal(pipe(told), 0);
	child = fork();
	if (child == 0) {
		int to = fcntl(told[1], F_DUPFD, 200);
		int line = run();

		_exit(write(to, &line, sizeof line) == (ssize_t)sizeof line ? 0 : 1);
	}
	close(told[1]);
	assert_int_equal(read(told[0], &wrong, sizeof wrong), sizeof wrong);
	close(told[0]);
	waitpid(child, NULL, 0);
	if (wrong != 0)
		fail_msg("line %d", wrong);
}

static void a_passed_socket_is_taken_once_by_its_address(void **state)
{
	(void)state;
	assert_passes(run_taken_once);
}

static void a_passed_socket_of_another_address_or_not_listening_is_not_taken(void **state)
{
	(void)state;
	assert_passes(run_other_address);
}

static void sockets_passed_to_another_process_are_left_alone(void **state)
{
	(void)state;
	assert_passes(run_other_process);
}

static void only_passed_descriptors_are_examined_and_sixteen_at_most(void **state)
{
	(void)state;
	assert_passes(run_count);
	assert_passes(run_no_count);
	assert_passes(run_without_number);
	assert_passes(run_too_many);
}

static void passed_sockets_that_nobody_took_are_closed_and_logged_once(void **state)
{
	(void)state;
	assert_passes(run_dropped);
	assert_passes(run_none_taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_this_machine_reaches_a_loopback_address),
		TEST(an_address_needs_a_port),
		TEST(a_passed_socket_is_taken_once_by_its_address),
		TEST(a_passed_socket_of_another_address_or_not_listening_is_not_taken),
		TEST(sockets_passed_to_another_process_are_left_alone),
		TEST(only_passed_descriptors_are_examined_and_sixteen_at_most),
		TEST(passed_sockets_that_nobody_took_are_closed_and_logged_once),
	};

	return cmocka_run_group_tests_name("host-listen", tests, NULL, NULL);
}
