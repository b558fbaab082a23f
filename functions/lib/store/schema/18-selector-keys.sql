-- The record and the key of each DKIM selector.
-- oldest-program: 4

ALTER TABLE dkim_selectors ADD COLUMN IF NOT EXISTS record TEXT;

-- digest of the last usable key, in hex, and the time since which it has been published
ALTER TABLE dkim_selectors ADD COLUMN IF NOT EXISTS key_hash TEXT;

ALTER TABLE dkim_selectors ADD COLUMN IF NOT EXISTS key_since_ms BIGINT NOT NULL DEFAULT 0;

-- the digest of the result to which these columns belong; earlier programs change only digest
ALTER TABLE dkim_selectors ADD COLUMN IF NOT EXISTS record_digest BIGINT NOT NULL DEFAULT 0;

CREATE INDEX IF NOT EXISTS dkim_selectors_by_key
	ON dkim_selectors (key_hash, domain_id) WHERE key_hash IS NOT NULL AND alias IS NULL;

ALTER TABLE dkim_changes ADD COLUMN IF NOT EXISTS record TEXT;

ALTER TABLE dkim_changes ADD COLUMN IF NOT EXISTS key_hash TEXT;

ALTER TABLE dkim_changes ADD COLUMN IF NOT EXISTS key_changed BIGINT NOT NULL DEFAULT 0;
