package service

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/provider"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// Health is what /health at the address of the metrics says: from where
// this server asks mail hosts, what spoils its verdicts, and whether it works
// on lists.
type Health struct {
	OK       bool                 `json:"ok"`
	Version  string               `json:"version"`
	Network  engine.NetworkStatus `json:"network"`
	Egresses []egressJSON         `json:"egresses"`
	Paused   []pausedJSON         `json:"paused"`
	Doctor   *doctor.Report       `json:"doctor"` // null: no examination has ended
	Lists    string               `json:"lists_fault,omitempty"`
}

type egressJSON struct {
	Name      string     `json:"name"`
	HELO      string     `json:"helo"`
	Up        bool       `json:"up"`
	Leaving   bool       `json:"leaving"`
	Fault     string     `json:"fault,omitempty"`
	Sessions  int        `json:"sessions"`
	LastReply time.Time  `json:"last_reply,omitzero"`
	Said      []saidJSON `json:"said"`
}

// saidJSON is the last reply of a provider to an egress.
type saidJSON struct {
	Provider string        `json:"provider"`
	Class    replies.Class `json:"class"`
	Code     int           `json:"code"`
	Enhanced string        `json:"enhanced,omitempty"`
	At       time.Time     `json:"at"`
}

// pausedJSON is a provider that is not asked, or asked more slowly.
type pausedJSON struct {
	Provider string    `json:"provider"`
	Egress   string    `json:"egress"`
	Until    time.Time `json:"until,omitzero"` // missing: it is asked more slowly
}

// healthHandler returns the handler of /health. Its status is 200 whatever it
// says: /healthz and /readyz are for programs that restart a server or send it
// no requests.
func (r *running) healthHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_ = json.NewEncoder(w).Encode(r.healthOf()) // an error means that the client disconnected
	})
}

func (r *running) healthOf() Health {
	h := Health{
		Version: r.Version, Network: r.verifier.Network(), Egresses: []egressJSON{}, Paused: []pausedJSON{},
	}
	h.OK = h.Network.Resolver.State != engine.CheckFailed && h.Network.Port.State != engine.CheckFailed
	for _, e := range r.verifier.Egresses() {
		one := asEgressJSON(e)
		h.Egresses = append(h.Egresses, one)
		h.OK = h.OK && (one.Up || one.Leaving)
	}
	for _, p := range r.verifier.Stats().SMTP.Paused {
		h.Paused = append(h.Paused, pausedJSON{knownProvider(p.Provider), cmp.Or(p.Egress, directName), p.Until})
		h.OK = h.OK && p.Until.IsZero()
	}
	if report := r.report.Load(); report != nil {
		h.Doctor = report
		h.OK = h.OK && report.OK
	}
	if fault := r.listsFault(); fault != nil {
		h.OK, h.Lists = false, fault.Error()
	}
	return h
}

func asEgressJSON(e smtpprobe.Egress) egressJSON {
	one := egressJSON{
		Name: nameOfEgress(e), HELO: e.HELO, Up: !e.Down && !e.Leaving, Leaving: e.Leaving, Fault: e.Fault,
		Sessions: e.Sessions, LastReply: e.LastReply, Said: []saidJSON{},
	}
	unknown := false // the last first: one of the unknown providers is enough
	for _, s := range e.Said {
		name := knownProvider(s.Provider)
		if name == otherProviders && unknown {
			continue
		}
		unknown = unknown || name == otherProviders
		one.Said = append(one.Said, saidJSON{name, s.Class, s.Code, s.Enhanced, s.At})
	}
	return one
}

const otherProviders = "other"

// knownProvider is the name of a provider, or "other": those of unknown ones
// are domains of strangers, and /health needs no key.
func knownProvider(name string) string {
	if slices.Contains(provider.PacingNames(), name) {
		return name
	}
	return otherProviders
}
