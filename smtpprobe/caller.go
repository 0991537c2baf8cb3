package smtpprobe

import "sync/atomic"

// Caller is a list, or other work that is not urgent. It is all that a list
// says to those who verify its addresses, and all that it learns from them but
// the results. The zero value is a list of which any number may wait. What it
// says must not change once it is in use, and it must not be copied.
//
// Single checks come before lists. Where several lists have probes of one
// domain waiting at a mail host, they take turns, so that a small one does not
// wait behind a large one.
type Caller struct {
	// Most is how many of its addresses may wait. Where they wait for a
	// provider that is asked as much as it may be, as much of Most stays free
	// as waits for that provider: probes beyond fail with a [HeldBackError], so
	// that others can be asked meanwhile, and no number of busy providers takes
	// all the room. Default: any number.
	Most int
	// Done is closed when the list is to end soon: probes that wait for a
	// session fail with an error that wraps [ErrBusy], also if they would be
	// asked again. Those that are being asked go on. Default: never.
	Done <-chan struct{}
	// More gets a value, if it has room for one, when more addresses wait than
	// before: others may begin. Default: nobody is told.
	More chan<- struct{}

	waiting atomic.Int64
}

// Waiting is how many addresses of the list wait: for a session, or for the
// answer about another one in the same transaction. A list that limits how many
// it has verified at a time need not count them.
func (c *Caller) Waiting() int { return int(c.waiting.Load()) }

// Wait notes that so many addresses more wait, or with less than zero fewer:
// for something other than a [Pool], which counts those that wait for it.
func (c *Caller) Wait(n int) {
	c.waiting.Add(int64(n))
	if n > 0 {
		select {
		case c.More <- struct{}{}:
		default:
		}
	}
}

// ends is Done, also of no list.
func (c *Caller) ends() <-chan struct{} {
	if c == nil {
		return nil
	}
	return c.Done
}

// ended reports whether the list is to end soon.
func (c *Caller) ended() bool {
	select {
	case <-c.ends():
		return true
	default:
		return false
	}
}
