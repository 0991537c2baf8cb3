package headway

import "time"

const (
	// rateOver is over what time the rate that is shown is measured, and
	// lastingOver the one that the time left rests on.
	rateOver    = 10 * time.Second
	lastingOver = time.Minute
	// markEvery is the least time between two marks.
	markEvery = 500 * time.Millisecond
)

// Rate is how many addresses a second get their result.
type Rate struct {
	Now     float64 // over the last ten seconds
	Lasting float64 // over the last minute
	Known   bool    // it was measured for long enough
}

// Meter measures a [Rate]. The zero value has measured nothing.
type Meter struct{ marks []mark }

// mark is how many addresses were done at a time.
type mark struct {
	at   time.Time
	done int64
}

// Note notes how many addresses are done at a time.
func (m *Meter) Note(done int64, now time.Time) {
	if n := len(m.marks); n > 0 && now.Sub(m.marks[n-1].at) < markEvery {
		return
	}
	m.marks = append(m.marks, mark{now, done})
	for len(m.marks) > 1 && now.Sub(m.marks[1].at) >= lastingOver {
		m.marks = m.marks[1:]
	}
}

// Rate returns the rate, with so many addresses done now.
func (m *Meter) Rate(done int64, now time.Time) (r Rate) {
	r.Now, r.Known = m.over(rateOver, done, now)
	r.Lasting, _ = m.over(lastingOver, done, now)
	return r
}

// over returns the rate since the last mark that is that old, or else since the
// first one.
func (m *Meter) over(d time.Duration, done int64, now time.Time) (rate float64, known bool) {
	var from mark
	for i, mark := range m.marks {
		if i == 0 || now.Sub(mark.at) >= d {
			from = mark
		}
	}
	took := now.Sub(from.at)
	if len(m.marks) == 0 || took < time.Second {
		return 0, false
	}
	return max(0, float64(done-from.done)/took.Seconds()), true
}
