/* What the world sees of a domain's mail in DNS: nothing else is asked here, no server of the
 * domain is spoken to. What its mail servers did when a check of MTA-STS asked them is told where
 * the question has it.
 *
 *     eds_posture_prefetch(ctx, dns, domain);            (all that can be asked at once)
 *     eds_posture_look(ctx, dns, &question, &posture);   (waits, and judges)
 *
 * Each subject is an item: what is published, and findings about it. A finding says what is so
 * (message), what to do (advice), and where that is certain the record to publish: the published
 * one with one change in it, never a weaker one. Codes of findings are listed in
 * infra/openapi.yaml.
 */
#ifndef EDS_POSTURE_H
#define EDS_POSTURE_H

#include "functions/lib/dns/dns.h"
#include "runtime/json.h"

enum {
	EDS_POSTURE_FINDINGS_MAX = 24, /* of an item */
	EDS_POSTURE_RECORD_MAX = 8192, /* octets shown of what an item's name publishes */
	EDS_POSTURE_SELECTORS_MAX = 20,
};

/* From good to bad. */
enum eds_posture_state {
	EDS_POSTURE_OK,
	EDS_POSTURE_UNKNOWN, /* DNS gave no answer now */
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

struct eds_posture_record { /* to publish; type NULL: none */
	const char *name;
	const char *type;
	const char *value;
	const char *old; /* the published one that it takes the place of; NULL: it is added */
};

struct eds_posture_finding {
	enum eds_posture_state state; /* EDS_POSTURE_OK: worth knowing */
	const char *code;
	const char *message;
	const char *advice; /* "" for none */
	struct eds_posture_record record;
};

struct eds_posture_item {
	enum eds_posture_state state; /* of its worst finding */
	const char *record;           /* as published, one a line; NULL for none */
	const char *published_at;     /* the name of the one record that counts; NULL for none */
	struct eds_posture_finding findings[EDS_POSTURE_FINDINGS_MAX];
	size_t count;
	bool left_out;   /* not asked about, and not shown */
	bool aside;      /* unknown for want of something of ours: the domain is not so for it */
	json_t *details; /* an object; NULL for none */
};

struct eds_posture {
	enum eds_posture_state state; /* of its worst item */
	struct eds_posture_item items[EDS_POSTURE_SUBJECTS];
	/* DKIM selectors with a key, under names that the domain's providers use; where the
	 * question wants them. */
	const char *selectors[EDS_POSTURE_SELECTORS_MAX];
	size_t selector_count;
};

struct eds_dnssec;
struct eds_mta_sts_seen;

struct eds_posture_question {
	const char *domain;         /* normalised */
	const char *report_address; /* reports shall come here too; NULL for nobody's domain */
	const char *report_url;     /* those about TLS over HTTPS as well; NULL: by mail alone */
	const char *authority;      /* issues the policy host's certificates: "letsencrypt.org" */
	bool hosted;    /* the policy host serves, or shall serve, the domain's policy */
	bool validates; /* DNSSEC is looked at, too */
	bool finds_selectors;
	struct eds_dnssec *dnssec; /* then, of the look; else NULL */
	const struct eds_mta_sts_seen
		*servers; /* what is known of its mail servers; NULL: nothing */
};

void eds_posture_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain);
void eds_posture_look(struct rt_ctx *ctx, struct eds_dns *dns,
	const struct eds_posture_question *question, struct eds_posture *posture);

/* What the item makes of the domain's state. */
enum eds_posture_state eds_posture_item_counts(const struct eds_posture_item *item);

#endif
