/* The validator of this process: started at the first question, kept over events, started again
 * when it has ended, though not over and over. It ends by itself when this process does. */
#ifndef EDS_DNSSEC_PROCESS_H
#define EDS_DNSSEC_PROCESS_H

#include <stdbool.h>

/* False when there is none to be had, which the log tells once in a while: no such program, none
 * that proves to be confined, or one that ended a moment ago. Does nothing while it runs. */
bool eds_validator_start(void);

/* Of its socket; -1 while none runs. */
int eds_validator_fd(void);

/* Kills and reaps it. */
void eds_validator_end(void);

#endif
