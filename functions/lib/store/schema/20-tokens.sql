-- The rights of a token, and when it was last used.
-- oldest-program: 4

ALTER TABLE tokens ADD COLUMN IF NOT EXISTS read_only BIGINT NOT NULL DEFAULT 0;

-- 1: the token may use only the domains in token_domains
ALTER TABLE tokens ADD COLUMN IF NOT EXISTS some_domains BIGINT NOT NULL DEFAULT 0;

-- exact to an hour
ALTER TABLE tokens ADD COLUMN IF NOT EXISTS used_at_ms BIGINT NOT NULL DEFAULT 0;

CREATE TABLE IF NOT EXISTS token_domains (
	token_id TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	PRIMARY KEY (token_id, domain_id)
);

CREATE INDEX IF NOT EXISTS token_domains_by_domain ON token_domains (domain_id);

CREATE INDEX IF NOT EXISTS tokens_by_account ON tokens (account_id);
