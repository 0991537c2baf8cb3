-- Networks from which accounts have signed in, as salted hashes. at is the time of the last sign-in.
CREATE TABLE networks (
	account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	network BYTEA NOT NULL,
	at      BIGINT NOT NULL,
	PRIMARY KEY (account, network)
);
CREATE INDEX networks_by_time ON networks (at);
