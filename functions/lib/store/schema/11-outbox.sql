-- Deliveries to the receivers that users have named, and their outcomes.
-- oldest-program: 4

CREATE TABLE IF NOT EXISTS outbox (
	id TEXT PRIMARY KEY,
	origin TEXT NOT NULL, -- the subject of the delivery: "test ID"
	event TEXT NOT NULL, -- the event of the origin; each is sent once
	account_id TEXT NOT NULL,
	url TEXT NOT NULL,
	secret TEXT NOT NULL,
	body TEXT NOT NULL, -- secret and body are '' when nothing is left to send
	created_at_ms BIGINT NOT NULL,
	until_ms BIGINT NOT NULL, -- when the delivery is given up
	forget_at_ms BIGINT NOT NULL,
	due_at_ms BIGINT NOT NULL, -- during a try the end of its lease; 0: finished
	state TEXT NOT NULL DEFAULT 'waiting',
	tries BIGINT NOT NULL DEFAULT 0,
	tried_at_ms BIGINT NOT NULL DEFAULT 0,
	status BIGINT NOT NULL DEFAULT 0, -- the last HTTP status; 0: none
	reason_code TEXT,
	reason TEXT,
	UNIQUE (origin, event)
);

CREATE INDEX IF NOT EXISTS outbox_by_due ON outbox (due_at_ms);

CREATE INDEX IF NOT EXISTS outbox_by_time ON outbox (forget_at_ms);

-- The receiver of the result of a test. These are columns and not a table, because programs of the previous
-- release delete sessions without knowing a new table.
ALTER TABLE tester_sessions ADD COLUMN IF NOT EXISTS callback_url TEXT;

ALTER TABLE tester_sessions ADD COLUMN IF NOT EXISTS callback_secret TEXT;

ALTER TABLE tester_sessions ADD COLUMN IF NOT EXISTS callback_account TEXT;
