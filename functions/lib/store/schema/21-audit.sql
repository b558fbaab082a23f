-- Who changed what of an account over the API.
-- oldest-program: 4

-- with the names as they were: token and domain may be gone
CREATE TABLE IF NOT EXISTS audit_log (
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	id TEXT NOT NULL, -- in the order of time
	at_ms BIGINT NOT NULL,
	token_id TEXT NOT NULL,
	token_name TEXT NOT NULL,
	action TEXT NOT NULL,
	domain TEXT, -- NULL: about the whole account
	subject TEXT,
	PRIMARY KEY (account_id, id)
);

CREATE INDEX IF NOT EXISTS audit_log_by_time ON audit_log (at_ms);
