-- Tester sessions and the messages they received.
-- oldest-program: 1

CREATE TABLE IF NOT EXISTS tester_sessions (
	test_id TEXT PRIMARY KEY,
	client TEXT NOT NULL, -- who made the session, to count it
	created_at_ms BIGINT NOT NULL,
	expires_at_ms BIGINT NOT NULL,
	reanalyze_from_ms BIGINT NOT NULL DEFAULT 0 -- earliest time of the next reanalysis
);

CREATE INDEX IF NOT EXISTS tester_sessions_by_client ON tester_sessions (client, created_at_ms);

CREATE INDEX IF NOT EXISTS tester_sessions_by_expiry ON tester_sessions (expires_at_ms);

CREATE TABLE IF NOT EXISTS tester_messages (
	test_id TEXT NOT NULL REFERENCES tester_sessions (test_id),
	message_id TEXT NOT NULL, -- in the mail store; one message may serve several sessions
	received_at_ms BIGINT NOT NULL,
	client_ip TEXT, -- this and below: the envelope, NULL if the receiver did not give it
	helo TEXT,
	mail_from TEXT,
	tls TEXT,
	result TEXT NOT NULL, -- JSON object
	PRIMARY KEY (test_id, message_id)
);

CREATE INDEX IF NOT EXISTS tester_messages_by_time
	ON tester_messages (test_id, received_at_ms, message_id);

CREATE INDEX IF NOT EXISTS tester_messages_by_message ON tester_messages (message_id);
