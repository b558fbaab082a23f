-- The way in which a report arrived.
-- oldest-program: 4

-- how the report arrived: "mail", "https" or "upload"
ALTER TABLE report_origins ADD COLUMN IF NOT EXISTS way TEXT NOT NULL DEFAULT 'mail';
