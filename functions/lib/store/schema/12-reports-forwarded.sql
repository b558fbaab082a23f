-- Messages that were forwarded, in reports.
-- oldest-program: 4

-- of total, beside passed and failed; lines from before count none
ALTER TABLE reports ADD COLUMN IF NOT EXISTS forwarded BIGINT NOT NULL DEFAULT 0;
