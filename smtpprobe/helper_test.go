package smtpprobe_test

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// What the tests ask about.
const (
	target  = "alice@example.com"
	control = "random@example.com"
)

// ownAddress, as the EHLO name of a setting, stands for the default.
const ownAddress = "default"

// outcome is a probe as both sides saw it.
type outcome struct {
	found    smtpprobe.Findings
	err      error
	took     time.Duration // until Probe returned
	behind   time.Duration // from then until Close returned
	dials    []string
	sessions []smtptest.Session
}

// setting is what a test varies; zero fields are the usual ones.
type setting struct {
	config  smtpprobe.Config
	req     smtpprobe.Request
	timeout time.Duration // of the whole probe; default 30 s
}

// probe asks the hosts mx1.example (192.0.2.1), mx2.example (192.0.2.2) and so
// on, in a bubble of its own where time costs nothing. A nil host swallows
// packets.
func probe(t *testing.T, s setting, hosts ...smtptest.Handler) (o outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		for i, h := range hosts {
			addr := netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)})
			s.req.Hosts = append(s.req.Hosts, smtpprobe.Host{Name: fmt.Sprintf("mx%d.example", i+1), Addrs: []netip.Addr{addr}})
			if h == nil {
				network.Blackhole(addr.String())
				continue
			}
			network.Add(addr.String(), h)
		}
		o = probeNetwork(t, s, network)
	})
	return o
}

// probeNetwork asks the hosts of the request in a network, inside a bubble.
func probeNetwork(t *testing.T, s setting, network *smtptest.Network) (o outcome) {
	t.Helper()
	prober := newProber(t, s.config, network)
	if s.timeout == 0 {
		s.timeout = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(t.Context(), s.timeout)
	defer cancel()
	start := time.Now()
	o.found, o.err = prober.Probe(ctx, request(s.req))
	o.took = time.Since(start)
	if err := prober.Close(); err != nil {
		t.Error(err)
	}
	network.Close()
	o.dials, o.sessions = network.Dials(), network.Sessions()
	for _, session := range o.sessions {
		if session.DATA {
			t.Error("DATA was sent")
		}
	}
	return o
}

func newProber(t *testing.T, c smtpprobe.Config, dialer smtpprobe.Dialer) *smtpprobe.Pool {
	t.Helper()
	if c.Dialer == nil {
		c.Dialer = dialer
	}
	switch c.HELO {
	case "":
		c.HELO = "probe.example"
	case ownAddress:
		c.HELO = ""
	}
	prober, err := smtpprobe.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return prober
}

func request(r smtpprobe.Request) smtpprobe.Request {
	if r.Target == "" {
		r.Target, r.Control = target, control
	}
	return r
}

// summary puts a session's findings in one line: "greeting 220, ehlo 250, mail
// 250, target 550, control 550".
func summary(s smtpprobe.Session) string {
	var parts []string
	for _, step := range []struct {
		name  string
		reply *smtp.Reply
	}{
		{"greeting", s.Greeting},
		{"ehlo", s.EHLO},
		{"starttls", s.STARTTLS},
		{"mail", s.MAIL},
		{"target", s.Target},
		{"control", s.Control},
	} {
		if step.reply != nil {
			parts = append(parts, fmt.Sprintf("%s %d", step.name, step.reply.Code))
		}
	}
	if s.TLS != "" {
		parts = append(parts, s.TLS)
	}
	if s.Failure != nil {
		parts = append(parts, fmt.Sprintf("failure %s at %s", s.Failure.Kind, s.Failure.Phase))
	}
	return strings.Join(parts, ", ")
}

// summaries are those of all sessions, a line each.
func summaries(f smtpprobe.Findings) string {
	var lines []string
	for _, s := range f.Sessions {
		lines = append(lines, summary(s))
	}
	return strings.Join(lines, "\n")
}

// transcript is the dialogue a line each, without times.
func transcript(s smtpprobe.Session) string {
	var b strings.Builder
	for _, line := range s.Transcript {
		fmt.Fprintf(&b, "%s %s\n", line.From, line.Text)
	}
	return b.String()
}

// wire turns the lines of a text into those of SMTP: one a line, without
// indentation, ended by CRLF.
func wire(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\r\n")
		}
	}
	return b.String()
}
