-- The names of addresses that send mail.
-- oldest-program: 4

-- of an address, whatever domains it sends for
CREATE TABLE IF NOT EXISTS report_source_names (
	source TEXT PRIMARY KEY,
	name TEXT NOT NULL, -- that resolves back to it, "" none
	asked_at_ms BIGINT NOT NULL,
	ask_at_ms BIGINT NOT NULL
);

CREATE INDEX IF NOT EXISTS report_source_names_by_time ON report_source_names (asked_at_ms);
