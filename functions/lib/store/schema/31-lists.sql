-- The orders of the lists that may be long, so that a page of a long list costs what one of a short list does.
-- Those of a domain's selectors and of its history are short, and their rows are written often.
-- oldest-program: 4

CREATE INDEX IF NOT EXISTS domains_by_age ON domains (account_id, created_at_ms, id COLLATE "C");

-- for PostgreSQL only: the keys of its tables are in the order of a language, but lists are in the
-- order of octets
CREATE INDEX IF NOT EXISTS domains_by_octets ON domains (account_id, name COLLATE "C");
CREATE INDEX IF NOT EXISTS report_reporters_by_octets ON report_reporters (domain_id, reporter COLLATE "C");
CREATE INDEX IF NOT EXISTS audit_log_by_octets ON audit_log (account_id, id COLLATE "C");
