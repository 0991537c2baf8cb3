-- The last batch of small writes of each process. A commit may succeed although the connection fails within it; a batch that is tried again is
-- found here and not counted twice.
CREATE TABLE writers (
	writer TEXT NOT NULL PRIMARY KEY,
	batch  BIGINT NOT NULL,
	at     BIGINT NOT NULL
);
CREATE INDEX writers_by_time ON writers (at);
