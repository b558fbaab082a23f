#ifndef EDS_STORE_SCHEMA_H
#define EDS_STORE_SCHEMA_H

#include <stdint.h>

/* The schema's steps, in the order of their versions (migrations.c): each is a list of statements
 * that ends with NULL.
 *
 * A step that has been released is never edited, only followed by another, and programs of the
 * release before go on with it (migrations.c says how). The statements are shared by SQLite and
 * PostgreSQL and may be repeated (IF NOT EXISTS), for clusters whose transactions do not cover DDL;
 * ADD COLUMN IF NOT EXISTS holds for SQLite too (migrations.c).
 * Times are epoch milliseconds, 0 for never. Keys begin with random text, so that a cluster spreads
 * them.
 */
struct eds_schema_step {
	const char *const *sql;
	int oldest_program; /* that works once the step is done, by the steps that it knows */
};

/* From 1; NULL past the last. */
const struct eds_schema_step *eds_store_step(int64_t number);

extern const char *const EDS_SCHEMA_TESTER[];
extern const char *const EDS_SCHEMA_DOMAINS[];
extern const char *const EDS_SCHEMA_MTA_STS[];
extern const char *const EDS_SCHEMA_REPORTS[];
extern const char *const EDS_SCHEMA_REANALYSIS[];
extern const char *const EDS_SCHEMA_MTA_STS_CLAIMS[];
extern const char *const EDS_SCHEMA_REPORTERS[];
extern const char *const EDS_SCHEMA_STORED_MAIL[];
extern const char *const EDS_SCHEMA_MTA_STS_NONE[];
extern const char *const EDS_SCHEMA_UPLOADS[];
extern const char *const EDS_SCHEMA_OUTBOX[];
extern const char *const EDS_SCHEMA_REPORTS_FORWARDED[];
extern const char *const EDS_SCHEMA_POSTURE[];
extern const char *const EDS_SCHEMA_CLIENT_SLOTS[];
extern const char *const EDS_SCHEMA_ALERTS[];
extern const char *const EDS_SCHEMA_REPORT_SUMS[];
extern const char *const EDS_SCHEMA_SOURCE_NAMES[];
extern const char *const EDS_SCHEMA_SELECTOR_KEYS[];
extern const char *const EDS_SCHEMA_REPORT_PACKS[];
extern const char *const EDS_SCHEMA_TOKENS[];
extern const char *const EDS_SCHEMA_AUDIT[];
extern const char *const EDS_SCHEMA_REPORT_WAYS[];
extern const char *const EDS_SCHEMA_ALERT_MAIL[];
extern const char *const EDS_SCHEMA_ONCE[];
extern const char *const EDS_SCHEMA_REPORT_WATCH[];

#endif
