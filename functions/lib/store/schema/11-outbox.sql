-- What is delivered to the receivers that users have named, and what came of it.
-- oldest-program: 4

CREATE TABLE IF NOT EXISTS outbox (
	id TEXT PRIMARY KEY,
	origin TEXT NOT NULL, -- what it tells of: "test ID"
	event TEXT NOT NULL, -- and what happened to it, once
	account_id TEXT NOT NULL,
	url TEXT NOT NULL,
	secret TEXT NOT NULL,
	body TEXT NOT NULL, -- both '' once nothing is to be sent
	created_at_ms BIGINT NOT NULL,
	until_ms BIGINT NOT NULL, -- then it is given up
	forget_at_ms BIGINT NOT NULL,
	due_at_ms BIGINT NOT NULL, -- or the end of the lease of who sends it now; 0: settled
	state TEXT NOT NULL DEFAULT 'waiting',
	tries BIGINT NOT NULL DEFAULT 0,
	tried_at_ms BIGINT NOT NULL DEFAULT 0,
	status BIGINT NOT NULL DEFAULT 0, -- of HTTP, the last; 0 none
	reason_code TEXT,
	reason TEXT,
	UNIQUE (origin, event)
);

CREATE INDEX IF NOT EXISTS outbox_by_due ON outbox (due_at_ms);

CREATE INDEX IF NOT EXISTS outbox_by_time ON outbox (forget_at_ms);

-- Whom the result of a test is sent to. Columns, as programs of the release before delete
-- sessions without knowing of this.
ALTER TABLE tester_sessions ADD COLUMN IF NOT EXISTS callback_url TEXT;

ALTER TABLE tester_sessions ADD COLUMN IF NOT EXISTS callback_secret TEXT;

ALTER TABLE tester_sessions ADD COLUMN IF NOT EXISTS callback_account TEXT;
