-- What a token may do, and when it was used last.
-- oldest-program: 4

ALTER TABLE tokens ADD COLUMN IF NOT EXISTS read_only BIGINT NOT NULL DEFAULT 0;

-- 1: of the account's domains those in token_domains alone
ALTER TABLE tokens ADD COLUMN IF NOT EXISTS some_domains BIGINT NOT NULL DEFAULT 0;

-- within an hour
ALTER TABLE tokens ADD COLUMN IF NOT EXISTS used_at_ms BIGINT NOT NULL DEFAULT 0;

CREATE TABLE IF NOT EXISTS token_domains (
	token_id TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	PRIMARY KEY (token_id, domain_id)
);

CREATE INDEX IF NOT EXISTS token_domains_by_domain ON token_domains (domain_id);

CREATE INDEX IF NOT EXISTS tokens_by_account ON tokens (account_id);
