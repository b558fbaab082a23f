-- The names of addresses that send mail.
-- oldest-program: 4

-- the name of an address, for all domains that it sends for
CREATE TABLE IF NOT EXISTS report_source_names (
	source TEXT PRIMARY KEY,
	name TEXT NOT NULL, -- a name that resolves back to the address; "": none
	asked_at_ms BIGINT NOT NULL,
	ask_at_ms BIGINT NOT NULL
);

CREATE INDEX IF NOT EXISTS report_source_names_by_time ON report_source_names (asked_at_ms);
