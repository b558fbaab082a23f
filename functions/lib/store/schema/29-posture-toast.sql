-- What a look saw is kept beside the row that is leased and touched for each look, so that PostgreSQL
-- does not write it anew each time. Rows follow when they are next written.
-- oldest-program: 4

ALTER TABLE posture SET (toast_tuple_target = 128);
