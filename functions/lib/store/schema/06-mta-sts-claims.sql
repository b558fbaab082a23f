-- Which account's MTA-STS policy is served for a name that several accounts have, and the use of limits by accounts.
-- oldest-program: 4

-- 1: hosting was switched on, or another row of the name was deleted, and no check has looked at the
-- TXT record since
ALTER TABLE mta_sts ADD COLUMN IF NOT EXISTS look_due BIGINT NOT NULL DEFAULT 0;

-- 1: the TXT record has an id that another row of the name issued, present or deleted
ALTER TABLE mta_sts ADD COLUMN IF NOT EXISTS kept_out BIGINT NOT NULL DEFAULT 0;

-- the latest time that a certificate was allowed, 0: never
ALTER TABLE mta_sts ADD COLUMN IF NOT EXISTS certificate_at_ms BIGINT NOT NULL DEFAULT 0;

-- Policy ids of deleted domains: the month of the deletion, in periods of 30 days, and 63 bits of a digest of
-- name and id. The month comes first in the key, so that the oldest rows are together when they are removed.
CREATE TABLE IF NOT EXISTS mta_sts_past (
	month BIGINT NOT NULL,
	digest BIGINT NOT NULL,
	PRIMARY KEY (month, digest)
);

-- how often an account did each kind of thing in the hour that began at began_at_ms
CREATE TABLE IF NOT EXISTS account_uses (
	account_id TEXT NOT NULL REFERENCES accounts (id),
	kind TEXT NOT NULL,
	began_at_ms BIGINT NOT NULL,
	used BIGINT NOT NULL,
	PRIMARY KEY (account_id, kind)
);
