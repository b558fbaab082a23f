/* The source addresses in those DMARC reports that count (report-add.h): each address with the
 * signing and sending domains of its mail, and with the name and other facts that DNS gave for it
 * when last asked. */
#ifndef EDS_STORE_REPORT_SOURCES_H
#define EDS_STORE_REPORT_SOURCES_H

#include "functions/lib/store/reports/report-sums.h"

#define EDS_SOURCE_NAME_KEPT_MS (INT64_C(30) * 24 * 3600 * 1000)

/* A blocklist's result for an address. */
#define EDS_SOURCE_LISTED 'l'
#define EDS_SOURCE_CLEAN 'c'
#define EDS_SOURCE_UNKNOWN '?'
#define EDS_SOURCE_NOT_ASKED '-'

/* Messages of a source with the same signing and sending domains. */
struct eds_report_source_auth {
	const char *auth; /* signing and sending domains, in the form of report-rows.h */
	int class;        /* an enum eds_report_class */
	int64_t messages;
};

struct eds_report_source {
	struct eds_report_sum sum; /* the source's sum, whose key is the address; "" if
				    * unreadable */
	const char *name;          /* name that resolves back to the address; "" if there is none,
				    * NULL if it was never looked up */
	int64_t ask_at_ms;         /* when to look up the name again */
	const char *network; /* network of the address, "192.0.2.0/24"; "" or NULL if unknown */
	int64_t asn;         /* number of the autonomous system that announces the network; 0 if
			      * unknown */
	const char *as_name; /* name of the autonomous system; "" or NULL if unknown */
	const char *lists;   /* one letter (EDS_SOURCE_…) per blocklist; "" or NULL if never
			      * asked */
	int64_t facts_at_ms; /* when to look up network and blocklists again */
	struct eds_report_source_auth *auths; /* signing and sending domains, the most frequent
					       * first */
	size_t auth_count;
};

/* Lists sources, those with the most messages first, EDS_REPORT_SUMS_MAX at most unless query->all
 * is true. Ignores query->by. */
RT_MUST_USE rt_status eds_store_report_sources(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_sums_query *query,
	struct eds_report_source **sources, size_t *count);

/* Stores the names, networks and blocklist results of some addresses, and when to look them up
 * again. */
RT_MUST_USE rt_status eds_store_source_names_keep(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_source *sources, size_t count);

/* Removes names that have not been looked up for 30 days, EDS_REPORTS_EXPIRE_BATCH at most. The
 * names of addresses that are still in use are looked up again when somebody views them. */
RT_MUST_USE rt_status eds_store_source_names_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

#endif
