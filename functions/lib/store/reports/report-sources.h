/* The addresses that reports which count tell of, with who signed what they sent, and with their
 * names in DNS as somebody asked last.
 */
#ifndef EDS_STORE_REPORT_SOURCES_H
#define EDS_STORE_REPORT_SOURCES_H

#include "functions/lib/store/reports/report-sums.h"

#define EDS_SOURCE_NAME_KEPT_MS (INT64_C(30) * 24 * 3600 * 1000)

/* What a blocklist says of an address. */
#define EDS_SOURCE_LISTED 'l'
#define EDS_SOURCE_CLEAN 'c'
#define EDS_SOURCE_UNKNOWN '?'
#define EDS_SOURCE_NOT_ASKED '-'

/* Messages of a source that agree in who signed and who sent. */
struct eds_report_source_auth {
	const char *auth; /* as report-rows.h says */
	int class;        /* enum eds_report_class */
	int64_t messages;
};

struct eds_report_source {
	struct eds_report_sum sum; /* its key is the address, "" unreadable */
	const char *name;    /* that resolves back to the address; "" none, NULL never asked */
	int64_t ask_at_ms;   /* when to ask for the name again */
	const char *network; /* "192.0.2.0/24", that has the address; "" not known, as NULL */
	int64_t asn;         /* of the autonomous system that announces it; 0 not known */
	const char *as_name; /* likewise */
	const char *lists;   /* a letter for each list, EDS_SOURCE_…; "" and NULL never asked */
	int64_t facts_at_ms; /* when to ask for these again */
	struct eds_report_source_auth *auths; /* the most frequent first */
	size_t auth_count;
};

/* EDS_REPORT_SUMS_MAX at most, those with the most messages first. The query's by is not looked at.
 */
RT_MUST_USE rt_status eds_store_report_sources(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_domain *domain, const struct eds_report_sums_query *query,
	struct eds_report_source **sources, size_t *count);

/* Keeps the names and networks of some addresses, and when to ask again. */
RT_MUST_USE rt_status eds_store_source_names_keep(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_report_source *sources, size_t count);

/* Forgets names that nobody has asked for in 30 days; those of addresses that are still seen are
 * asked for again when somebody looks at them. */
RT_MUST_USE rt_status eds_store_source_names_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

#endif
