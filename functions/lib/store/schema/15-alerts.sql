-- The receivers of alerts about an account's domains.
-- oldest-program: 4

CREATE TABLE IF NOT EXISTS alerts (
	id TEXT PRIMARY KEY,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	domain_id TEXT REFERENCES domains (id) ON DELETE CASCADE, -- NULL: about all domains
	url TEXT NOT NULL,
	secret TEXT NOT NULL,
	events BIGINT NOT NULL, -- one bit for each event; -1: all, including those of later releases
	active BIGINT NOT NULL DEFAULT 1,
	reason_code TEXT,
	reason TEXT, -- why the service switched it off
	created_at_ms BIGINT NOT NULL,
	-- the number of events left out, and when the receiver is informed of it
	left_out BIGINT NOT NULL DEFAULT 0,
	left_out_until_ms BIGINT NOT NULL DEFAULT 0
);

CREATE INDEX IF NOT EXISTS alerts_by_account ON alerts (account_id);

CREATE INDEX IF NOT EXISTS alerts_by_domain ON alerts (domain_id);

-- trouble that was reported, so that its end is reported once
CREATE TABLE IF NOT EXISTS alert_troubles (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	subject TEXT NOT NULL, -- "selector s1", "mta-sts"
	since_ms BIGINT NOT NULL,
	PRIMARY KEY (domain_id, subject)
);

-- digest of the key alone; 0: unknown
ALTER TABLE dkim_selectors ADD COLUMN IF NOT EXISTS key_digest BIGINT NOT NULL DEFAULT 0;
