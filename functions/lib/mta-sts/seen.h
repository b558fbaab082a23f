/* The results of one check of a domain's MTA-STS (RFC 8461), with the faults that the check found.
 *
 * errors, in addition to those of record.h and policy.h:
 *     host-missing              mta-sts.DOMAIN does not exist
 *     host-alias-dangling       mta-sts.DOMAIN is an alias to a name that does not exist
 *     host-no-address           mta-sts.DOMAIN has neither A nor AAAA
 *     host-address-forbidden    mta-sts.DOMAIN has only private or reserved addresses, which no
 *                               sender can reach
 *     host-temporary            DNS gave no answer for mta-sts.DOMAIN
 *     fetch-refused             the host refuses connections to port 443
 *     fetch-unreachable         the host cannot be reached, or breaks the connection
 *     fetch-timeout             no connection or no complete answer in time
 *     fetch-tls                 the TLS handshake failed
 *     fetch-tls-refused         the host has no certificate for the name
 *     fetch-certificate-time    the certificate has expired or is not valid yet
 *     fetch-certificate-name    the certificate does not name mta-sts.DOMAIN
 *     fetch-certificate-untrusted  senders do not trust the certificate
 *     fetch-redirect            the answer is a redirect (section 3.3: not to be followed)
 *     fetch-status              the answer has an HTTP status other than 200
 *     fetch-media-type          the answer is not text/plain
 *     fetch-encoding            the answer is compressed, though this was not requested
 *     fetch-protocol            the answer is not HTTP
 *     fetch-failed              the fetch failed for a reason on our side
 *     policy-mode-differs       the served policy has another mode than the configuration
 *     policy-max-age-differs    the served policy has another max_age
 *     policy-mx-differs         the served policy has other patterns
 *     mx-uncovered              a mail server of the domain is covered by no pattern
 *     mx-temporary              the mode is enforce, and DNS gave no answer for the MX
 */
#ifndef EDS_MTA_STS_SEEN_H
#define EDS_MTA_STS_SEEN_H

#include "functions/lib/fetch/certificate.h"
#include "functions/lib/mta-sts/policy.h"
#include "functions/lib/mta-sts/record.h"

enum {
	EDS_MTA_STS_MX_MAX = 20, /* maximum number of mail servers of a domain; further ones are
				  * ignored */
};

/* Where the CNAME at mta-sts.DOMAIN points to. */
enum eds_mta_sts_alias {
	EDS_ALIAS_UNKNOWN,
	EDS_ALIAS_NONE,
	EDS_ALIAS_RIGHT, /* the CNAME points to EDS_POLICY_HOST */
	EDS_ALIAS_OTHER,
};

enum eds_starttls {
	EDS_STARTTLS_UNKNOWN, /* the server was not probed or not reached, or it refused the
			       * session, so that its STARTTLS is not known */
	EDS_STARTTLS_YES,     /* the server offers STARTTLS with a valid certificate that names
			       * it */
	EDS_STARTTLS_NO,
};

struct eds_mta_sts_mx {
	const char *host; /* name of the server, in lower case */
	enum eds_starttls starttls;
	const char *reason;    /* a sentence that explains NO and UNKNOWN; "" for YES */
	int64_t checked_at_ms; /* time of the result; 0 when the server must be probed again at the
				* next check */
	struct eds_certificate certificate;
};

enum eds_mx_state {
	EDS_MX_UNKNOWN, /* DNS was not asked for the MX records, or failed */
	EDS_MX_FOUND,
	EDS_MX_IMPLICIT, /* no MX record: the domain itself is the mail server (RFC 5321 section
			  * 5.1) */
	EDS_MX_NULL,     /* a null MX: the domain accepts no mail (RFC 7505) */
};

struct eds_mta_sts_seen {
	bool temporary; /* DNS or this service failed temporarily, so the verdict is incomplete */
	/* The policy was not fetched, because no place at an address of its server became free, or
	 * the account has used up its connections to such an address (addresses.h). It may be
	 * fetched after this pause. 0: the fetch was not postponed. */
	int64_t postponed_ms;
	const char *dns_id;
	bool policy_fetched;
	enum eds_policy_mode mode; /* mode of the fetched policy */
	int64_t max_age_s;         /* max_age of the fetched policy; -1 when missing or invalid */
	struct eds_findings errors;
	struct eds_findings warnings; /* the warnings of policy.h */
	enum eds_mta_sts_alias alias;
	const char *alias_target;           /* target of the CNAME at mta-sts.DOMAIN; "" if none */
	struct eds_certificate certificate; /* the policy host's certificate */
	enum eds_tlsrpt tlsrpt;
	enum eds_mx_state mx_state;
	struct eds_mta_sts_mx mx[EDS_MTA_STS_MX_MAX];
	size_t mx_count;
};

#endif
