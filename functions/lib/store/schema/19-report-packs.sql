-- The rows of reports, packed into one text each.
-- oldest-program: 4

-- 1: the line's rows, if any, are packed; earlier programs leave 0. Those programs sum by
-- report_rows, report_source_days and report_reporter_days, which this release neither reads nor
-- writes, and process the lines of this release because of summed = 0.
ALTER TABLE reports ADD COLUMN IF NOT EXISTS packed BIGINT NOT NULL DEFAULT 0;

CREATE INDEX IF NOT EXISTS reports_not_packed ON reports (domain_id, id) WHERE packed = 0;

-- the rows of a DMARC report; deleted with their line, whichever program deletes it
CREATE TABLE IF NOT EXISTS report_packs (
	domain_id TEXT NOT NULL,
	report_id TEXT NOT NULL,
	day BIGINT NOT NULL, -- the day on which its period begins, counted since 1970
	reporter TEXT NOT NULL,
	verified BIGINT NOT NULL,
	told TEXT NOT NULL, -- as store/reports/report-pack.h says
	PRIMARY KEY (domain_id, report_id),
	FOREIGN KEY (domain_id, report_id) REFERENCES reports (domain_id, id) ON DELETE CASCADE
);

CREATE INDEX IF NOT EXISTS report_packs_by_day
	ON report_packs (domain_id, day, reporter, verified);

-- packs that are not yet in report_day_packs; one whose line was deleted is skipped
CREATE TABLE IF NOT EXISTS report_unfolded (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	day BIGINT NOT NULL,
	report_id TEXT NOT NULL,
	PRIMARY KEY (domain_id, day, report_id)
);

-- all other packs of a day together: of verified reporters by source, and of all reporters by reporter
CREATE TABLE IF NOT EXISTS report_day_packs (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	day BIGINT NOT NULL,
	part BIGINT NOT NULL, -- counted from 0; a large part is followed by another
	reports BIGINT NOT NULL,
	sources TEXT NOT NULL,
	reporters TEXT NOT NULL,
	PRIMARY KEY (domain_id, day, part)
);
