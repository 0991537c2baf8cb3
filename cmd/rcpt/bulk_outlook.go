package main

import (
	"time"

	"github.com/rcpt/rcpt/bulk"
)

// listTotal is how many rows a list has.
type listTotal struct {
	rows  int64 // 0 where nothing is known
	exact bool  // they are counted, not estimated
}

// readAheadOctets is about how much a reader takes from a file before its rows
// are needed.
const readAheadOctets = 128 << 10

// totalOf counts the rows of a list that was read to its end, and else
// estimates them by how many octets the first ones took: those of the rows
// themselves, or those that were read, which are more where the encoding is
// another. Size is 0 where it is not known.
func totalOf(rows, rowOctets, read, size int64, ended bool) listTotal {
	took := max(rowOctets, read-readAheadOctets)
	switch {
	case ended:
		return listTotal{rows, true}
	case took <= 0 || size <= 0:
		return listTotal{}
	}
	return listTotal{rows: max(rows, int64(float64(rows)*float64(size)/float64(took)))}
}

// outlook is what can be said about the rest of a run.
type outlook struct {
	listTotal
	fraction float64       // of the list that is done, from 0 to 1; 0 where nothing is known
	left     time.Duration // 0 where nothing is known
}

// longestLeft is the longest time that is told: beyond it the rate says
// nothing.
const longestLeft = 100 * time.Hour

// outlookOf estimates how long a run takes: until those are asked who can be
// asked now, and until the last of those who wait is.
func outlookOf(p bulk.Progress, total listTotal) outlook {
	o := outlook{listTotal: total}
	if total.rows == 0 {
		return o
	}
	o.fraction = float64(p.Done) / float64(total.rows)
	askable := max(0, total.rows-p.Done-p.Waiting)
	if askable > 0 && p.Rate <= 0 {
		return o
	}
	left := p.LastRetry.Seconds()
	if askable > 0 {
		left = max(left, float64(askable)/p.Rate)
	}
	if left < longestLeft.Seconds() {
		o.left = time.Duration(left * float64(time.Second)).Round(time.Second)
	}
	return o
}
