/* Verification of hostile bytes in a child that can do nothing else.
 *
 * A helper program (libexec/eds-verifier), executed with an empty environment, forks one child for
 * each message. The child has a seccomp filter, or only resource limits where the kernel allows no
 * filter (level.h, proof.h), and two descriptors: its socket and the message. It evaluates SPF
 * (libspf2) and DKIM (libopendkim), reads the message's parts, asks this process for DNS, and
 * reports results; this process validates each result. A child that dies, hangs or lies produces a
 * finding. With EDS_SANDBOX=off (sanitizers, valgrind) the same helper and protocol run without
 * filter and limits, so functions need not link the verifying libraries even then.
 */
#ifndef EDS_SANDBOX_H
#define EDS_SANDBOX_H

#include "functions/lib/dkim/dkim.h"
#include "functions/lib/shape/shape.h"
#include "functions/lib/spf/spf.h"

struct eds_verify_input {
	int message_fd; /* descriptor of the message, which the child maps */
	size_t message_bytes;
	int64_t received_at_ms; /* the time that x= and t= of signatures are compared with */
	struct rt_ip client;    /* address of the client; with family 0 SPF is skipped, and its
				 * result is none */
	const char *helo;       /* never NULL */
	const char *mail_from;  /* address in MAIL FROM; "" for <> */
	const char *receiver;   /* our host name, for %{r} */
	bool shape;             /* read the shape as well */
};

struct eds_verify_output {
	struct eds_spf_result spf;      /* result of MAIL FROM, or of HELO if MAIL FROM is <> */
	struct eds_spf_result spf_helo; /* result of the HELO identity, only for display */
	struct eds_dkim_result dkim;
	/* The shape; its "failure" is empty when the shape was not asked for. A failure here does
	 * not fail the event: when only the shape is still missing and a child violates its filter
	 * or cannot be started, `failure` is set, and the log has the reason. */
	struct eds_shape shape;
	const char *crash; /* the signal that ended a child, for our log and never shown to senders;
			    * "" if none */
};

/* Verifies a message. When a child dies, hangs, lies or is not done at the deadline, the check that
 * it was in gets a result with the reason: temperror for SPF, unchecked for the signatures. Another
 * child then does the checks after it. Fails with RT_INTERNAL "sandbox-violation" when the filter
 * killed the child (our bug; the event is retried), RT_TEMPORARY "sandbox-unavailable" when no
 * helper can be started, RT_INTERNAL "sandbox-unavailable" when the child is not confined. */
RT_MUST_USE rt_status eds_verify(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct eds_verify_input *input, struct eds_verify_output *output);

/* For rt_prepare(): starts the helper of this process before the first message
 * (eds_helper_prepare). */
void eds_sandbox_warm(void);

#endif
