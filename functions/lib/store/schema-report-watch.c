/* Schema: domains of which reports have come, and what was told of them. */
#include "functions/lib/store/schema.h"
#include <stddef.h>

const char *const EDS_SCHEMA_REPORT_WATCH[] = {
	"CREATE TABLE IF NOT EXISTS report_watch ( domain_id TEXT PRIMARY KEY REFERENCES domains"
	" (id) ON DELETE CASCADE,"
	" due_at_ms BIGINT NOT NULL,"             /* or the end of the lease of who looks now */
	" risen_from BIGINT NOT NULL DEFAULT -1," /* the share of before, while it has risen */
	" stopped BIGINT NOT NULL DEFAULT 0)",    /* 1: no reports come any more */

	"CREATE INDEX IF NOT EXISTS report_watch_by_due ON report_watch (due_at_ms)",
	NULL,
};
