-- The room that test mail takes in the mail store.
-- oldest-program: 4

-- messages of sessions whose bytes are in the mail store, and what room they take
CREATE TABLE IF NOT EXISTS stored_mail (
	message_id TEXT PRIMARY KEY,
	own TEXT NOT NULL, -- the client's network: an IPv4 address, an IPv6 /64
	site TEXT, -- the /48 around it
	octets BIGINT NOT NULL,
	kept_until_ms BIGINT NOT NULL -- at most
);

CREATE INDEX IF NOT EXISTS stored_mail_by_time ON stored_mail (kept_until_ms);

-- the sums of them by network, "" for all, in parts that are written beside one another
CREATE TABLE IF NOT EXISTS stored_mail_sums (
	network TEXT NOT NULL,
	part BIGINT NOT NULL,
	octets BIGINT NOT NULL,
	PRIMARY KEY (network, part)
);
