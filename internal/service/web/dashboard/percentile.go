package dashboard

import (
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

// latency counts durations by the buckets of the store.
type latency [len(store.LatencyBounds)]int64

func (l *latency) add(more [len(store.LatencyBounds)]int64) {
	for i, n := range more {
		l[i] += n
	}
}

func (l *latency) count() (n int64) {
	for _, in := range l {
		n += in
	}
	return n
}

// percentile returns the duration that the share (0 to 1) of the answers did
// not exceed. Within a bucket, durations are assumed to be spread evenly. It is
// zero if nothing was counted. Beyond is set if the duration is in the last
// bucket, which has no upper bound.
func (l *latency) percentile(share float64) (d time.Duration, beyond bool) {
	rank := share * float64(l.count())
	var before time.Duration
	var passed float64
	for i, n := range l {
		bound := store.LatencyBounds[i]
		if n > 0 && passed+float64(n) >= rank {
			if i == len(l)-1 {
				return before, true
			}
			return before + time.Duration(float64(bound-before)*(rank-passed)/float64(n)), false
		}
		passed += float64(n)
		before = bound
	}
	return 0, false
}

// text is a percentile in words.
func (l *latency) text(share float64) string {
	if l.count() == 0 {
		return "–"
	}
	d, beyond := l.percentile(share)
	if beyond {
		return "> " + took(d)
	}
	return took(d)
}
