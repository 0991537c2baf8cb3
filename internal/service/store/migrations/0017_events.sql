-- What people and programs have done. actor and object are IDs of rows that may be gone; the names are as they were then, without addresses.
CREATE TABLE events (
	id          TEXT NOT NULL PRIMARY KEY,
	at          BIGINT NOT NULL,
	source      TEXT NOT NULL,
	actor       TEXT NOT NULL,
	actor_name  TEXT NOT NULL,
	what        TEXT NOT NULL,
	object      TEXT NOT NULL,
	object_name TEXT NOT NULL,
	detail      TEXT NOT NULL
);
CREATE INDEX events_by_time ON events (at, id);
