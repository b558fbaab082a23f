-- The senders of reports, the contents of reports, and how much arrived in a day.
-- oldest-program: 4

-- the content of a report, stored once, even if several logs have a line of it
CREATE TABLE IF NOT EXISTS report_bodies (
	id TEXT PRIMARY KEY, -- SHA-256 of the body
	received_at_ms BIGINT NOT NULL,
	body TEXT NOT NULL -- JSON
);

CREATE INDEX IF NOT EXISTS report_bodies_by_time ON report_bodies (received_at_ms);

-- the proved sender of the mail of a line; lines of earlier releases have no row here
CREATE TABLE IF NOT EXISTS report_origins (
	domain_id TEXT NOT NULL,
	report_id TEXT NOT NULL,
	reporter TEXT NOT NULL, -- organizational domain of From; "": unknown
	verified BIGINT NOT NULL,
	spf TEXT NOT NULL,
	dkim TEXT NOT NULL,
	dmarc TEXT NOT NULL,
	body_id TEXT, -- NULL: the report was not read
	outcomes TEXT NOT NULL, -- one letter for each signature in the body
	PRIMARY KEY (domain_id, report_id),
	FOREIGN KEY (domain_id, report_id) REFERENCES reports (domain_id, id) ON DELETE CASCADE
);

CREATE INDEX IF NOT EXISTS report_origins_by_body ON report_origins (body_id);

CREATE TABLE IF NOT EXISTS report_reporters (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	reporter TEXT NOT NULL,
	standing TEXT NOT NULL, -- the owner's decision: "accepted", "blocked", ""
	first_seen_at_ms BIGINT NOT NULL,
	last_seen_at_ms BIGINT NOT NULL,
	verified_at_ms BIGINT NOT NULL, -- latest verified report, 0: never
	verified_reports BIGINT NOT NULL,
	other_reports BIGINT NOT NULL,
	PRIMARY KEY (domain_id, reporter)
);

CREATE INDEX IF NOT EXISTS report_reporters_by_time ON report_reporters (last_seen_at_ms);

-- the reports that a log received in a day
CREATE TABLE IF NOT EXISTS report_usage (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	-- a reporter that counts; "*": all of these; "upload": uploaded files; "": all others
	share TEXT NOT NULL,
	day BIGINT NOT NULL,
	reports BIGINT NOT NULL,
	octets BIGINT NOT NULL,
	PRIMARY KEY (domain_id, share, day)
);

CREATE INDEX IF NOT EXISTS report_usage_by_day ON report_usage (day);
