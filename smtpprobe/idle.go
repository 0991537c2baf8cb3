//go:build !plan

package smtpprobe

import (
	"slices"
	"time"
)

// rest waits, with a session that is kept, until there is something to ask, its
// time is over, or another host needs its slot.
func (w *worker) rest() {
	p := w.pool
	timer := time.NewTimer(p.config.Session.Idle)
	defer timer.Stop()
	select {
	case <-w.nudge:
	case <-timer.C:
	}
	quiet := w.session.Quiet()
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-w.nudge: // at the same moment as the timer
	default:
	}
	if p.unpark(w) || !quiet {
		w.retired = true
	}
	w.host.called -= w.called
	w.called = 0
}

// park puts a worker behind the other idle ones.
func (p *Pool) park(w *worker) {
	p.idle = append(p.idle, w)
	w.host.idle = append(w.host.idle, w)
	w.host.paced.idle++
}

// unpark takes a worker off the idle ones, and reports whether it was one.
func (p *Pool) unpark(w *worker) bool {
	is := func(v *worker) bool { return v == w }
	if !slices.ContainsFunc(w.host.idle, is) {
		return false
	}
	p.idle = slices.DeleteFunc(p.idle, is)
	w.host.idle = slices.DeleteFunc(w.host.idle, is)
	w.host.paced.idle--
	return true
}

// call has an idle worker take jobs.
func (p *Pool) call(w *worker) {
	p.unpark(w)
	w.called = 1
	w.host.called++
	w.nudge <- struct{}{}
}

// retire ends an idle session.
func (p *Pool) retire(w *worker) {
	p.unpark(w)
	w.retired = true
	w.nudge <- struct{}{}
}
