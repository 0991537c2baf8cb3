-- When a list was last resumed: a key that ended before that does not pause it
-- again.
ALTER TABLE jobs ADD COLUMN resumed BIGINT NOT NULL DEFAULT 0;
CREATE INDEX jobs_by_key ON jobs (api_key);
