-- Accounts, their tokens and domains, DKIM selectors.
-- oldest-program: 2

CREATE TABLE IF NOT EXISTS accounts (
	id TEXT PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	plan TEXT NOT NULL CHECK (plan IN ('free', 'paid')),
	created_at_ms BIGINT NOT NULL
);

CREATE TABLE IF NOT EXISTS tokens (
	id TEXT PRIMARY KEY,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	name TEXT NOT NULL,
	digest_head TEXT NOT NULL UNIQUE, -- 16 digits of the digest, which find the row
	digest TEXT NOT NULL,
	created_at_ms BIGINT NOT NULL,
	expires_at_ms BIGINT NOT NULL, -- 0: never
	revoked_at_ms BIGINT NOT NULL -- 0: not revoked
);

CREATE TABLE IF NOT EXISTS domains (
	id TEXT PRIMARY KEY,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	name TEXT NOT NULL, -- lower case, A-labels
	created_at_ms BIGINT NOT NULL,
	UNIQUE (account_id, name)
);

-- DKIM selectors, each with its latest check, and their changes
CREATE TABLE IF NOT EXISTS dkim_selectors (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	name TEXT NOT NULL, -- lower case: unique without regard to case
	shown TEXT NOT NULL, -- the name as given
	domain TEXT NOT NULL, -- the domain's name, so that due work is read from one table
	manual BIGINT NOT NULL,
	created_at_ms BIGINT NOT NULL,
	due_at_ms BIGINT NOT NULL, -- when it is checked next; before step 30 a lease moved this time to its end
	checked_at_ms BIGINT NOT NULL, -- this and the times below: 0 never
	changed_at_ms BIGINT NOT NULL,
	probed_at_ms BIGINT NOT NULL,
	digest BIGINT NOT NULL,
	wildcard BIGINT NOT NULL,
	first_seen_at_ms BIGINT NOT NULL, -- evidence from reports
	last_seen_at_ms BIGINT NOT NULL,
	pass_count BIGINT NOT NULL,
	fail_count BIGINT NOT NULL,
	state TEXT NOT NULL,
	key_type TEXT,
	key_bits BIGINT NOT NULL,
	alias TEXT,
	errors TEXT NOT NULL, -- JSON arrays
	warnings TEXT NOT NULL,
	PRIMARY KEY (domain_id, name)
);

CREATE INDEX IF NOT EXISTS dkim_selectors_by_due ON dkim_selectors (due_at_ms);

CREATE TABLE IF NOT EXISTS dkim_changes (
	domain_id TEXT NOT NULL,
	name TEXT NOT NULL,
	changed_at_ms BIGINT NOT NULL,
	state TEXT NOT NULL,
	key_type TEXT,
	key_bits BIGINT NOT NULL,
	errors TEXT NOT NULL,
	warnings TEXT NOT NULL,
	PRIMARY KEY (domain_id, name, changed_at_ms),
	FOREIGN KEY (domain_id, name) REFERENCES dkim_selectors (domain_id, name) ON DELETE CASCADE
);

CREATE INDEX IF NOT EXISTS dkim_changes_by_time ON dkim_changes (changed_at_ms);
