-- The ID of the key that this one was made to replace; empty: none.
ALTER TABLE api_keys ADD COLUMN replaces TEXT NOT NULL DEFAULT '';
