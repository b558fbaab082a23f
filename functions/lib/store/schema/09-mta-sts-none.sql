-- The MTA-STS mode none.
-- oldest-program: 4

-- The mode is none: until when senders may hold the policy of before; 0 it is not. The
-- column mode says testing meanwhile, which is what programs that know two modes serve
-- then.
ALTER TABLE mta_sts ADD COLUMN IF NOT EXISTS none_until_ms BIGINT NOT NULL DEFAULT 0;
