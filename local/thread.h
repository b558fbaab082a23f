/* Threads beside the loop. */
#ifndef RUNNER_THREAD_H
#define RUNNER_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that gets no signals: they are the loop's. */
bool thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
