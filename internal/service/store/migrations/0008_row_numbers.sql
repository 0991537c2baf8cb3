-- The number of a segment's first row in its list, from 0; -1: an earlier
-- version stored it. The index has it without the rows.
ALTER TABLE job_segments ADD COLUMN first_row BIGINT NOT NULL DEFAULT -1;
CREATE INDEX job_segments_first_row ON job_segments (job, segment, first_row);
