package engine

import (
	"net"
	"testing"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/internal/sys/machine"
)

func TestWithinOpenFiles(t *testing.T) {
	tests := []struct {
		name                string
		config              Config
		limit               int
		sessions, questions int
	}{
		{"as many as one likes", Config{}, 1 << 20, 1000, 512},
		{"1024", Config{}, 1024, 504, 126},
		{"64", Config{}, 64, 24, 6},
		{"hardly any", Config{}, 10, 1, 1},
		{"fewer are wanted", Config{MaxSessions: 20}, 1024, 20, 126},
		{"more are wanted", Config{MaxSessions: 5000}, 1024, 504, 126},
		{"more may be open", Config{MaxSessions: 5000}, 1 << 20, 5000, 512},
		{"a dialer and an exchanger of one's own", Config{Dialer: &net.Dialer{}, Exchanger: dnstest.New("")}, 64, 1000, 512},
		{"negative, which the pool refuses", Config{MaxSessions: -1}, 1024, -1, 126},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sessions, questions := tt.config.withinOpenFiles(tt.limit)
			if sessions != tt.sessions || questions != tt.questions {
				t.Errorf("%d sessions and %d questions, want %d and %d", sessions, questions, tt.sessions, tt.questions)
			}
			if all := sessions + 3*questions; tt.limit > 2*machine.OtherFiles && tt.config.Dialer == nil && all+machine.OtherFiles > tt.limit {
				t.Errorf("%d files, more than the %d that may be open", all+machine.OtherFiles, tt.limit)
			}
		})
	}
}
