-- The watch over domains with reports, the alerts it has sent, and when summaries are due.
-- oldest-program: 4

CREATE TABLE IF NOT EXISTS report_watch (
	domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
	due_at_ms BIGINT NOT NULL, -- when it is examined next; before step 30 a lease moved this time to its end
	risen_from BIGINT NOT NULL DEFAULT -1, -- the share of failures before the present rise; -1: no rise
	stopped BIGINT NOT NULL DEFAULT 0, -- 1: reports have stopped
	-- sums of the seven days before the examination, and of the seven days before those
	week_day BIGINT NOT NULL DEFAULT 0,
	week_passed BIGINT NOT NULL DEFAULT 0,
	week_forwarded BIGINT NOT NULL DEFAULT 0,
	week_failed BIGINT NOT NULL DEFAULT 0,
	earlier_judged BIGINT NOT NULL DEFAULT 0,
	earlier_failed BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX IF NOT EXISTS report_watch_by_due ON report_watch (due_at_ms);

-- when the next weekly summary is made; 0: none
ALTER TABLE alert_mails ADD COLUMN IF NOT EXISTS summary_at_ms BIGINT NOT NULL DEFAULT 0;

CREATE INDEX IF NOT EXISTS alert_mails_by_summary ON alert_mails (summary_at_ms);
