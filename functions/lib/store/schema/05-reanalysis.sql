-- Clients that had messages analyzed again.
-- oldest-program: 4

CREATE TABLE IF NOT EXISTS reanalysis_clients (
	client TEXT PRIMARY KEY,
	used_until_ms BIGINT NOT NULL -- an hour in the future: the limit is used up
);

CREATE INDEX IF NOT EXISTS reanalysis_clients_by_time ON reanalysis_clients (used_until_ms);
