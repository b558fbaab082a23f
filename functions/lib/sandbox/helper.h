/* The helper processes of this process: each is started for the first message that needs it or
 * earlier (eds_helper_prepare), is kept across events, and is restarted when it has died. All
 * helpers end by themselves when this process ends. */
#ifndef EDS_SANDBOX_HELPER_H
#define EDS_SANDBOX_HELPER_H

#include "functions/lib/sandbox/serve.h"
#include "runtime/config/config.h"
#include "runtime/ctx.h"

/* The helpers. Each is a program of its own, linked only with the libraries that its work needs. */
enum eds_helper {
	EDS_HELPER_VERIFIER,      /* the program eds-verifier */
	EDS_HELPER_REPORT_READER, /* the program eds-report-reader */
	EDS_HELPERS,
};

struct eds_helper_spec {
	const char *path; /* path of the program; must remain valid */
	/* How the children of the program are confined; RT_SANDBOX_REQUIRED if not set. */
	enum rt_sandbox sandbox;
	int silence_ms; /* milliseconds after which a child counts as hung if it has sent neither a
			 * result nor a question */
};

/* The program in use. It lies beside this program, or in ../libexec relative to this program; it is
 * confined unless EDS_SANDBOX=off. NULL when the program is missing or this process has no right to
 * execute it; its path is then in the log.
 */
const struct eds_helper_spec *eds_helper_spec(enum eds_helper which);
/* For tests: uses another program from now on; NULL for the usual one. */
void eds_helper_use(enum eds_helper which, const struct eds_helper_spec *spec);

/* Starts the helper unless it runs. False when it cannot be started, or does not prove a sufficient
 * level of confinement. */
bool eds_helper_start(enum eds_helper which);
/* The program's name, and why it could not be executed at the last try: "eds-verifier, No such file
 * or directory". */
const char *eds_helper_reason(struct rt_ctx *ctx, enum eds_helper which);
/* The level that the running helper has proven; its children must report at least this level. */
enum eds_level eds_helper_level(enum eds_helper which);
/* For rt_prepare(): starts the helper before the first mail and logs its level. Does nothing with
 * EDS_SANDBOX=off. Ends the process with a message when no sufficient level is proven. A program
 * that cannot be started is reported later, by the first mail that needs it. */
void eds_helper_prepare(enum eds_helper which);
/* Tells the helper to fork a child with these two descriptors (the caller's copies stay open) and
 * to kill the child after time_ms. False when no helper can be reached. */
RT_MUST_USE bool eds_helper_run(enum eds_helper which, int data, int message, int time_ms);
/* Tells the helper to kill the child if it still runs. */
void eds_helper_stop_child(enum eds_helper which);
/* Waits until the helper reports how the child ended and how it was confined. False when no report
 * arrives within max_ms, or the helper died. */
RT_MUST_USE bool eds_helper_wait(
	enum eds_helper which, int max_ms, struct eds_helper_report *report);
/* Kills and reaps the helper; the next run starts a new one. */
void eds_helper_end(enum eds_helper which);

#endif
