/* Schema: reports about the domains (DMARC, TLS), and who has counted for what. */
#include "functions/lib/store/schema/schema.h"
#include <stddef.h>

const char *const EDS_SCHEMA_REPORTS[] = {
	"CREATE TABLE IF NOT EXISTS reports ( domain_id TEXT NOT NULL REFERENCES domains "
	"(id) ON DELETE CASCADE, id TEXT NOT NULL,"
	" identity TEXT NOT NULL,"   /* whose report about what, or which part of which mail */
	" message_id TEXT NOT NULL," /* that brought it */
	" received_at_ms BIGINT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, mail_from "
	"TEXT NOT NULL,"
	" organization TEXT, contact TEXT, reporter_id TEXT, policy_domain TEXT,"
	" begins_at_ms BIGINT NOT NULL, ends_at_ms BIGINT NOT NULL," /* 0 unknown */
	" records BIGINT NOT NULL,"
	/* messages of a DMARC report, sessions of a TLS report */
	" total BIGINT NOT NULL, passed BIGINT NOT NULL, failed BIGINT NOT NULL,"
	" reason_code TEXT, reason TEXT,"
	" discovered TEXT NOT NULL, selectors TEXT NOT NULL, detail TEXT NOT NULL," /* JSON */
	" PRIMARY KEY (domain_id, id), UNIQUE (domain_id, identity))",

	"CREATE INDEX IF NOT EXISTS reports_by_domain_time ON reports (domain_id, "
	"received_at_ms)",

	"CREATE INDEX IF NOT EXISTS reports_by_message ON reports (domain_id, message_id)",

	"CREATE INDEX IF NOT EXISTS reports_by_time ON reports (received_at_ms)",

	"CREATE TABLE IF NOT EXISTS report_failures ( domain_id TEXT NOT NULL, report_id "
	"TEXT NOT NULL, failure TEXT NOT NULL, sessions BIGINT NOT NULL, PRIMARY KEY "
	"(domain_id, report_id, failure), FOREIGN KEY (domain_id, report_id) REFERENCES "
	"reports (domain_id, id) ON DELETE CASCADE)",

	/* one report may come to the addresses of several domains, and counts once for each */
	"CREATE TABLE IF NOT EXISTS report_credits ( domain_id TEXT NOT NULL REFERENCES "
	"domains (id) ON DELETE CASCADE, identity TEXT NOT NULL, received_at_ms BIGINT NOT "
	"NULL, PRIMARY KEY (domain_id, identity))",

	"CREATE INDEX IF NOT EXISTS report_credits_by_time ON report_credits "
	"(received_at_ms)",
	NULL,
};

const char *const EDS_SCHEMA_REPORTERS[] = {
	/* what a report says, once, however many logs have a line of it */
	"CREATE TABLE IF NOT EXISTS report_bodies ( id TEXT PRIMARY KEY," /* SHA-256 of it */
	" received_at_ms BIGINT NOT NULL, body TEXT NOT NULL)",           /* JSON */

	"CREATE INDEX IF NOT EXISTS report_bodies_by_time ON report_bodies (received_at_ms)",

	/* of a line: who sent the mail, as far as it proved; lines from before have none */
	"CREATE TABLE IF NOT EXISTS report_origins ( domain_id TEXT NOT NULL, report_id TEXT "
	"NOT NULL,"
	" reporter TEXT NOT NULL," /* organizational domain of From, "" unknown */
	" verified BIGINT NOT NULL, spf TEXT NOT NULL, dkim TEXT NOT NULL, dmarc TEXT NOT NULL,"
	" body_id TEXT,"           /* NULL: it was not read */
	" outcomes TEXT NOT NULL," /* of the signatures in the body, a letter each */
	" PRIMARY KEY (domain_id, report_id), FOREIGN KEY (domain_id, report_id) REFERENCES "
	"reports (domain_id, id) ON DELETE CASCADE)",

	"CREATE INDEX IF NOT EXISTS report_origins_by_body ON report_origins (body_id)",

	"CREATE TABLE IF NOT EXISTS report_reporters ( domain_id TEXT NOT NULL REFERENCES "
	"domains (id) ON DELETE CASCADE, reporter TEXT NOT NULL,"
	" standing TEXT NOT NULL," /* what the owner said: "accepted", "blocked", "" */
	" first_seen_at_ms BIGINT NOT NULL, last_seen_at_ms BIGINT NOT NULL,"
	" verified_at_ms BIGINT NOT NULL," /* latest, 0 never */
	" verified_reports BIGINT NOT NULL, other_reports BIGINT NOT NULL,"
	" PRIMARY KEY (domain_id, reporter))",

	"CREATE INDEX IF NOT EXISTS report_reporters_by_time ON report_reporters "
	"(last_seen_at_ms)",

	/* what a day has brought to a log */
	"CREATE TABLE IF NOT EXISTS report_usage ( domain_id TEXT NOT NULL REFERENCES domains "
	"(id) ON DELETE CASCADE,"
	/* a reporter that counts, "*" all of those, "upload" handed in, "" all others */
	" share TEXT NOT NULL,"
	" day BIGINT NOT NULL, reports BIGINT NOT NULL, octets BIGINT NOT NULL,"
	" PRIMARY KEY (domain_id, share, day))",

	"CREATE INDEX IF NOT EXISTS report_usage_by_day ON report_usage (day)",
	NULL,
};

const char *const EDS_SCHEMA_REPORTS_FORWARDED[] = {
	/* of total, beside passed and failed; lines from before count none */
	"ALTER TABLE reports ADD COLUMN IF NOT EXISTS forwarded BIGINT NOT NULL DEFAULT 0",
	NULL,
};

const char *const EDS_SCHEMA_REPORT_SUMS[] = {
	/* 1 once the line's rows are in report_rows, if it has any: programs from before leave 0 */
	"ALTER TABLE reports ADD COLUMN IF NOT EXISTS summed BIGINT NOT NULL DEFAULT 0",

	"CREATE INDEX IF NOT EXISTS reports_not_summed ON reports (domain_id, id) WHERE summed = 0",

	/* messages that a DMARC report tells of, by what became of them: they go with their line,
	 * whichever program removes it */
	"CREATE TABLE IF NOT EXISTS report_rows ( domain_id TEXT NOT NULL, report_id TEXT NOT NULL,"
	" day BIGINT NOT NULL," /* since 1970, that its period begins on */
	" reporter TEXT NOT NULL, verified BIGINT NOT NULL,"
	" source TEXT NOT NULL," /* "" unreadable, or of rows that were not kept */
	" disposition BIGINT NOT NULL, class BIGINT NOT NULL," /* as report.h numbers them */
	" auth TEXT NOT NULL," /* as store/reports/report-rows.h says */
	" messages BIGINT NOT NULL,"
	" PRIMARY KEY (domain_id, report_id, source, disposition, class, auth), FOREIGN KEY "
	"(domain_id, report_id) REFERENCES reports (domain_id, id) ON DELETE CASCADE)",

	"CREATE INDEX IF NOT EXISTS report_rows_by_day ON report_rows (domain_id, day, reporter)",

	/* sums of report_rows: of verified reporters by source, of all by reporter */
	"CREATE TABLE IF NOT EXISTS report_source_days ( domain_id TEXT NOT NULL REFERENCES domains "
	"(id) ON DELETE CASCADE, day BIGINT NOT NULL, source TEXT NOT NULL, disposition BIGINT NOT "
	"NULL, class BIGINT NOT NULL, auth TEXT NOT NULL, messages BIGINT NOT NULL,"
	" PRIMARY KEY (domain_id, day, source, disposition, class, auth))",

	/* all that a sum needs: with the rows themselves it takes four times as long */
	"CREATE INDEX IF NOT EXISTS report_source_days_whole ON report_source_days (domain_id, "
	"source, day, class, disposition, messages)",

	"CREATE TABLE IF NOT EXISTS report_reporter_days ( domain_id TEXT NOT NULL REFERENCES "
	"domains (id) ON DELETE CASCADE, day BIGINT NOT NULL, reporter TEXT NOT NULL, verified "
	"BIGINT NOT NULL, disposition BIGINT NOT NULL, class BIGINT NOT NULL, messages BIGINT NOT "
	"NULL,"
	" PRIMARY KEY (domain_id, day, reporter, verified, disposition, class))",

	"CREATE INDEX IF NOT EXISTS report_reporter_days_whole ON report_reporter_days (domain_id, "
	"reporter, verified, day, class, disposition, messages)",
	NULL,
};

const char *const EDS_SCHEMA_REPORT_WAYS[] = {
	/* how it came: "mail", "https", "upload" */
	"ALTER TABLE report_origins ADD COLUMN IF NOT EXISTS way TEXT NOT NULL DEFAULT 'mail'",
	NULL,
};

const char *const EDS_SCHEMA_SOURCE_NAMES[] = {
	/* of an address, whatever domains it sends for */
	"CREATE TABLE IF NOT EXISTS report_source_names ( source TEXT PRIMARY KEY,"
	" name TEXT NOT NULL," /* that resolves back to it, "" none */
	" asked_at_ms BIGINT NOT NULL, ask_at_ms BIGINT NOT NULL)",

	"CREATE INDEX IF NOT EXISTS report_source_names_by_time ON report_source_names "
	"(asked_at_ms)",
	NULL,
};

const char *const EDS_SCHEMA_REPORT_PACKS[] = {
	/* 1 once the line's rows are packed, if it has any: programs from before leave 0. They sum
	 * by report_rows, report_source_days and report_reporter_days, which nothing here reads or
	 * writes, and do the lines of this program with summed = 0. */
	"ALTER TABLE reports ADD COLUMN IF NOT EXISTS packed BIGINT NOT NULL DEFAULT 0",

	"CREATE INDEX IF NOT EXISTS reports_not_packed ON reports (domain_id, id) WHERE packed = 0",

	/* the rows of a DMARC report: they go with their line, whichever program removes it */
	"CREATE TABLE IF NOT EXISTS report_packs ( domain_id TEXT NOT NULL, report_id TEXT NOT NULL,"
	" day BIGINT NOT NULL," /* since 1970, that its period begins on */
	" reporter TEXT NOT NULL, verified BIGINT NOT NULL,"
	" told TEXT NOT NULL," /* as store/reports/report-pack.h says */
	" PRIMARY KEY (domain_id, report_id), FOREIGN KEY (domain_id, report_id) REFERENCES "
	"reports (domain_id, id) ON DELETE CASCADE)",

	"CREATE INDEX IF NOT EXISTS report_packs_by_day ON report_packs (domain_id, day, reporter, "
	"verified)",

	/* those that no report_day_packs has yet; one whose line has gone is passed over */
	"CREATE TABLE IF NOT EXISTS report_unfolded ( domain_id TEXT NOT NULL REFERENCES domains "
	"(id) ON DELETE CASCADE, day BIGINT NOT NULL, report_id TEXT NOT NULL,"
	" PRIMARY KEY (domain_id, day, report_id))",

	/* the others of a day together: verified reporters by source, all by reporter */
	"CREATE TABLE IF NOT EXISTS report_day_packs ( domain_id TEXT NOT NULL REFERENCES domains "
	"(id) ON DELETE CASCADE, day BIGINT NOT NULL,"
	" part BIGINT NOT NULL," /* from 0: one that is large is followed by another */
	" reports BIGINT NOT NULL, sources TEXT NOT NULL, reporters TEXT NOT NULL,"
	" PRIMARY KEY (domain_id, day, part))",
	NULL,
};
