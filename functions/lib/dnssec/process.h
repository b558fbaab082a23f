/* The validator of this process: started at the first question, kept across events, restarted after
 * a pause when it has ended. It ends by itself when this process does. */
#ifndef EDS_DNSSEC_PROCESS_H
#define EDS_DNSSEC_PROCESS_H

#include <stdbool.h>

/* Starts the validator unless it runs. False when it cannot start: for example, the program is
 * missing, or it does not prove that it is confined. The log reports each failed start. Also false,
 * without a try, for some seconds after the last validator ended or a start failed. */
bool eds_validator_start(void);

/* The descriptor of the socket to the validator; -1 while none runs. */
int eds_validator_fd(void);

/* Kills the validator and reaps it. */
void eds_validator_end(void);

#endif
