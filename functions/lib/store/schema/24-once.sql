-- Requests with an Idempotency-Key, and the first answer to each.
-- oldest-program: 4

CREATE TABLE IF NOT EXISTS once_answers (
	account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	key TEXT NOT NULL, -- digest of the client's key and token
	request TEXT NOT NULL, -- digest of the request
	holder TEXT NOT NULL, -- the running request, or the one that made the answer
	at_ms BIGINT NOT NULL,
	until_ms BIGINT NOT NULL, -- after this time the request no longer counts as running
	answer TEXT, -- sealed with the client's key and token; NULL: none yet
	PRIMARY KEY (account_id, key)
);

CREATE INDEX IF NOT EXISTS once_answers_by_time ON once_answers (at_ms);
