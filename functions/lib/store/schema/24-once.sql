-- Requests that carry an Idempotency-Key, and the first answer to each.
-- oldest-program: 4

CREATE TABLE IF NOT EXISTS once_answers (
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	key TEXT NOT NULL, -- of the client's key and token
	request TEXT NOT NULL, -- of what was asked for
	holder TEXT NOT NULL, -- the request that is under way, or has made it
	at_ms BIGINT NOT NULL,
	until_ms BIGINT NOT NULL, -- when it is under way no more, whatever became of it
	answer TEXT, -- sealed under client's key and token; NULL: none yet
	PRIMARY KEY (account_id, key)
);

CREATE INDEX IF NOT EXISTS once_answers_by_time ON once_answers (at_ms);
