-- The result of the latest look at each domain in DNS, and the changes.
-- oldest-program: 4

CREATE TABLE IF NOT EXISTS posture (
	domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
	name TEXT NOT NULL, -- the domain's name, so that due work needs one table
	due_at_ms BIGINT NOT NULL, -- when it is looked at next; before step 30 a lease moved this time to its end
	state TEXT NOT NULL DEFAULT 'unknown',
	checked_at_ms BIGINT NOT NULL DEFAULT 0, -- 0: never
	changed_at_ms BIGINT NOT NULL DEFAULT 0, -- the time since which nothing has changed
	items TEXT NOT NULL DEFAULT '[]', -- JSON
	records TEXT NOT NULL DEFAULT '[]' -- JSON: the records that direct reports here
);

CREATE INDEX IF NOT EXISTS posture_by_due ON posture (due_at_ms);

CREATE TABLE IF NOT EXISTS posture_changes (
	domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
	id TEXT NOT NULL, -- ids sort by time
	changed_at_ms BIGINT NOT NULL,
	item TEXT NOT NULL,
	old_state TEXT NOT NULL,
	old_record TEXT,
	old_findings TEXT NOT NULL, -- codes, separated by spaces
	new_state TEXT NOT NULL,
	new_record TEXT,
	new_findings TEXT NOT NULL,
	PRIMARY KEY (domain_id, id)
);

CREATE INDEX IF NOT EXISTS posture_changes_by_time ON posture_changes (changed_at_ms);

-- rows for existing domains
INSERT INTO posture (domain_id, name, due_at_ms)
	SELECT id, name, created_at_ms
	FROM domains
	WHERE id <> ''
	ON CONFLICT (domain_id) DO NOTHING;
