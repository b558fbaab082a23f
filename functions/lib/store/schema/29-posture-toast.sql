-- Stores the results of a look outside the row that each look leases and updates, so that PostgreSQL does not
-- write them again each time. Existing rows are converted when they are next written.
-- oldest-program: 4

ALTER TABLE posture SET (toast_tuple_target = 128);
