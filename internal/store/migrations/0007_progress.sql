-- The tenth of a job's addresses of which its webhook is told next; 0: it is told of the end alone.
ALTER TABLE jobs ADD COLUMN progress BIGINT NOT NULL DEFAULT 0;
