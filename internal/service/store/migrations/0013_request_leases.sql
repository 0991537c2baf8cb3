-- Until when a request with an Idempotency-Key is in progress, unless it says
-- so again.
ALTER TABLE job_requests ADD COLUMN until BIGINT NOT NULL DEFAULT 0;
