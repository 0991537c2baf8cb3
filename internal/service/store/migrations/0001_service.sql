-- What the service needs to know keys, accounts, usage and verdicts.

CREATE TABLE meta (
	name  TEXT NOT NULL PRIMARY KEY,
	value BYTEA NOT NULL
);

-- A version goes up with every change of its topic, in the same transaction.
CREATE TABLE versions (
	topic   TEXT NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL
);
INSERT INTO versions (topic, version) VALUES ('keys', 1), ('settings', 1), ('verdicts', 1);

CREATE TABLE accounts (
	id       TEXT NOT NULL PRIMARY KEY,
	login    TEXT NOT NULL UNIQUE,
	password TEXT NOT NULL,
	created  BIGINT NOT NULL
);

CREATE TABLE sessions (
	hash    BYTEA NOT NULL PRIMARY KEY,
	account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL
);
CREATE INDEX sessions_by_account ON sessions (account);
CREATE INDEX sessions_by_expiry ON sessions (expires);

CREATE TABLE setup_tokens (
	hash    BYTEA NOT NULL PRIMARY KEY,
	expires BIGINT NOT NULL
);

CREATE TABLE settings (
	name    TEXT NOT NULL PRIMARY KEY,
	value   TEXT NOT NULL,
	changed BIGINT NOT NULL
);

-- Scopes and networks have spaces between them. Zero is no limit, or never.
CREATE TABLE api_keys (
	id          TEXT NOT NULL PRIMARY KEY,
	hash        BYTEA NOT NULL UNIQUE,
	name        TEXT NOT NULL,
	account     TEXT REFERENCES accounts (id) ON DELETE SET NULL,
	scopes      TEXT NOT NULL,
	rate        DOUBLE PRECISION NOT NULL,
	burst       BIGINT NOT NULL,
	concurrency BIGINT NOT NULL,
	quota       BIGINT NOT NULL,
	networks    TEXT NOT NULL,
	created     BIGINT NOT NULL,
	expires     BIGINT NOT NULL,
	revoked     BIGINT NOT NULL
);
CREATE INDEX api_keys_by_account ON api_keys (account);

-- Beside api_keys, because a fixed key from the environment has no row there, and because this one is written all the time.
CREATE TABLE key_uses (
	api_key TEXT NOT NULL PRIMARY KEY,
	at      BIGINT NOT NULL
);

-- latency is the upper bound, in milliseconds, of the bucket that the answers fell into.
CREATE TABLE usage (
	api_key  TEXT NOT NULL,
	day      BIGINT NOT NULL,
	result   TEXT NOT NULL,
	reason   TEXT NOT NULL,
	cached   BIGINT NOT NULL,
	latency  BIGINT NOT NULL,
	answers  BIGINT NOT NULL,
	duration BIGINT NOT NULL,
	PRIMARY KEY (api_key, day, result, reason, cached, latency)
);
CREATE INDEX usage_by_day ON usage (day);

-- granted is what the last reservation got: the one statement that reserves reads it back.
CREATE TABLE quotas (
	api_key TEXT NOT NULL,
	month   BIGINT NOT NULL,
	used    BIGINT NOT NULL,
	granted BIGINT NOT NULL,
	PRIMARY KEY (api_key, month)
);

CREATE TABLE verdicts (
	hash    BYTEA NOT NULL PRIMARY KEY,
	result  TEXT NOT NULL,
	reason  TEXT NOT NULL,
	checked BIGINT NOT NULL,
	expires BIGINT NOT NULL
);
CREATE INDEX verdicts_by_expiry ON verdicts (expires);

-- claim goes up whenever a node takes the row, so that one whose lease ran out cannot finish what another one has begun.
CREATE TABLE rechecks (
	hash      BYTEA NOT NULL PRIMARY KEY,
	address   TEXT NOT NULL,
	egress    TEXT NOT NULL,
	attempts  BIGINT NOT NULL,
	created   BIGINT NOT NULL,
	run_after BIGINT NOT NULL,
	give_up   BIGINT NOT NULL,
	leased    BIGINT NOT NULL,
	claim     BIGINT NOT NULL
);
CREATE INDEX rechecks_due ON rechecks (egress, run_after);
CREATE INDEX rechecks_by_end ON rechecks (give_up);
