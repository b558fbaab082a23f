/* Verification of hostile bytes in a child that can do nothing else.
 *
 * A helper program (libexec/eds-verifier), executed with an empty environment, forks one child for
 * each message; the child has a seccomp filter, or where the kernel has none for us resource limits
 * alone (level.h, proof.h), and two descriptors: its socket and the message. It evaluates SPF
 * (libspf2) and DKIM (libopendkim), looks at the message's parts, asks this process for DNS, and
 * reports results, each of which is validated here. When it dies, hangs or lies, that is a finding.
 * With EDS_SANDBOX=off (sanitizers, valgrind) it is the same helper and the same protocol without
 * filter and limits, so that no function links the verifying libraries.
 */
#ifndef EDS_SANDBOX_H
#define EDS_SANDBOX_H

#include "functions/lib/dkim/dkim.h"
#include "functions/lib/shape/shape.h"
#include "functions/lib/spf/spf.h"

struct eds_verify_input {
	int message_fd; /* to read from; mapped by the child */
	size_t message_bytes;
	int64_t received_at_ms; /* x= and t= are judged at this time */
	struct rt_ip client;    /* family 0: no SPF, its result is none */
	const char *helo;       /* never NULL */
	const char *mail_from;  /* "" for <> */
	const char *receiver;   /* our host name, for %{r} */
	bool shape;             /* is wanted as well */
};

struct eds_verify_output {
	struct eds_spf_result spf;      /* of MAIL FROM, or HELO with <> */
	struct eds_spf_result spf_helo; /* of the HELO identity, for evidence */
	struct eds_dkim_result dkim;
	/* Without "failure" in it where it is not wanted. Its own end is not that of the event: a
	 * child that does there what it must not, or cannot be had for it alone, is a failure of
	 * the shape and logged. */
	struct eds_shape shape;
	const char *crash; /* "" or the signal that ended a child: for our log, not for strangers */
};

/* A dead child, or one that is not done at the deadline, yields SPF temperror and unchecked
 * signatures with the reason. RT_INTERNAL "sandbox-violation" (the child was killed by its filter:
 * our bug, retried); RT_TEMPORARY "sandbox-unavailable" (no helper can be started), RT_INTERNAL
 * when the child is not confined. */
RT_MUST_USE rt_status eds_verify(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct eds_verify_input *input, struct eds_verify_output *output);

/* For rt_prepare(): starts the helper of this process ahead of the first message
 * (eds_helper_prepare). */
void eds_sandbox_warm(void);

#endif
