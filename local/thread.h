/* Threads beside the event loop. */
#ifndef RUNNER_THREAD_H
#define RUNNER_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread with all signals blocked, because the event loop handles them. */
bool thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
