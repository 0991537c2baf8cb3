package smtpprobe

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// ErrBusy says that no session with a mail host became free: a limit of ours, which tells nothing about the host or the mailbox.
var ErrBusy = errors.New("smtpprobe: too many wait for a session with this mail host")

// ErrClosed says that the pool was closed.
var ErrClosed = errors.New("smtpprobe: the pool is closed")

// ask is one question to one mail host: what becomes of the request's target there.
type ask struct {
	route  route
	req    *Request
	domain string // of the target
	left   *budget
	// deadline is that of the caller's context; zero: there is none.
	deadline time.Time
	told     chan<- answer // has room for the one answer
	number   int           // of its request, and of its place in the inquiry, by which it is known there

	// The pool's lock guards the rest.
	since   time.Time // when it began to wait
	worker  *worker   // that has taken it; nil: it waits
	alone   bool      // to be asked first on a session of its own: what it was told in company was not believed
	careful bool      // to be asked one command at a time: what it was told may have been about its control
	doubts  int       // how often it was asked again
	gone    bool      // who asked has given up
	queued  bool      // it waits, or goes along with another, and who asked was told so
	silent  *hush     // the host fell silent over it; nil: it did not
	control *Reply    // what the host said about a control of the domain before; nil: not known
}

// answer is what came of an ask.
type answer struct {
	to      *ask
	session *Session // nil: there was none
	offline bool     // dialling failed before a packet left this machine
	err     error    // why we could not work
}

func newAsk(r route, req *Request, left *budget) *ask {
	domain := req.Target[strings.LastIndexByte(req.Target, '@')+1:] // a quoted local-part may have an "@", too
	return &ask{route: r, req: req, domain: strings.ToLower(domain), left: left, since: time.Now()}
}

// tell gives the answer. There is one to each ask.
func (a *ask) tell(told answer) {
	a.queue(false)
	told.to = a
	a.told <- told
}

// queue notes whether the ask waits for a session or goes along with another, and tells who asked.
func (a *ask) queue(waits bool) {
	if a.queued == waits {
		return
	}
	a.queued = waits
	if a.req.Queued != nil {
		a.req.Queued(waits)
	}
}

// taken notes that a worker begins with the ask: from now on the budget's clock runs. One that goes along in the transaction of another goes on
// counting as one that waits.
func (a *ask) taken(w *worker, along bool) {
	now := time.Now()
	a.left.stoodStill(now.Sub(a.since))
	a.worker, a.since = w, now
	a.queue(along)
}

// ends returns when the time for the ask is over; zero: never.
func (a *ask) ends() time.Time {
	end := a.left.end
	if end.IsZero() || !a.deadline.IsZero() && a.deadline.Before(end) {
		end = a.deadline
	}
	return end
}

// late reports whether the time for the ask is over.
func (a *ask) late(now time.Time) bool {
	end := a.ends()
	return !end.IsZero() && !now.Before(end)
}

// time is how much there was for the ask when it began to wait, or was taken.
func (a *ask) time() time.Duration {
	if end := a.ends(); !end.IsZero() {
		return end.Sub(a.since)
	}
	return math.MaxInt64
}

func busy(a *ask) error { return fmt.Errorf("%w (%s)", ErrBusy, a.route.addr.Addr()) }
