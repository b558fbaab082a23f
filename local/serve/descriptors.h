/* Raises the number of descriptors that the runner may have open: each connection, and each process
 * of a function, needs some. */
#ifndef RUNNER_DESCRIPTORS_H
#define RUNNER_DESCRIPTORS_H

/* Raises the soft limit to what a busy service needs, or to the hard limit if that is lower. */
void descriptors_raise(void);

#endif
