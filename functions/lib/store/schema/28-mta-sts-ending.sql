-- How long MTA-STS policies are still hosted after the account's plan no longer includes it.
-- oldest-program: 4

-- 0: the plan includes hosting, or nothing is hosted; 1: the remaining time has not begun yet
ALTER TABLE mta_sts ADD COLUMN IF NOT EXISTS hosting_ends_at_ms BIGINT NOT NULL DEFAULT 0;

CREATE INDEX IF NOT EXISTS mta_sts_by_hosting_end ON mta_sts (hosting_ends_at_ms)
	WHERE hosting_ends_at_ms > 0;

-- for plans that were lowered before this release
UPDATE mta_sts SET hosting_ends_at_ms = 1
	WHERE hosted = 1 AND hosting_ends_at_ms = 0
	AND domain_id IN (SELECT d.id FROM domains d JOIN accounts a ON a.id = d.account_id
		WHERE a.plan <> 'paid');
