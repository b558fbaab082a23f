-- Domains of which reports have come, what was told of them, and who gets a summary.
-- oldest-program: 4

CREATE TABLE IF NOT EXISTS report_watch (
	domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
	due_at_ms BIGINT NOT NULL, -- or the end of the lease of who looks now
	risen_from BIGINT NOT NULL DEFAULT -1, -- the share of before, while it has risen
	stopped BIGINT NOT NULL DEFAULT 0, -- 1: no reports come any more
	-- of the seven days before the one on which it was looked at, and of those before them
	week_day BIGINT NOT NULL DEFAULT 0,
	week_passed BIGINT NOT NULL DEFAULT 0,
	week_forwarded BIGINT NOT NULL DEFAULT 0,
	week_failed BIGINT NOT NULL DEFAULT 0,
	earlier_judged BIGINT NOT NULL DEFAULT 0,
	earlier_failed BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX IF NOT EXISTS report_watch_by_due ON report_watch (due_at_ms);

-- when the next weekly summary is made; 0: none is wanted
ALTER TABLE alert_mails ADD COLUMN IF NOT EXISTS summary_at_ms BIGINT NOT NULL DEFAULT 0;

CREATE INDEX IF NOT EXISTS alert_mails_by_summary ON alert_mails (summary_at_ms);
