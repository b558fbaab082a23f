/* The time that this machine needs to wake a process: an octet goes there and back through two
 * pipes.
 *
 *     pipe [RUNS]     microseconds a round trip
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	RUNS = 20000,
};

static void echo(int in, int out)
{
	char octet;

	while (read(in, &octet, 1) == 1 && write(out, &octet, 1) == 1)
		;
	_exit(0);
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
	long runs = argc > 1 ? atol(argv[1]) : RUNS;
	int there[2], back[2];
	char octet = 0;
	double began;

	if (pipe(there) != 0 || pipe(back) != 0)
		return 1;
	if (fork() == 0) {
		close(there[1]);
		echo(there[0], back[1]);
	}
	began = now_us();
	for (long i = 0; i < runs; i++)
		if (write(there[1], &octet, 1) != 1 || read(back[0], &octet, 1) != 1)
			return 1;
	printf("%.2f\n", (now_us() - began) / (double)runs);
	close(there[1]);
	wait(NULL);
	return 0;
}
