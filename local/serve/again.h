/* Starts the runner's program again in the same process, with the arguments, settings and passed
 * sockets (listen-passed.h) of the first start. */
#ifndef RUNNER_AGAIN_H
#define RUNNER_AGAIN_H

/* Remembers how the runner was started. Must be called before arguments and environment are
 * changed. */
void again_remember(int argc, char **argv);

/* Executes the program again. Returns only when that fails, after printing an error on standard
 * error. */
void again_start(void);

#endif
