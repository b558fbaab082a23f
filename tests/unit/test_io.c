/* Writing whole texts to pipes that take them in pieces, while signals interrupt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/io.h"

enum {
	LENGTH = 64 * 1024,
	PIPE_BYTES = 4096,
	INTERRUPTED_READS = 8, /* reads before which the writer is interrupted */
	TICK_US = 500,
};

struct reader {
	int fd;
	char got[LENGTH + 1];
	size_t length;
};

static atomic_int ticks;

static void tick(int signal)
{
	(void)signal;
	atomic_fetch_add(&ticks, 1);
}

/* Reads slowly at first: the writer waits in a full pipe, where a signal cuts its write short. */
static void *read_slowly(void *arg)
{
	struct reader *reader = arg;
	ssize_t got = 1;

	for (int reads = 0; got > 0; reads++) {
		int seen = atomic_load(&ticks);

		while (reads < INTERRUPTED_READS && atomic_load(&ticks) < seen + 2)
			usleep(TICK_US);
		got = read(reader->fd, reader->got + reader->length,
			sizeof reader->got - reader->length);
		reader->length += got > 0 ? (size_t)got : 0;
	}
	return NULL;
}

/* Starts a reader that no signal interrupts. */
static pthread_t start_reading(struct reader *reader)
{
	pthread_t thread;
	sigset_t alarms;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarms, NULL);
	assert_int_equal(pthread_create(&thread, NULL, read_slowly, reader), 0);
	pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
	return thread;
}

static void set_ticks(suseconds_t us)
{
	struct itimerval timer = {{0, us}, {0, us}};
	struct sigaction action = {.sa_handler = tick};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static bool write_whole(int fd, char *text)
{
	return rt_write_all(fd, text, LENGTH);
}

static bool write_in_parts(int fd, char *text)
{
	struct iovec parts[] = {{text, 1}, {text, 0}, {text + 1, LENGTH / 2},
		{text + 1 + LENGTH / 2, 10}, {text + 11 + LENGTH / 2, LENGTH - LENGTH / 2 - 11}};

	return rt_write_parts(fd, parts, sizeof parts / sizeof parts[0]);
}

static void assert_arrives(bool (*writes)(int fd, char *text))
{
	struct reader *reader = calloc(1, sizeof *reader);
	char *text = malloc(LENGTH);
	pthread_t thread;
	int ends[2];

	for (size_t i = 0; i < LENGTH; i++)
		text[i] = (char)('a' + i % 23);
	assert_int_equal(pipe(ends), 0);
	fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
	reader->fd = ends[0];
	set_ticks(TICK_US);
	thread = start_reading(reader);
	assert_true(writes(ends[1], text));
	close(ends[1]);
	pthread_join(thread, NULL);
	set_ticks(0);
	close(ends[0]);
	assert_int_equal(reader->length, LENGTH);
	assert_memory_equal(reader->got, text, LENGTH);
	free(reader);
	free(text);
}

static void a_text_arrives_whole_though_signals_interrupt_its_writing(void **state)
{
	(void)state;
	assert_arrives(write_whole);
}

static void parts_arrive_whole_and_in_order_though_signals_interrupt_their_writing(void **state)
{
	(void)state;
	assert_arrives(write_in_parts);
}

static void a_pipe_that_nobody_reads_is_an_error(void **state)
{
	char text[LENGTH] = "";
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_false(write_whole(ends[1], text));
	assert_false(write_in_parts(ends[1], text));
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_arrives_whole_though_signals_interrupt_its_writing),
		cmocka_unit_test(
			parts_arrive_whole_and_in_order_though_signals_interrupt_their_writing),
		cmocka_unit_test(a_pipe_that_nobody_reads_is_an_error),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
