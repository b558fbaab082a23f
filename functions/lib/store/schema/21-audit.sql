-- The changes that tokens made to an account over the API.
-- oldest-program: 4

-- with the names at the time of the change, because token and domain may be deleted later
CREATE TABLE IF NOT EXISTS audit_log (
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	id TEXT NOT NULL, -- ids sort by time
	at_ms BIGINT NOT NULL,
	token_id TEXT NOT NULL,
	token_name TEXT NOT NULL,
	action TEXT NOT NULL,
	domain TEXT, -- NULL: the change is about the whole account
	subject TEXT,
	PRIMARY KEY (account_id, id)
);

CREATE INDEX IF NOT EXISTS audit_log_by_time ON audit_log (at_ms);
