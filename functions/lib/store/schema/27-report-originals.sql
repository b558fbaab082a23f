-- The mails that brought reports, unchanged, in base64.
-- oldest-program: 4

CREATE TABLE IF NOT EXISTS report_originals (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	message_id TEXT NOT NULL,
	received_at_ms BIGINT NOT NULL,
	mail TEXT NOT NULL,
	PRIMARY KEY (domain_id, message_id)
);

CREATE INDEX IF NOT EXISTS report_originals_by_time ON report_originals (received_at_ms);
