package smtpprobe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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
	told     chan answer // has room for the one answer

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
	session *Session // nil: there was none
	offline bool     // dialling failed before a packet left this machine
	err     error    // why we could not work
}

func newAsk(r route, req *Request, left *budget) *ask {
	domain := req.Target[strings.LastIndexByte(req.Target, '@')+1:] // a quoted local-part may have an "@", too
	return &ask{route: r, req: req, domain: strings.ToLower(domain), left: left, since: time.Now(), told: make(chan answer, 1)}
}

// tell gives the answer. There is one to each ask.
func (a *ask) tell(told answer) {
	a.queue(false)
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

// withdrawGrace is how long one waits for the worker whose question has run out of time at the same moment.
const withdrawGrace = 100 * time.Millisecond

// withdraw gives an ask up whose context has ended. What is known of its session by then is the answer; the session goes on for others.
func (p *Pool) withdraw(ctx context.Context, a *ask) (answer, error) {
	p.mu.Lock()
	w := a.worker
	if w == nil {
		select {
		case told := <-a.told: // at the same moment
			p.mu.Unlock()
			return told, errors.Join(told.err, cancelled(ctx))
		default:
		}
		p.host(a).forget(a)
		a.queue(false)
		p.mu.Unlock()
		return answer{}, waitError(ctx, a)
	}
	gaveUp := cancelled(ctx)
	a.gone = true
	a.queue(false)
	w.drop(a, gaveUp != nil)
	p.mu.Unlock()
	select {
	case told := <-a.told:
		return told, errors.Join(told.err, gaveUp)
	case <-time.After(withdrawGrace):
		p.abandon(w, a)
		return answer{session: w.session.soFar(ctx, a)}, gaveUp
	}
}

// abandon ends a session that works for nobody any more: a host that takes its time over many recipients would keep it for minutes.
func (p *Pool) abandon(w *worker, a *ask) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(w.asks, a) && w.dropped == len(w.asks) {
		w.cancel()
	}
}

// waitError is the error of a wait that the end of ctx has ended.
func waitError(ctx context.Context, a *ask) error {
	if err := cancelled(ctx); err != nil {
		return err
	}
	return busy(a)
}

func busy(a *ask) error { return fmt.Errorf("%w (%s)", ErrBusy, a.route.addr.Addr()) }
