-- Slots that make processes create the sessions of one client one after another.
-- oldest-program: 4

-- These rows are only locked: a process that counts a client's sessions and adds one holds the lock of the
-- client's row (session-create.c).
CREATE TABLE IF NOT EXISTS tester_client_slots (
	slot BIGINT PRIMARY KEY
);

INSERT INTO tester_client_slots
	WITH RECURSIVE n (slot) AS (
		SELECT CAST(0 AS BIGINT)
		UNION ALL
		SELECT slot + 1 FROM n WHERE slot < 1023
	)
	SELECT slot FROM n WHERE true
	ON CONFLICT DO NOTHING;
