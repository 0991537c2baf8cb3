-- What the addresses of a batch have as their result until they are asked about again, and keep if the job ends before that; empty: nothing.
ALTER TABLE job_batches ADD COLUMN kept_result TEXT NOT NULL DEFAULT '';
ALTER TABLE job_batches ADD COLUMN kept_reason TEXT NOT NULL DEFAULT '';
-- Addresses of a list whose result was there before; the list that it is compared with; where mail about its end goes.
ALTER TABLE jobs ADD COLUMN reused BIGINT NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN compared_with TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN notify TEXT NOT NULL DEFAULT '';
