-- The reports of one reporter in their order: a reporter that sends one report in a thousand would otherwise be
-- looked for in all reports of the domain.
-- oldest-program: 4

CREATE INDEX IF NOT EXISTS report_origins_by_reporter ON report_origins (domain_id, reporter, report_id);
