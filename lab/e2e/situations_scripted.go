//go:build e2e && linux

package e2e

import (
	"fmt"
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// startScripted plays the hosts of the table "scripted" in this process.
func (w *world) startScripted() error {
	for _, s := range w.situations["scripted"] {
		handler, err := s.handler()
		if err != nil {
			return fmt.Errorf("%s: %w", s.slug, err)
		}
		server, err := smtptest.StartAt(s.ip.String()+":25", handler)
		if err != nil {
			return err
		}
		w.scripted[s.ip.String()] = server
	}
	return nil
}

// handler is the host of a situation. All have "alice", unless a line says
// otherwise.
func (s *situation) handler() (smtptest.Handler, error) {
	text := strings.Join(s.config, "\n")
	if strings.HasPrefix(text, "S: ") || strings.HasPrefix(text, "raw: ") {
		return smtptest.Read(text)
	}
	lines := []string{"name " + s.host(), "box alice"}
	for _, line := range s.config {
		if !strings.HasPrefix(line, "mx ") { // which is in the DNS
			lines = append(lines, line)
		}
	}
	return smtptest.Read(strings.Join(lines, "\n"))
}
