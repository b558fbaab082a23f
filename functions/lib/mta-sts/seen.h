/* The results of one check of a domain, with its faults (RFC 8461).
 *
 * errors, in addition to those of record.h and policy.h:
 *     host-missing              mta-sts.DOMAIN does not exist
 *     host-alias-dangling       it is an alias to a name that does not exist
 *     host-no-address           it has neither A nor AAAA
 *     host-address-forbidden    only addresses that no sender can reach: private, reserved
 *     host-temporary            DNS gave no answer for it
 *     fetch-refused             it refuses connections to port 443
 *     fetch-unreachable         no connection, or it broke
 *     fetch-timeout             no connection or no complete answer in time
 *     fetch-tls                 the TLS handshake failed
 *     fetch-tls-refused         the host has no certificate for the name
 *     fetch-certificate-time    the certificate has expired or is not valid yet
 *     fetch-certificate-name    it does not name mta-sts.DOMAIN
 *     fetch-certificate-untrusted
 *     fetch-redirect            the answer is a redirect (section 3.3: not to be followed)
 *     fetch-status              an HTTP status other than 200
 *     fetch-media-type          not text/plain
 *     fetch-encoding            compressed, though not requested
 *     fetch-protocol            not HTTP
 *     fetch-failed              for a reason on our side
 *     policy-mode-differs       the served policy differs from the configuration:
 *     policy-max-age-differs    the mode, the max_age,
 *     policy-mx-differs         the patterns
 *     mx-uncovered              no pattern covers a live MX
 *     mx-temporary              mode enforce, and DNS gave no answer for the MX
 */
#ifndef EDS_MTA_STS_SEEN_H
#define EDS_MTA_STS_SEEN_H

#include "functions/lib/fetch/certificate.h"
#include "functions/lib/mta-sts/policy.h"
#include "functions/lib/mta-sts/record.h"

enum {
	EDS_MTA_STS_MX_MAX = 20, /* of a domain; further ones are ignored */
};

/* The CNAME at mta-sts.DOMAIN. */
enum eds_mta_sts_alias {
	EDS_ALIAS_UNKNOWN,
	EDS_ALIAS_NONE,
	EDS_ALIAS_RIGHT, /* points to EDS_POLICY_HOST */
	EDS_ALIAS_OTHER,
};

enum eds_starttls {
	EDS_STARTTLS_UNKNOWN, /* not probed, or port 25 is closed to this machine */
	EDS_STARTTLS_YES,     /* with a certificate that is valid and names the host */
	EDS_STARTTLS_NO,
};

struct eds_mta_sts_mx {
	const char *host; /* lower case */
	enum eds_starttls starttls;
	const char *reason;    /* for NO and UNKNOWN, a sentence; "" for YES */
	int64_t checked_at_ms; /* 0: not probed */
	struct eds_certificate certificate;
};

enum eds_mx_state {
	EDS_MX_UNKNOWN, /* not asked, or DNS failed */
	EDS_MX_FOUND,
	EDS_MX_IMPLICIT, /* none published: the domain itself is the server (RFC 5321 section 5.1)
			  */
	EDS_MX_NULL,     /* RFC 7505: the domain accepts no mail */
};

struct eds_mta_sts_seen {
	bool temporary; /* DNS or this service failed temporarily, so the verdict is incomplete */
	/* The policy was not fetched, because too many connections lead to its address; it may be
	 * after this pause. 0: it was not postponed. */
	int64_t postponed_ms;
	const char *dns_id;
	bool policy_fetched;
	enum eds_policy_mode mode; /* of the fetched policy */
	int64_t max_age_s;         /* of the fetched policy, -1 unknown */
	struct eds_findings errors;
	struct eds_findings warnings; /* of the policy file */
	enum eds_mta_sts_alias alias;
	const char *alias_target;           /* "" if none */
	struct eds_certificate certificate; /* of the policy host */
	enum eds_tlsrpt tlsrpt;
	enum eds_mx_state mx_state;
	struct eds_mta_sts_mx mx[EDS_MTA_STS_MX_MAX];
	size_t mx_count;
};

#endif
