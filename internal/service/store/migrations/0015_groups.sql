-- How many rows of a job are of which group, and how many distinct addresses. A job that an earlier version has begun has none of these rows.
CREATE TABLE job_groups (
	job       TEXT NOT NULL,
	grp       TEXT NOT NULL,
	row_count BIGINT NOT NULL,
	addresses BIGINT NOT NULL,
	PRIMARY KEY (job, grp)
);
-- How many rows count with the addresses of a batch, and of which group they are until they are asked about again.
ALTER TABLE job_batches ADD COLUMN row_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job_batches ADD COLUMN kept_group TEXT NOT NULL DEFAULT '';
