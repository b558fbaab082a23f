/* The helper processes of this process: each started at the first message that needs it, kept over
 * events, started again when it died. They end by themselves when this process does. */
#ifndef EDS_SANDBOX_HELPER_H
#define EDS_SANDBOX_HELPER_H

#include "functions/lib/sandbox/serve.h"
#include "runtime/config/config.h"
#include "runtime/ctx.h"

/* One program in libexec each, with the libraries that its messages need and no other. */
enum eds_helper {
	EDS_HELPER_VERIFIER,      /* eds-verifier */
	EDS_HELPER_REPORT_READER, /* eds-report-reader */
	EDS_HELPERS,
};

struct eds_helper_spec {
	const char *path; /* of the program; must stay */
	/* How its children are confined; RT_SANDBOX_REQUIRED if not set. */
	enum rt_sandbox sandbox;
	int silence_ms; /* a child that neither reports nor asks for so long is hung */
};

/* What is used: the program beside this one, or in ../libexec seen from it, confined unless
 * EDS_SANDBOX=off. NULL when there is no such program. */
const struct eds_helper_spec *eds_helper_spec(enum eds_helper which);
/* Another one from now on, for tests; NULL for the usual one. */
void eds_helper_use(enum eds_helper which, const struct eds_helper_spec *spec);

/* False when it cannot be started, or proves no level of confinement that is strong enough. Does
 * nothing when it runs. */
bool eds_helper_start(enum eds_helper which);
/* The level that the running helper has proven, and which its children must say they have. */
enum eds_level eds_helper_level(enum eds_helper which);
/* For rt_prepare(): starts it ahead of the first mail and logs its level. Ends the process with a
 * sentence where no level is proven. A program that cannot be started is reported by the mail that
 * needs it. */
void eds_helper_prepare(enum eds_helper which);
/* Has it fork a child with these two descriptors (the caller's copies stay open), to be killed
 * after time_ms. False when there is no helper to ask. */
RT_MUST_USE bool eds_helper_run(enum eds_helper which, int data, int message, int time_ms);
/* Has the child killed, if it still runs. */
void eds_helper_stop_child(enum eds_helper which);
/* How the child ended, and was confined. False when it has not ended after max_ms, or the helper
 * died. */
RT_MUST_USE bool eds_helper_wait(
	enum eds_helper which, int max_ms, struct eds_helper_report *report);
/* Kills and reaps the helper; the next run starts another. */
void eds_helper_end(enum eds_helper which);

#endif
