-- Sums of the rows of reports, which step 19 replaces.
-- oldest-program: 4

-- 1: the line's rows, if any, are in report_rows; earlier programs leave 0
ALTER TABLE reports ADD COLUMN IF NOT EXISTS summed BIGINT NOT NULL DEFAULT 0;

CREATE INDEX IF NOT EXISTS reports_not_summed ON reports (domain_id, id) WHERE summed = 0;

-- the messages of a DMARC report, by their result; deleted with their line, whichever program deletes it
CREATE TABLE IF NOT EXISTS report_rows (
	domain_id TEXT NOT NULL,
	report_id TEXT NOT NULL,
	day BIGINT NOT NULL, -- the day on which its period begins, counted since 1970
	reporter TEXT NOT NULL,
	verified BIGINT NOT NULL,
	source TEXT NOT NULL, -- "": unreadable, or of rows that were not stored
	disposition BIGINT NOT NULL,
	class BIGINT NOT NULL, -- as report.h numbers them
	auth TEXT NOT NULL, -- as store/reports/report-rows.h says
	messages BIGINT NOT NULL,
	PRIMARY KEY (domain_id, report_id, source, disposition, class, auth),
	FOREIGN KEY (domain_id, report_id) REFERENCES reports (domain_id, id) ON DELETE CASCADE
);

CREATE INDEX IF NOT EXISTS report_rows_by_day ON report_rows (domain_id, day, reporter);

-- sums of report_rows: of verified reporters by source, and of all reporters by reporter
CREATE TABLE IF NOT EXISTS report_source_days (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	day BIGINT NOT NULL,
	source TEXT NOT NULL,
	disposition BIGINT NOT NULL,
	class BIGINT NOT NULL,
	auth TEXT NOT NULL,
	messages BIGINT NOT NULL,
	PRIMARY KEY (domain_id, day, source, disposition, class, auth)
);

-- an index with everything that a sum needs: reading the rows themselves takes four times as long
CREATE INDEX IF NOT EXISTS report_source_days_whole
	ON report_source_days (domain_id, source, day, class, disposition, messages);

CREATE TABLE IF NOT EXISTS report_reporter_days (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	day BIGINT NOT NULL,
	reporter TEXT NOT NULL,
	verified BIGINT NOT NULL,
	disposition BIGINT NOT NULL,
	class BIGINT NOT NULL,
	messages BIGINT NOT NULL,
	PRIMARY KEY (domain_id, day, reporter, verified, disposition, class)
);

CREATE INDEX IF NOT EXISTS report_reporter_days_whole
	ON report_reporter_days (domain_id, reporter, verified, day, class, disposition, messages);
