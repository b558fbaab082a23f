-- Who may serve the MTA-STS policy of a name that several accounts hold; how much an account uses.
-- oldest-program: 4

-- hosting was switched on, or another row of the name went, and no check has looked at the
-- TXT record since
ALTER TABLE mta_sts ADD COLUMN IF NOT EXISTS look_due BIGINT NOT NULL DEFAULT 0;

-- it shows an id that another row of the name issued, live or deleted
ALTER TABLE mta_sts ADD COLUMN IF NOT EXISTS kept_out BIGINT NOT NULL DEFAULT 0;

-- when a certificate was allowed last, 0 never
ALTER TABLE mta_sts ADD COLUMN IF NOT EXISTS certificate_at_ms BIGINT NOT NULL DEFAULT 0;

-- Ids of deleted domains: the month of the deletion, counted in 30 days, which comes first
-- so that the oldest lie together to be removed; and 63 bits of a digest of name and id.
CREATE TABLE IF NOT EXISTS mta_sts_past (
	month BIGINT NOT NULL,
	digest BIGINT NOT NULL,
	PRIMARY KEY (month, digest)
);

-- how often an account did something within the hour that began then
CREATE TABLE IF NOT EXISTS account_uses (
	account_id TEXT NOT NULL REFERENCES accounts (id),
	kind TEXT NOT NULL,
	began_at_ms BIGINT NOT NULL,
	used BIGINT NOT NULL,
	PRIMARY KEY (account_id, kind)
);
