package wire

import (
	"net"
	"sync"
	"time"
)

// watch lets other goroutines end what is done on a connection.
type watch struct {
	mu    sync.Mutex
	tcp   net.Conn // nil: there is nothing to end
	ended bool
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
		_ = w.tcp.SetDeadline(time.Unix(1, 0))
	}
}

// stop ends the watch, so that no later deadline is undone.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tcp = nil
}
