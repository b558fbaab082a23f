-- Test messages that arrive over HTTP.
-- oldest-program: 4

-- Messages that arrived over HTTP. There is no foreign key, because programs of the previous release
-- delete sessions without knowing this table.
CREATE TABLE IF NOT EXISTS tester_uploads (
	message_id TEXT PRIMARY KEY,
	test_id TEXT NOT NULL,
	client TEXT NOT NULL, -- who sent the message, to count it
	received_at_ms BIGINT NOT NULL,
	client_ip TEXT NOT NULL,
	helo TEXT NOT NULL, -- as the client gave it, '' if not given
	mail_from TEXT NOT NULL,
	tries BIGINT NOT NULL DEFAULT 0,
	due_at_ms BIGINT NOT NULL -- the time to analyze it; 0: it was analyzed
);

CREATE INDEX IF NOT EXISTS tester_uploads_by_session ON tester_uploads (test_id, due_at_ms);

CREATE INDEX IF NOT EXISTS tester_uploads_by_client ON tester_uploads (client, received_at_ms);

CREATE INDEX IF NOT EXISTS tester_uploads_by_due ON tester_uploads (due_at_ms, message_id);

CREATE INDEX IF NOT EXISTS tester_uploads_by_time ON tester_uploads (received_at_ms);
