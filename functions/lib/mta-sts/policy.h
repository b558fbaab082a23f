/* A policy file (RFC 8461 section 3.2), read strictly, as https://mta-sts.DOMAIN serves it.
 *
 *     version: STSv1
 *     mode: enforce
 *     mx: mx1.example.com
 *     mx: *.example.net
 *     max_age: 604800
 *
 * Lines end with LF or CRLF. Unknown keys are ignored. When a key other than mx is repeated, its
 * first line counts. Senders ignore a policy with an error, as if there were no file.
 *
 * errors
 *     policy-too-large        over 65536 octets (section 3.3)
 *     policy-syntax           a line that is not "key: value"
 *     policy-version          version: is missing or not STSv1
 *     policy-mode             mode: is missing or not one of enforce, testing, none
 *     policy-max-age          max_age: is missing, not a number, or over 31557600
 *     policy-mx               the value of an mx: is neither a host name nor *. and a host name
 *     policy-mx-missing       there is no mx:, though the mode is not none
 * warnings
 *     policy-blank-line       empty lines at the end
 *     policy-key-repeated     a key other than mx appears twice
 *     policy-mx-repeated      the same mx: appears twice
 *     policy-mx-many          there are more than EDS_POLICY_MX_MAX different mx: lines
 *     policy-max-age-short    max_age: is under a day, so that senders soon forget the policy
 */
#ifndef EDS_MTA_STS_POLICY_H
#define EDS_MTA_STS_POLICY_H

#include "functions/lib/finding.h"
#include "functions/lib/mta-sts/mode.h"

enum {
	EDS_POLICY_BYTES_MAX = 64 * 1024,
	EDS_POLICY_MX_MAX = 500, /* maximum number of different mx: lines that are kept; further
				  * ones are ignored */
	EDS_POLICY_MAX_AGE_S_MAX = 31557600,
	EDS_POLICY_DAY_S = 86400,
};

struct eds_policy {
	enum eds_policy_mode mode;
	int64_t max_age_s; /* max_age in seconds; -1 when missing or invalid */
	const char **mx;   /* the valid patterns, as written */
	size_t mx_count;
	struct eds_findings errors;
	struct eds_findings warnings;
};

/* Reads a policy file. Sets every readable value, even when there are errors. But a file that is
 * too large is not read at all. */
void eds_policy_read(
	struct rt_ctx *ctx, const char *text, size_t length, struct eds_policy *policy);

#endif
