/* A delivery, one mail or request, on its way into the logs of domains: its reports from the
 * reader, the sender of each, and their lines.
 */
#ifndef REPORTS_KEEP_H
#define REPORTS_KEEP_H

#include "functions/lib/reports/reader.h"
#include "functions/reports/intake/discover.h"
#include "functions/reports/line.h"

struct report_delivery {
	struct rt_ctx *ctx; /* of the event */
	struct eds_store *store;
	struct eds_dns *dns;
	const struct rt_mail_event *mail; /* for a request only message_id and received_at_ms */
	const char *way;                  /* as in struct eds_report_origin */
	bool tls_alone;                   /* other kinds of reports are refused */
	struct eds_reports reports;
	unsigned first; /* number of reports before these in the mail or file */
	const struct report_sender *senders[EDS_REPORTS_MAX]; /* sender of each report */
	const char *bodies[EDS_REPORTS_MAX];                  /* set by report_write_bodies */
	const char *body_ids[EDS_REPORTS_MAX];
	struct eds_report_row_sum *sums[EDS_REPORTS_MAX];
	size_t sum_counts[EDS_REPORTS_MAX];
	const char *original;   /* base64 of the mail; NULL: not kept */
	size_t original_length; /* octets of the mail */
	size_t lookups;         /* remaining DNS lookups */
};

/* Writes the bodies of the reports, once for all logs; in ctx's memory, like all parts of a
 * delivery. */
void report_write_bodies(struct rt_ctx *ctx, struct report_delivery *delivery);

/* Stores the delivery in one domain's log. items: one for each report, with `added`, and one more
 * when reports were cut, in ctx's memory; *count is 0 when the domain was deleted meanwhile. */
RT_MUST_USE rt_status report_keep(struct rt_ctx *ctx, struct report_delivery *delivery,
	const struct eds_domain *domain, struct eds_report_item **items, size_t *count);

#endif
