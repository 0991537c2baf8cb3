-- Events that are to be sent to receivers, and what came of it. line is the first of the keys that replaced one another: they share webhooks and
-- secrets. claim goes up whenever a node takes the row, as in rechecks. step counts the tries since the schedule began, tries all of them.
CREATE TABLE webhooks (
	id      TEXT NOT NULL PRIMARY KEY,
	line    TEXT NOT NULL,
	job     TEXT NOT NULL,
	event   TEXT NOT NULL,
	url     TEXT NOT NULL,
	body    TEXT NOT NULL,
	state   TEXT NOT NULL,
	created BIGINT NOT NULL,
	due     BIGINT NOT NULL,
	step    BIGINT NOT NULL,
	tries   BIGINT NOT NULL,
	leased  BIGINT NOT NULL,
	claim   BIGINT NOT NULL
);
CREATE INDEX webhooks_due ON webhooks (due) WHERE state = 'pending';
CREATE INDEX webhooks_by_line ON webhooks (line, created);
CREATE INDEX webhooks_by_job ON webhooks (job);
CREATE INDEX webhooks_by_time ON webhooks (created);

CREATE TABLE webhook_tries (
	webhook  TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
	number   BIGINT NOT NULL,
	at       BIGINT NOT NULL,
	status   BIGINT NOT NULL,
	error    TEXT NOT NULL,
	duration BIGINT NOT NULL,
	answer   TEXT NOT NULL,
	PRIMARY KEY (webhook, number)
);

-- place is current or previous: while receivers change over, both sign. They sign, so they are in clear.
CREATE TABLE webhook_secrets (
	line    TEXT NOT NULL,
	place   TEXT NOT NULL,
	secret  TEXT NOT NULL,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	PRIMARY KEY (line, place)
);

-- Receivers that answered 410 Gone.
CREATE TABLE webhook_gone (
	line TEXT NOT NULL,
	url  TEXT NOT NULL,
	at   BIGINT NOT NULL,
	PRIMARY KEY (line, url)
);
