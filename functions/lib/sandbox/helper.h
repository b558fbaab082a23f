/* The helper process of this process (libexec/eds-verifier): started at the first message, kept
 * over events, started again when it died. It ends by itself when this process does. */
#ifndef EDS_SANDBOX_HELPER_H
#define EDS_SANDBOX_HELPER_H

#include "runtime/ctx.h"

struct eds_helper_spec {
	const char *path; /* of the program; must stay */
	bool confined;    /* filter and limits in the children */
	int silence_ms;   /* a child that neither reports nor asks for so long is hung */
};

/* What is used: the program beside this one, or in ../libexec seen from it, confined unless
 * EDS_SANDBOX=off. NULL when there is no such program. */
const struct eds_helper_spec *eds_helper_spec(void);
/* Another one from now on, for tests; NULL for the usual one. */
void eds_helper_use(const struct eds_helper_spec *spec);

/* False when it cannot be started. Does nothing when it runs. */
bool eds_helper_start(void);
/* Has it fork a child with these two descriptors (the caller's copies stay open), to be killed
 * after time_ms. False when there is no helper to ask. */
RT_MUST_USE bool eds_helper_run(int data, int message, int time_ms);
/* Has the child killed, if it still runs. */
void eds_helper_stop_child(void);
/* How the child ended (a wait status, -1 when none was forked). False when it has not ended after
 * max_ms, or the helper died. */
RT_MUST_USE bool eds_helper_wait(int max_ms, int *wait_status);
/* Kills and reaps the helper; the next run starts another. */
void eds_helper_end(void);

#endif
