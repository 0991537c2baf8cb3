-- A key shares its quota with those that it replaces: the row is that of the first of them. A key began with what the one before had used.
INSERT INTO quotas (api_key, month, used, granted)
WITH RECURSIVE line (id, first) AS (
	SELECT id, id FROM api_keys WHERE replaces = ''
	UNION ALL SELECT k.id, line.first FROM api_keys k JOIN line ON k.replaces = line.id)
SELECT line.first, q.month, MAX(q.used), 0 FROM quotas q JOIN line ON line.id = q.api_key WHERE line.id <> line.first GROUP BY line.first, q.month
ON CONFLICT (api_key, month) DO UPDATE SET used = CASE WHEN excluded.used > quotas.used THEN excluded.used ELSE quotas.used END;
