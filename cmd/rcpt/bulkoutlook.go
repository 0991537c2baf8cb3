package main

import (
	"time"

	"github.com/rcpt/rcpt/bulk"
)

// outlook is what can be said about the rest of a run.
type outlook struct {
	total    int64         // rows of the list; 0 where nothing is known
	exact    bool          // the total is counted, not estimated
	fraction float64       // of the list that is done, from 0 to 1; 0 where nothing is known
	left     time.Duration // 0 where nothing is known
}

// outlookOf estimates. Until the list is read to its end, its rows are counted from how many octets they took so far; size is 0 where that
// is not known either.
func outlookOf(p bulk.Progress, read, size int64) outlook {
	o := outlook{exact: p.Exhausted}
	switch {
	case p.Exhausted:
		o.total = p.Read
	case read > 0 && size > 0:
		o.total = max(p.Read, int64(float64(p.Read)*float64(size)/float64(read)))
	}
	if o.total > 0 {
		o.fraction = float64(p.Done) / float64(o.total)
	}
	if o.total > 0 && p.Rate > 0 {
		o.left = time.Duration(float64(o.total-p.Done) / p.Rate * float64(time.Second)).Round(time.Second)
	}
	return o
}
