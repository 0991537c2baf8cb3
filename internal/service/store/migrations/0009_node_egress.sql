-- From where a node asks mail hosts: a batch for another egress is free when no
-- node has it.
ALTER TABLE job_nodes ADD COLUMN egress TEXT NOT NULL DEFAULT '';
