package rows

import "time"

// LatencyBounds are the upper bounds of the buckets in which durations are
// counted. The last bucket has all longer ones.
var LatencyBounds = [...]time.Duration{
	time.Millisecond, 5 * time.Millisecond, 25 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
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

// Reservation is a block of a key's monthly quota that no other node can use.
type Reservation struct {
	Key   string    // the ID
	Month time.Time // its beginning, in UTC
	Units int64     // how many were granted; zero: the quota is used up
}
