-- The host of a webhook's receiver: receivers that hang hold up their own
-- webhooks only. Empty: an earlier version stored it.
ALTER TABLE webhooks ADD COLUMN host TEXT NOT NULL DEFAULT '';
