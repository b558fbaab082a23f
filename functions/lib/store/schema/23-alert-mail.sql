-- Alerts by mail.
-- oldest-program: 4

-- Belongs to a row of alerts whose url is "mailto:ADDRESS", and whose secret is in the links that switch the
-- alert off. Its column active is 2 while the alert is on: programs of the previous release send a POST for
-- each alert with 1.
CREATE TABLE IF NOT EXISTS alert_mails (
	alert_id TEXT PRIMARY KEY REFERENCES alerts (id) ON DELETE CASCADE,
	account_id TEXT NOT NULL,
	confirmed_at_ms BIGINT NOT NULL DEFAULT 0, -- 0: not confirmed, so no alerts are sent
	token_digest TEXT NOT NULL DEFAULT '', -- digest of the token in the confirmation link; '': none
	token_until_ms BIGINT NOT NULL DEFAULT 0,
	due_at_ms BIGINT NOT NULL DEFAULT 0, -- when the next mail is sent; 0: none
	-- no try before this: the end of a lease, or of a pause after a failed try
	held_until_ms BIGINT NOT NULL DEFAULT 0,
	tries BIGINT NOT NULL DEFAULT 0 -- failed tries in a row
);

CREATE INDEX IF NOT EXISTS alert_mails_by_due ON alert_mails (due_at_ms);

-- the confirmation mails sent, which are limited per day for an address and for an account, even after the
-- alert is deleted
CREATE TABLE IF NOT EXISTS alert_mail_asks (
	id TEXT PRIMARY KEY,
	account_id TEXT NOT NULL,
	address TEXT NOT NULL,
	asked_at_ms BIGINT NOT NULL
);

CREATE INDEX IF NOT EXISTS alert_mail_asks_by_address ON alert_mail_asks (address);

CREATE INDEX IF NOT EXISTS alert_mail_asks_by_account ON alert_mail_asks (account_id);

CREATE INDEX IF NOT EXISTS alert_mail_asks_by_time ON alert_mail_asks (asked_at_ms);

-- for events sent by mail: no mail before this time contains it; 0: sent over HTTP. due_at_ms is 0 for mail
ALTER TABLE outbox ADD COLUMN IF NOT EXISTS mail_at_ms BIGINT NOT NULL DEFAULT 0;
