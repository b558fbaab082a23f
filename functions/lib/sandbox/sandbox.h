/* Verification of hostile bytes in a child that can do nothing else.
 *
 * A helper program (libexec/eds-verifier), executed with an empty environment, forks one child for
 * each message; the child has a seccomp filter, rlimits, and two descriptors: its socket and the
 * message. It evaluates SPF (libspf2) and DKIM (libopendkim), asks this process for DNS, and
 * reports results, each of which is validated here. When it dies, hangs or lies, that is a finding.
 * With EDS_SANDBOX=off (sanitizers, valgrind) it is the same helper and the same protocol without
 * filter and limits, so that no function links the verifying libraries.
 */
#ifndef EDS_SANDBOX_H
#define EDS_SANDBOX_H

#include "functions/lib/dkim/dkim.h"
#include "functions/lib/spf/spf.h"

struct eds_verify_input {
	int message_fd; /* to read from; mapped by the child */
	size_t message_bytes;
	int64_t received_at_ms; /* x= and t= are judged at this time */
	struct rt_ip client;    /* family 0: no SPF, its result is none */
	const char *helo;       /* never NULL */
	const char *mail_from;  /* "" for <> */
	const char *receiver;   /* our host name, for %{r} */
};

struct eds_verify_output {
	struct eds_spf_result spf;      /* of MAIL FROM, or HELO with <> */
	struct eds_spf_result spf_helo; /* of the HELO identity, for evidence */
	struct eds_dkim_result dkim;
};

/* A dead child, or one that is not done at the deadline, yields SPF temperror and unchecked
 * signatures with the reason. RT_INTERNAL "sandbox-violation" (the child was killed by its filter:
 * our bug, retried) or "sandbox-unavailable" (no helper can be started, or the kernel has no
 * filter). */
RT_MUST_USE rt_status eds_verify(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct eds_verify_input *input, struct eds_verify_output *output);

/* Starts the helper of this process ahead of the first message. */
void eds_sandbox_warm(struct rt_ctx *ctx);

#endif
