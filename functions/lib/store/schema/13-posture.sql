-- What the latest look at each domain saw in DNS, and what changed since.
-- oldest-program: 4

CREATE TABLE IF NOT EXISTS posture (
	domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
	name TEXT NOT NULL, -- the domain's, so that due work needs one table
	due_at_ms BIGINT NOT NULL, -- or the end of the lease of who looks at it now
	state TEXT NOT NULL DEFAULT 'unknown',
	checked_at_ms BIGINT NOT NULL DEFAULT 0, -- 0 never
	changed_at_ms BIGINT NOT NULL DEFAULT 0, -- since when all is as it is
	items TEXT NOT NULL DEFAULT '[]', -- JSON
	records TEXT NOT NULL DEFAULT '[]' -- JSON: those that bring reports
);

CREATE INDEX IF NOT EXISTS posture_by_due ON posture (due_at_ms);

CREATE TABLE IF NOT EXISTS posture_changes (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	id TEXT NOT NULL, -- in the order of time
	changed_at_ms BIGINT NOT NULL,
	item TEXT NOT NULL,
	old_state TEXT NOT NULL,
	old_record TEXT,
	old_findings TEXT NOT NULL, -- codes, with a space between
	new_state TEXT NOT NULL,
	new_record TEXT,
	new_findings TEXT NOT NULL,
	PRIMARY KEY (domain_id, id)
);

CREATE INDEX IF NOT EXISTS posture_changes_by_time ON posture_changes (changed_at_ms);

-- the domains that are there already
INSERT INTO posture (domain_id, name, due_at_ms)
	SELECT id, name, created_at_ms
	FROM domains
	WHERE id <> ''
	ON CONFLICT (domain_id) DO NOTHING;
