-- The end of the lease on a due row, and the due time for which it was taken. Neither is in an index, so
-- PostgreSQL writes no index entries for a claim if the row's page has room for another version of it.
-- Therefore pages get free room; full pages get it as their rows move.
-- oldest-program: 4

ALTER TABLE dkim_selectors ADD COLUMN IF NOT EXISTS leased_until_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE dkim_selectors ADD COLUMN IF NOT EXISTS leased_due_ms BIGINT NOT NULL DEFAULT 0;

ALTER TABLE mta_sts ADD COLUMN IF NOT EXISTS leased_until_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE mta_sts ADD COLUMN IF NOT EXISTS leased_due_ms BIGINT NOT NULL DEFAULT 0;

ALTER TABLE posture ADD COLUMN IF NOT EXISTS leased_until_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE posture ADD COLUMN IF NOT EXISTS leased_due_ms BIGINT NOT NULL DEFAULT 0;

ALTER TABLE report_watch ADD COLUMN IF NOT EXISTS leased_until_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE report_watch ADD COLUMN IF NOT EXISTS leased_due_ms BIGINT NOT NULL DEFAULT 0;

ALTER TABLE dkim_selectors SET (fillfactor = 85);
ALTER TABLE mta_sts SET (fillfactor = 85);
ALTER TABLE posture SET (fillfactor = 85);
