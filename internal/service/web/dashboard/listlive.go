package dashboard

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

const (
	// liveEvery is how often a list is looked at.
	liveEvery = time.Second
	// liveFor is how long one answer goes on. The browser then asks again. So
	// it does not hold up a server that stops.
	liveFor = 10 * time.Second
)

// streamList sends the progress of a list as server-sent events: each is the
// part of the page that changes. The event "end" says that nothing changes any
// more.
func (d *Dashboard) streamList(v *visit) error {
	if _, err := d.listNamed(v); err != nil {
		return err
	}
	control := http.NewResponseController(v.w)
	v.w.Header().Set("Content-Type", "text/event-stream")
	v.w.Header().Set("X-Accel-Buffering", "no") // for a proxy that would gather events
	fmt.Fprint(v.w, "retry: 1000\n\n")
	ticker := time.NewTicker(liveEvery)
	defer ticker.Stop()
	until := time.NewTimer(liveFor)
	defer until.Stop()
	var last []byte
	for {
		_, _, err := d.config.Store.Session(v.r.Context(), v.session.Hash)
		if err != nil {
			return nil // the visitor has signed out, or the browser asks again
		}
		j, err := d.listNamed(v)
		if err != nil {
			return nil // it was deleted, or likewise
		}
		part, err := d.livePart(v, j)
		if err != nil {
			return nil
		}
		if !bytes.Equal(part, last) {
			last = part
			writeEvent(v.w, "", part)
		}
		if j.State.Ended() {
			writeEvent(v.w, "end", []byte("."))
		}
		if control.Flush() != nil || j.State.Ended() {
			return nil
		}
		select {
		case <-ticker.C:
		case <-until.C:
			return nil
		case <-v.r.Context().Done():
			return nil
		}
	}
}

// livePart is the part of a list's page that changes.
func (d *Dashboard) livePart(v *visit, j store.Job) ([]byte, error) {
	progress, err := d.progressOf(v, j)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = d.views["list"].ExecuteTemplate(&text, "progress", page{Body: progress})
	return text.Bytes(), err
}

// writeEvent writes an event. Each line of its data is a line of its own.
func writeEvent(w http.ResponseWriter, name string, data []byte) {
	var text bytes.Buffer
	if name != "" {
		fmt.Fprintf(&text, "event: %s\n", name)
	}
	for line := range bytes.Lines(data) {
		fmt.Fprintf(&text, "data: %s\n", bytes.TrimRight(line, "\r\n"))
	}
	text.WriteByte('\n')
	_, _ = text.WriteTo(w) // the browser may have gone
}
