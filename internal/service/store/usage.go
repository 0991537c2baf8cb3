package store

import (
	"context"
	"database/sql"
	"time"
)

// RecordUse queues a use to be counted.
func (s *Store) RecordUse(u Use) { s.queue.use(u) }

// Usage returns what has been counted and committed, by day, key, result,
// reason and cached.
func (s *Store) Usage(ctx context.Context, q UsageQuery) (all []Usage, err error) {
	if q.To.IsZero() {
		q.To = s.now()
	}
	err = s.read(ctx, "read usage", func(ctx context.Context, db *sql.DB) error {
		rows, err := collect(ctx, db, scanUsage, `
			SELECT api_key, day, result, reason, cached, latency, answers, duration FROM usage
			WHERE day >= $1 AND day <= $2 AND (api_key = $3 OR $3 = '')
			ORDER BY day, api_key, result, reason, cached`,
			millisOf(dayOf(q.From)), millisOf(dayOf(q.To)), q.Key)
		all = merged(rows)
		return err
	})
	return all, err
}

func scanUsage(row scanner) (Usage, error) {
	var u Usage
	var day millis
	var cached, latency, duration int64
	err := row.Scan(&u.Key, &day, &u.Result, &u.Reason, &cached, &latency, &u.Count, &duration)
	u.Day, u.Cached, u.Duration = day.time(), cached != 0, time.Duration(duration)*time.Millisecond
	u.Latency[bucketOf(time.Duration(latency)*time.Millisecond)] = u.Count
	return u, err
}

// merged makes one of neighbours that differ in the bucket alone.
func merged(rows []Usage) []Usage {
	var all []Usage
	for _, row := range rows {
		if len(all) == 0 || !sameUsage(&all[len(all)-1], &row) {
			all = append(all, row)
			continue
		}
		last := &all[len(all)-1]
		last.Count += row.Count
		last.Duration += row.Duration
		for bucket, count := range row.Latency {
			last.Latency[bucket] += count
		}
	}
	return all
}

func sameUsage(u, v *Usage) bool {
	return u.Key == v.Key && u.Day.Equal(v.Day) && u.Result == v.Result && u.Reason == v.Reason && u.Cached == v.Cached
}

// bucketOf returns the index in LatencyBounds of the bucket for d.
func bucketOf(d time.Duration) int {
	for bucket, bound := range LatencyBounds {
		if d <= bound {
			return bucket
		}
	}
	return len(LatencyBounds) - 1
}

// useRow and useSum are a row of the table usage.
type useRow struct {
	key, result, reason string
	day                 millis
	cached, latency     int64
}

type useSum struct {
	count    int64
	duration time.Duration
}

func rowOf(u Use) useRow {
	row := useRow{
		key: storable(u.Key), result: storable(u.Result), reason: storable(u.Reason),
		day:     millisOf(dayOf(u.At)),
		latency: LatencyBounds[bucketOf(u.Duration)].Milliseconds(),
	}
	if u.Cached {
		row.cached = 1
	}
	return row
}
