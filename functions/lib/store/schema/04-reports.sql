-- Reports about the domains (DMARC, TLS), and which reports have already counted for a domain.
-- oldest-program: 4

CREATE TABLE IF NOT EXISTS reports (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	id TEXT NOT NULL,
	identity TEXT NOT NULL, -- identifies the report by reporter and id, or the part of the mail
	message_id TEXT NOT NULL, -- of the mail that brought it
	received_at_ms BIGINT NOT NULL,
	kind TEXT NOT NULL,
	state TEXT NOT NULL,
	mail_from TEXT NOT NULL,
	organization TEXT,
	contact TEXT,
	reporter_id TEXT,
	policy_domain TEXT,
	begins_at_ms BIGINT NOT NULL,
	ends_at_ms BIGINT NOT NULL, -- 0: unknown
	records BIGINT NOT NULL,
	-- messages of a DMARC report, sessions of a TLS report
	total BIGINT NOT NULL,
	passed BIGINT NOT NULL,
	failed BIGINT NOT NULL,
	reason_code TEXT,
	reason TEXT,
	discovered TEXT NOT NULL,
	selectors TEXT NOT NULL,
	detail TEXT NOT NULL, -- JSON
	PRIMARY KEY (domain_id, id),
	UNIQUE (domain_id, identity)
);

CREATE INDEX IF NOT EXISTS reports_by_domain_time ON reports (domain_id, received_at_ms);

CREATE INDEX IF NOT EXISTS reports_by_message ON reports (domain_id, message_id);

CREATE INDEX IF NOT EXISTS reports_by_time ON reports (received_at_ms);

CREATE TABLE IF NOT EXISTS report_failures (
	domain_id TEXT NOT NULL,
	report_id TEXT NOT NULL,
	failure TEXT NOT NULL,
	sessions BIGINT NOT NULL,
	PRIMARY KEY (domain_id, report_id, failure),
	FOREIGN KEY (domain_id, report_id) REFERENCES reports (domain_id, id) ON DELETE CASCADE
);

-- one report may come to the addresses of several domains, and counts once for each
CREATE TABLE IF NOT EXISTS report_credits (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	identity TEXT NOT NULL,
	received_at_ms BIGINT NOT NULL,
	PRIMARY KEY (domain_id, identity)
);

CREATE INDEX IF NOT EXISTS report_credits_by_time ON report_credits (received_at_ms);
