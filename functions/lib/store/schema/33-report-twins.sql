-- The reports that the same reporter gave the same id: a report that is uploaded, or comes by mail after an
-- upload, would otherwise be looked for in all reports of the domain.
-- oldest-program: 4

CREATE INDEX IF NOT EXISTS reports_by_reporter_id
	ON reports (domain_id, reporter_id, organization, begins_at_ms) WHERE state = 'read';
