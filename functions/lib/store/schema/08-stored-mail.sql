-- The space that test mail takes in the mail store.
-- oldest-program: 4

-- messages of sessions that are in the mail store, and the space that they take
CREATE TABLE IF NOT EXISTS stored_mail (
	message_id TEXT PRIMARY KEY,
	own TEXT NOT NULL, -- the client's network: an IPv4 address, an IPv6 /64
	site TEXT, -- the /48 around it
	octets BIGINT NOT NULL,
	kept_until_ms BIGINT NOT NULL -- stored until then at the latest
);

CREATE INDEX IF NOT EXISTS stored_mail_by_time ON stored_mail (kept_until_ms);

-- the sums by network ("": all), in parts so that several processes can write at the same time
CREATE TABLE IF NOT EXISTS stored_mail_sums (
	network TEXT NOT NULL,
	part BIGINT NOT NULL,
	octets BIGINT NOT NULL,
	PRIMARY KEY (network, part)
);
