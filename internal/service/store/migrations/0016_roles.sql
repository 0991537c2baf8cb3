-- What a person may do. Whoever had an account could do everything.
ALTER TABLE accounts ADD COLUMN role TEXT NOT NULL DEFAULT '';
UPDATE accounts SET role = 'admin';
