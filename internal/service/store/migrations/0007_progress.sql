-- The tenth of a job's addresses at which there is a webhook next; 0: there is one at the end alone.
ALTER TABLE jobs ADD COLUMN progress BIGINT NOT NULL DEFAULT 0;
