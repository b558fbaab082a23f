/* How many descriptors the runner may have open: each connection and each handler needs some. */
#ifndef RUNNER_DESCRIPTORS_H
#define RUNNER_DESCRIPTORS_H

/* Raises the soft limit to what a busy service needs, as far as the hard one allows. */
void descriptors_raise(void);

#endif
