-- Links with which somebody gets an account, once. account is whoever invited; NULL: the command line.
CREATE TABLE invitations (
	id      TEXT NOT NULL PRIMARY KEY,
	hash    BYTEA NOT NULL UNIQUE,
	login   TEXT NOT NULL,
	role    TEXT NOT NULL,
	account TEXT REFERENCES accounts (id) ON DELETE CASCADE,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL
);
CREATE INDEX invitations_by_expiry ON invitations (expires);

-- Whose lists a key sees that was handed over; empty: those of its account.
ALTER TABLE api_keys ADD COLUMN lists TEXT NOT NULL DEFAULT '';
