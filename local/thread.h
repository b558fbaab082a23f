/* Threads beside the event loop. */
#ifndef RUNNER_THREAD_H
#define RUNNER_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread in which all signals are blocked, because the event loop handles them; false on
 * failure. */
bool thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
