-- The forwarded messages in reports.
-- oldest-program: 4

-- part of total, besides passed and failed; 0 in lines of earlier releases
ALTER TABLE reports ADD COLUMN IF NOT EXISTS forwarded BIGINT NOT NULL DEFAULT 0;
