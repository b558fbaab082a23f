-- The MTA-STS mode none.
-- oldest-program: 4

-- In mode none: the time until which senders may hold the previous policy; 0: another mode. The column
-- mode is testing meanwhile, so that programs of earlier releases, which know only two modes, serve that.
ALTER TABLE mta_sts ADD COLUMN IF NOT EXISTS none_until_ms BIGINT NOT NULL DEFAULT 0;
