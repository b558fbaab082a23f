/* A delivery is one mail or request with reports. It contains the reports that were read from the
 * mail or request, the sender of each report, and the data that the delivery's lines in the logs of
 * several domains have in common. */
#ifndef REPORTS_KEEP_H
#define REPORTS_KEEP_H

#include "functions/lib/reports/reader.h"
#include "functions/reports/intake/discover.h"
#include "functions/reports/line.h"

struct report_delivery {
	struct rt_ctx *ctx; /* context of the event */
	struct eds_store *store;
	struct eds_dns *dns;
	/* the mail; for a request only message_id and received_at_ms are set, and mail_from is
	 * "" */
	const struct rt_mail_event *mail;
	const char *way; /* how the delivery arrived, as in struct eds_report_origin */
	bool tls_alone;  /* true: only TLS reports are accepted */
	struct eds_reports reports;
	unsigned first; /* number of reports of the mail or file before the first of `reports` */
	const struct report_sender *senders[EDS_REPORTS_MAX]; /* sender of each report */
	/* stored form of each report; report_write_bodies() sets this member and the next three
	 * members */
	const char *bodies[EDS_REPORTS_MAX];
	const char *body_ids[EDS_REPORTS_MAX];
	struct eds_report_row_sum *sums[EDS_REPORTS_MAX];
	size_t sum_counts[EDS_REPORTS_MAX];
	const char *original;   /* the mail in base64; NULL: it is not stored */
	size_t original_length; /* octets of the mail */
	size_t lookups;         /* how many selectors may still be looked up in DNS */
};

/* Makes the stored form of each report that could be read, once for all logs. Everything in a
 * delivery is in ctx's memory. */
void report_write_bodies(struct rt_ctx *ctx, struct report_delivery *delivery);

/* Stores the delivery in one domain's log. *items, in ctx's memory: one item for each report, whose
 * member `added` says what was done, and one more item when further reports were not read. *count
 * is 0 when the domain was deleted meanwhile. */
RT_MUST_USE rt_status report_keep(struct rt_ctx *ctx, struct report_delivery *delivery,
	const struct eds_domain *domain, struct eds_report_item **items, size_t *count);

#endif
