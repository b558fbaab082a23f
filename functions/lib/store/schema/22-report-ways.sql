-- The way on which a report came.
-- oldest-program: 4

-- how it came: "mail", "https", "upload"
ALTER TABLE report_origins ADD COLUMN IF NOT EXISTS way TEXT NOT NULL DEFAULT 'mail';
