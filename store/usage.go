package store

import (
	"context"
	"database/sql"
	"time"
)

// LatencyBounds are the upper bounds of the buckets in which durations are
// counted. The last bucket has all longer ones.
var LatencyBounds = [...]time.Duration{
	time.Millisecond, 5 * time.Millisecond, 25 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Hour,
}

// Use is one verification that was answered.
type Use struct {
	Key      string // the ID
	At       time.Time
	Result   string // the verdict
	Reason   string
	Cached   bool // answered from what was remembered
	Duration time.Duration
}

// Usage is what a key was used for on a day, by result, reason and whether the
// result was cached.
type Usage struct {
	Key      string
	Day      time.Time // midnight in UTC
	Result   string
	Reason   string
	Cached   bool
	Count    int64
	Duration time.Duration             // of all together
	Latency  [len(LatencyBounds)]int64 // how many of Count fell into which bucket
}

// UsageQuery says which usage is wanted.
type UsageQuery struct {
	Key  string    // the ID; empty: every key
	From time.Time // the first day
	To   time.Time // the last day; zero: today
}

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
		if len(all) == 0 || !all[len(all)-1].sameAs(&row) {
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

func (u *Usage) sameAs(v *Usage) bool {
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
