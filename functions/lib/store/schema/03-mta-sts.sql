-- The MTA-STS configuration of each domain, the result of its latest check, and the ids it issued.
-- oldest-program: 3

CREATE TABLE IF NOT EXISTS mta_sts (
	domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
	name TEXT NOT NULL, -- the domain's name, so that policies and due work need one table
	enabled BIGINT NOT NULL DEFAULT 0,
	mode TEXT NOT NULL DEFAULT 'testing' CHECK (mode IN ('testing', 'enforce')),
	max_age_s BIGINT NOT NULL DEFAULT 604800,
	mx_patterns TEXT NOT NULL DEFAULT '', -- separated by spaces
	hosted BIGINT NOT NULL,
	policy_id TEXT NOT NULL,
	updated_at_ms BIGINT NOT NULL,
	enforce_held_until_ms BIGINT NOT NULL DEFAULT 0, -- senders may enforce until then, after enforce was left; 0: it never was
	-- 1: the latest id of an account in the TXT record was issued by this domain
	proven BIGINT NOT NULL DEFAULT 0,
	due_at_ms BIGINT NOT NULL, -- when it is checked next; before step 30 a lease moved this time to its end
	changed_at_ms BIGINT NOT NULL, -- the time since which it is checked often
	checked_at_ms BIGINT NOT NULL DEFAULT 0, -- 0 never
	fetched_at_ms BIGINT NOT NULL DEFAULT 0, -- the latest fetch of its policy, 0: never
	dns_id TEXT,
	policy_fetched BIGINT NOT NULL DEFAULT 0,
	policy_mode TEXT,
	valid BIGINT NOT NULL DEFAULT 0,
	errors TEXT NOT NULL DEFAULT '[]', -- JSON
	evidence TEXT NOT NULL DEFAULT '{}'
);

CREATE INDEX IF NOT EXISTS mta_sts_by_due ON mta_sts (due_at_ms);

CREATE INDEX IF NOT EXISTS mta_sts_by_name ON mta_sts (name, proven);

CREATE TABLE IF NOT EXISTS mta_sts_ids (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	policy_id TEXT NOT NULL,
	issued_at_ms BIGINT NOT NULL,
	PRIMARY KEY (domain_id, policy_id)
);

-- rows for existing domains; their first policy id is the domain's id without hyphens
INSERT INTO mta_sts (domain_id, name, hosted, policy_id, updated_at_ms, due_at_ms, changed_at_ms)
	SELECT d.id, d.name, CASE WHEN a.plan = 'paid' THEN 1 ELSE 0 END, replace(d.id, '-', ''),
		d.created_at_ms, d.created_at_ms, d.created_at_ms
	FROM domains d JOIN accounts a ON a.id = d.account_id
	WHERE d.id <> ''
	ON CONFLICT (domain_id) DO NOTHING;

INSERT INTO mta_sts_ids (domain_id, policy_id, issued_at_ms)
	SELECT domain_id, policy_id, updated_at_ms
	FROM mta_sts
	WHERE domain_id <> ''
	ON CONFLICT (domain_id, policy_id) DO NOTHING;
