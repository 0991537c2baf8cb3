package pace

import "time"

// FirstSessions is how many sessions a mail host may have at first, and
// strictSessions how many where the provider is strict: with all of its hosts
// together it is given less than twice as many as other hosts begin with.
const (
	FirstSessions  = 4
	strictSessions = 2
)

// FirstSessions is how many sessions a mail host of the provider may have at
// first.
func (r Rules) FirstSessions() int {
	if l := r.Limits.Sessions; l >= 0 && l < 2*FirstSessions {
		return strictSessions
	}
	return FirstSessions
}

// How long what a window has learnt counts.
const (
	// windowRests is how long a window does not grow after it was halved.
	windowRests = time.Minute
	// windowLasts is after how long without a change a window is what it was at
	// first.
	windowLasts = time.Hour
)

// Window is how many sessions one mail host may have at a time. It starts
// small and grows by one with each transaction that was believed while
// addresses waited: it doubles about once in the time of a transaction. It
// halves when the host wants no session beside so many others, rests for a
// minute, and from then on grows by one in the time of a transaction only, as
// the limit of the host is near. What it learnt is forgotten after an hour.
//
// A Window is not safe for concurrent use.
type Window struct {
	first, most int
	size        int
	successes   int       // since the last change, once it was halved
	halved      time.Time // zero: it never was
	changed     time.Time
}

// NewWindow returns the window of a host about which nothing is known.
func NewWindow(first, most int) *Window {
	first = max(1, min(first, most))
	return &Window{first: first, most: most, size: first}
}

// Size returns how many sessions the host may have now.
func (w *Window) Size(now time.Time) int {
	if !w.changed.IsZero() && now.Sub(w.changed) > windowLasts {
		*w = Window{first: w.first, most: w.most, size: w.first}
	}
	return w.size
}

// Succeeded notes a transaction that was believed, while all sessions that the
// host may have were open and addresses waited.
func (w *Window) Succeeded(now time.Time) {
	size := w.Size(now)
	if size >= w.most {
		return
	}
	if !w.halved.IsZero() {
		if now.Sub(w.halved) < windowRests {
			return
		}
		if w.successes++; w.successes < size {
			return
		}
	}
	w.set(size+1, now)
}

// AtLimit notes that the host refused, or put off, a session while so many were
// open, itself included. One that began before the window was last halved says
// nothing new: sessions that are refused at the same time halve it once. A
// session without others was not refused because of their number.
func (w *Window) AtLimit(open int, began, now time.Time) {
	if size := w.Size(now); open > 1 && !began.Before(w.halved) {
		w.set(max(1, min(size, open)/2), now)
		w.halved = now
	}
}

// Shut leaves the host one session: it refuses everybody.
func (w *Window) Shut(now time.Time) {
	w.set(1, now)
	w.halved = now
}

func (w *Window) set(size int, now time.Time) {
	w.size, w.successes, w.changed = size, 0, now
}
