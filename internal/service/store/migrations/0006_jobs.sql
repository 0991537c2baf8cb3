-- Lists that are verified in the background. owner is the account of the key that sent the list, or the key where it has none. A list that is
-- still arriving has the state 'loading' and the name of the node that reads it; one with a time in deleted is about to be deleted.
CREATE TABLE jobs (
	id          TEXT NOT NULL PRIMARY KEY,
	owner       TEXT NOT NULL,
	api_key     TEXT NOT NULL,
	name        TEXT NOT NULL,
	webhook     TEXT NOT NULL,
	state       TEXT NOT NULL,
	problem     TEXT NOT NULL,
	node        TEXT NOT NULL,
	row_count   BIGINT NOT NULL,
	duplicates  BIGINT NOT NULL,
	unusable    BIGINT NOT NULL,
	addresses   BIGINT NOT NULL,
	done        BIGINT NOT NULL,
	segments    BIGINT NOT NULL,
	batches     BIGINT NOT NULL,
	quota_month BIGINT NOT NULL,
	created     BIGINT NOT NULL,
	started     BIGINT NOT NULL,
	finished    BIGINT NOT NULL,
	expires     BIGINT NOT NULL,
	deleted     BIGINT NOT NULL,
	format      TEXT NOT NULL,
	head        BYTEA NOT NULL
);
CREATE INDEX jobs_by_owner ON jobs (owner, created, id);
CREATE INDEX jobs_by_state ON jobs (state);
CREATE INDEX jobs_by_expiry ON jobs (expires);

-- How many addresses of a job have which result, and why.
CREATE TABLE job_counts (
	job       TEXT NOT NULL,
	result    TEXT NOT NULL,
	reason    TEXT NOT NULL,
	addresses BIGINT NOT NULL,
	PRIMARY KEY (job, result, reason)
);

-- The rows of a list, in order; each segment has some thousands of them, compressed.
CREATE TABLE job_segments (
	job     TEXT NOT NULL,
	segment BIGINT NOT NULL,
	data    BYTEA NOT NULL,
	PRIMARY KEY (job, segment)
);

-- Addresses of one segment that are still to be asked about: those of a large domain, or of several small ones (domain is empty). node has the
-- batch while it is alive; claim goes up whenever a node takes it, so that one that was given up for lost cannot finish it.
CREATE TABLE job_batches (
	job       TEXT NOT NULL,
	id        BIGINT NOT NULL,
	segment   BIGINT NOT NULL,
	domain    TEXT NOT NULL,
	egress    TEXT NOT NULL,
	fresh     BIGINT NOT NULL,
	run_after BIGINT NOT NULL,
	node      TEXT NOT NULL,
	claim     BIGINT NOT NULL,
	addresses BIGINT NOT NULL,
	data      BYTEA NOT NULL,
	PRIMARY KEY (job, id)
);
CREATE INDEX job_batches_due ON job_batches (job, fresh, run_after, id);

-- Results of addresses of one segment, as batches bring them.
CREATE TABLE job_results (
	job     TEXT NOT NULL,
	segment BIGINT NOT NULL,
	batch   BIGINT NOT NULL,
	part    BIGINT NOT NULL,
	data    BYTEA NOT NULL,
	PRIMARY KEY (job, segment, batch, part)
);

-- Nodes that work on jobs, and until when they are not to be given up for lost.
CREATE TABLE job_nodes (
	node  TEXT NOT NULL PRIMARY KEY,
	alive BIGINT NOT NULL
);

-- What the header Idempotency-Key has named: body is empty while the request is in progress on the node.
CREATE TABLE job_requests (
	owner TEXT NOT NULL,
	token BYTEA NOT NULL,
	body  BYTEA NOT NULL,
	job   TEXT NOT NULL,
	node  TEXT NOT NULL,
	at    BIGINT NOT NULL,
	PRIMARY KEY (owner, token)
);
CREATE INDEX job_requests_by_time ON job_requests (at);
