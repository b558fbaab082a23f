-- The rows of reports, packed.
-- oldest-program: 4

-- 1 once the line's rows are packed, if it has any: programs from before leave 0. They sum
-- by report_rows, report_source_days and report_reporter_days, which nothing here reads or
-- writes, and do the lines of this program with summed = 0.
ALTER TABLE reports ADD COLUMN IF NOT EXISTS packed BIGINT NOT NULL DEFAULT 0;

CREATE INDEX IF NOT EXISTS reports_not_packed ON reports (domain_id, id) WHERE packed = 0;

-- the rows of a DMARC report: they go with their line, whichever program removes it
CREATE TABLE IF NOT EXISTS report_packs (
	domain_id TEXT NOT NULL,
	report_id TEXT NOT NULL,
	day BIGINT NOT NULL, -- since 1970, that its period begins on
	reporter TEXT NOT NULL,
	verified BIGINT NOT NULL,
	told TEXT NOT NULL, -- as store/reports/report-pack.h says
	PRIMARY KEY (domain_id, report_id),
	FOREIGN KEY (domain_id, report_id) REFERENCES reports (domain_id, id) ON DELETE CASCADE
);

CREATE INDEX IF NOT EXISTS report_packs_by_day
	ON report_packs (domain_id, day, reporter, verified);

-- those that no report_day_packs has yet; one whose line has gone is passed over
CREATE TABLE IF NOT EXISTS report_unfolded (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	day BIGINT NOT NULL,
	report_id TEXT NOT NULL,
	PRIMARY KEY (domain_id, day, report_id)
);

-- the others of a day together: verified reporters by source, all by reporter
CREATE TABLE IF NOT EXISTS report_day_packs (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	day BIGINT NOT NULL,
	part BIGINT NOT NULL, -- from 0: one that is large is followed by another
	reports BIGINT NOT NULL,
	sources TEXT NOT NULL,
	reporters TEXT NOT NULL,
	PRIMARY KEY (domain_id, day, part)
);
