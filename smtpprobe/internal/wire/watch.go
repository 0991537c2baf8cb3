package wire

import (
	"net"
	"sync"
	"time"
)

// watch lets other goroutines end what is done on a connection.
type watch struct {
	mu      sync.Mutex
	tcp     net.Conn // nil: there is nothing to end
	ended   bool
	resting bool // the connection is idle, and waits for the host to speak or hang up
	woken   bool // before it rested
}

// over begins to watch over a connection.
func (w *watch) over(tcp net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tcp = tcp
	w.interrupt()
}

// end ends every read and write at once, those of a connection that is yet to
// be opened too. The context that [stream.armRead] asks must have ended.
func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.interrupt()
}

func (w *watch) interrupt() {
	if w.ended && w.tcp != nil {
		_ = w.tcp.SetDeadline(past)
	}
}

// stop ends the watch, so that no later deadline is undone.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tcp = nil
}

// rest begins a wait for the host, unless it was woken or has ended.
func (w *watch) rest() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.woken || w.ended || w.tcp == nil {
		w.woken = false
		return false
	}
	w.resting = true
	_ = w.tcp.SetReadDeadline(time.Time{})
	return true
}

// wake ends the wait, or the next one if there is none.
func (w *watch) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.resting {
		w.woken = true
	} else {
		_ = w.tcp.SetReadDeadline(past)
	}
}

// rise notes that the wait is over.
func (w *watch) rise() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.resting, w.woken = false, false
}

// past is a deadline that is over.
var past = time.Unix(1, 0)
