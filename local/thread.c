#include "local/thread.h"

#include <signal.h>

bool thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	sigset_t all;
	sigset_t before;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(thread, NULL, run, arg) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}
