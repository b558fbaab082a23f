-- Alerts that are told by mail.
-- oldest-program: 4

-- Beside a row of alerts, whose url is "mailto:ADDRESS", whose secret is in the links that
-- switch it off, and whose active is 2 while it is on: programs of the release before tell
-- those with 1 alone, and would send a POST.
CREATE TABLE IF NOT EXISTS alert_mails (
	alert_id TEXT PRIMARY KEY REFERENCES alerts (id) ON DELETE CASCADE,
	account_id TEXT NOT NULL,
	confirmed_at_ms BIGINT NOT NULL DEFAULT 0, -- 0: nothing is told to the address
	token_digest TEXT NOT NULL DEFAULT '', -- of the link that confirms; '' without
	token_until_ms BIGINT NOT NULL DEFAULT 0,
	due_at_ms BIGINT NOT NULL DEFAULT 0, -- when a mail is to be sent; 0: none
	-- not before: the end of the lease of who sends it, or of a pause after a failed try
	held_until_ms BIGINT NOT NULL DEFAULT 0,
	tries BIGINT NOT NULL DEFAULT 0 -- that failed, one after another
);

CREATE INDEX IF NOT EXISTS alert_mails_by_due ON alert_mails (due_at_ms);

-- links that were asked for: so many a day for an address and for an account, whatever
-- becomes of the alert
CREATE TABLE IF NOT EXISTS alert_mail_asks (
	id TEXT PRIMARY KEY,
	account_id TEXT NOT NULL,
	address TEXT NOT NULL,
	asked_at_ms BIGINT NOT NULL
);

CREATE INDEX IF NOT EXISTS alert_mail_asks_by_address ON alert_mail_asks (address);

CREATE INDEX IF NOT EXISTS alert_mail_asks_by_account ON alert_mail_asks (account_id);

CREATE INDEX IF NOT EXISTS alert_mail_asks_by_time ON alert_mail_asks (asked_at_ms);

-- of what goes by mail: no mail before has it; 0: it goes by HTTP. due_at_ms is 0 there
ALTER TABLE outbox ADD COLUMN IF NOT EXISTS mail_at_ms BIGINT NOT NULL DEFAULT 0;
