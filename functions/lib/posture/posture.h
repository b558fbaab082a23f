/* The posture of a domain: everything about its mail that is visible in DNS. A look asks only DNS.
 * Of the domain's own servers it contacts only the name servers. The results of earlier probes of
 * the mail servers, by MTA-STS checks, are included when the question has them.
 *
 *     eds_posture_prefetch(ctx, dns, domain);            (all that can be asked at once)
 *     eds_posture_look(ctx, dns, &question, &posture);   (waits, and judges)
 *
 * Each subject has an item: the published records, and findings about them. A finding has the fact
 * (message), what to do about it (advice), and, where the right record is certain, the record to
 * publish: a new record, or the published record with one change that never makes it weaker. Codes
 * of findings are listed in infra/openapi.yaml.
 */
#ifndef EDS_POSTURE_H
#define EDS_POSTURE_H

#include "functions/lib/dns/dns.h"
#include "runtime/json.h"

enum {
	EDS_POSTURE_FINDINGS_MAX = 24, /* maximum number of findings of an item */
	EDS_POSTURE_RECORD_MAX = 8192, /* maximum number of octets that are shown of the published
					* records of an item */
	EDS_POSTURE_SELECTORS_MAX = 20,
};

/* The state of an item or a domain, in order from good to bad. */
enum eds_posture_state {
	EDS_POSTURE_OK,
	EDS_POSTURE_UNKNOWN, /* not known, for example because DNS gave no answer */
	EDS_POSTURE_WARNING,
	EDS_POSTURE_ERROR,
};

enum eds_posture_subject {
	EDS_POSTURE_ZONE,
	EDS_POSTURE_MX,
	EDS_POSTURE_SPF,
	EDS_POSTURE_DMARC,
	EDS_POSTURE_MTA_STS,
	EDS_POSTURE_TLS_RPT,
	EDS_POSTURE_DANE,
	EDS_POSTURE_CAA,
	EDS_POSTURE_BIMI,
	EDS_POSTURE_DNSSEC,
	EDS_POSTURE_SUBJECTS,
};

struct eds_posture_record { /* a record to publish; type is NULL if there is none */
	const char *name;
	const char *type;
	const char *value;
	const char *old; /* the published record that the new one replaces; NULL when the new one
			  * replaces none */
};

struct eds_posture_finding {
	enum eds_posture_state state; /* how bad the finding is; EDS_POSTURE_OK for information
				       * only */
	const char *code;
	const char *message;
	const char *advice; /* what to do about the finding; "" if there is nothing to do */
	struct eds_posture_record record;
};

struct eds_posture_item {
	enum eds_posture_state state; /* state of the worst finding; EDS_POSTURE_UNKNOWN, without
				       * findings, when the domain does not exist */
	const char *record;           /* the published records of the item, one per line; NULL if it
				       * has none */
	const char *published_at;     /* for DMARC and TLS-RPT, the name at which the record that
				       * applies is published; NULL if there is none, and for other
				       * items */
	struct eds_posture_finding findings[EDS_POSTURE_FINDINGS_MAX];
	size_t count;
	bool left_out;   /* the item is not part of the question, and is not shown */
	bool aside;      /* if the item is unknown, this service is the reason and not the domain,
			  * so the domain's state does not become unknown */
	bool postponed;  /* a name server was not asked, because the account has used up the
			  * questions to its address that are allowed in an hour */
	json_t *details; /* further facts as a JSON object; NULL for none */
};

struct eds_posture {
	enum eds_posture_state state; /* state of the worst item, each as eds_posture_item_counts()
				       * has it */
	struct eds_posture_item items[EDS_POSTURE_SUBJECTS];
	/* DKIM selectors that have a key, among the names that the domain's providers, or
	 * self-hosted software, use. The search takes place only if the question has
	 * finds_selectors set. */
	const char *selectors[EDS_POSTURE_SELECTORS_MAX];
	size_t selector_count;
	bool selectors_open; /* DNS did not answer a question of the search for selectors */
};

struct eds_dnssec;
struct eds_mta_sts_seen;
struct eds_address_hours;

struct eds_posture_question {
	const char *domain;         /* the domain to look at, normalized */
	const char *report_address; /* our address that reports should also go to; NULL for a domain
				       without an account */
	const char *report_url;     /* our URL for TLS reports over HTTPS; NULL when reports come
				     * by mail only, or for a domain without an account */
	const char *authority; /* the issuer of the policy host's certificates: "letsencrypt.org" */
	const char *account;   /* the account that the domain belongs to; NULL for none */
	const struct eds_address_hours *hours; /* the count, common to all processes, of the
						* account's questions to name servers
						* (address-hour.h); NULL: only those of this
						* process are counted */
	bool hosted;      /* the policy host serves, or is to serve, the domain's policy */
	bool validates;   /* the question includes DNSSEC */
	bool public_only; /* the result is for somebody without an account
			   * (eds_dns_public_only()) */
	bool finds_selectors;
	struct eds_dnssec *dnssec;              /* set by eds_looks_start() if validates is true;
						 * else NULL */
	const struct eds_mta_sts_seen *servers; /* the latest MTA-STS check: its probes of the mail
						 * servers, and the certificate of the policy host;
						 * NULL if none */
};

void eds_posture_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain);
void eds_posture_look(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct eds_posture_question *question, struct eds_posture *posture);

/* The state with which the item counts for the domain's state. */
enum eds_posture_state eds_posture_item_counts(const struct eds_posture_item *item);

#endif
