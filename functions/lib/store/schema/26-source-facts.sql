-- The network of an address that sends mail, its operator, and the results of blocklists.
-- oldest-program: 4

ALTER TABLE report_source_names ADD COLUMN IF NOT EXISTS network TEXT NOT NULL DEFAULT '';
ALTER TABLE report_source_names ADD COLUMN IF NOT EXISTS asn BIGINT NOT NULL DEFAULT 0;
ALTER TABLE report_source_names ADD COLUMN IF NOT EXISTS as_name TEXT NOT NULL DEFAULT '';
ALTER TABLE report_source_names ADD COLUMN IF NOT EXISTS lists TEXT NOT NULL DEFAULT '';
ALTER TABLE report_source_names ADD COLUMN IF NOT EXISTS facts_at_ms BIGINT NOT NULL DEFAULT 0;
