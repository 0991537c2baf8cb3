package smtpprobe_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// told is what a request brought.
type told struct {
	found smtpprobe.Findings
	err   error
	took  time.Duration
}

// last is the session that tells.
func (r told) last() smtpprobe.Session {
	if len(r.found.Sessions) == 0 {
		return smtpprobe.Session{}
	}
	return r.found.Sessions[len(r.found.Sessions)-1]
}

// code is that of the reply about the target; 0: there was none.
func (r told) code() int {
	if reply := r.last().Target; reply != nil {
		return reply.Code
	}
	return 0
}

// String is what was found, without the transcript, and the error.
func (r told) String() string { return fmt.Sprintf("%s (%v)", summaries(r.found), r.err) }

// lives reports whether a mailbox exists.
func lives(mailbox string) bool {
	return strings.HasPrefix(mailbox, "good") || strings.HasPrefix(mailbox, "real")
}

// want is the code of the truth about a mailbox.
func want(mailbox string) int {
	if lives(mailbox) {
		return 250
	}
	return 550
}

// checkTruth sees that each mailbox has the answer that it would have alone,
// and those that exist a refused control.
func checkTruth(t *testing.T, list []string, answers []told) {
	t.Helper()
	for i, m := range list {
		r := answers[i]
		control := r.last().Control
		if r.err != nil || r.code() != want(m) || want(m) == 250 && (control == nil || control.Code != 550) {
			t.Errorf("%s: %v\n%s", m, r, transcript(r.last()))
		}
	}
}

// checkTranscript sees that the replies about a mailbox and its control are in
// the transcript, but for that to an earlier control.
func checkTranscript(t *testing.T, mailbox string, s smtpprobe.Session) {
	t.Helper()
	said := map[string]*smtp.Reply{"target": s.Target}
	if !s.ControlShared {
		said["control"] = s.Control
	}
	for of, reply := range said {
		if reply != nil && !strings.Contains(transcript(s), reply.Lines[0]) {
			t.Errorf("%s: the reply to the %s is not in the transcript:\n%s", mailbox, of, transcript(s))
		}
	}
}

// checkAnswered sees that each was answered, with the code if it is not 0.
func (b *bubble) checkAnswered(answers []told, code int) {
	b.Helper()
	for i, r := range answers {
		if r.err != nil || r.code() == 0 || code != 0 && r.code() != code {
			b.Fatalf("%d: %v", i, r)
		}
	}
}

// checkNoLie sees that no mailbox has the answer of another for good, and
// returns how many have no answer.
func checkNoLie(t *testing.T, list []string, answers []told) (unanswered int) {
	t.Helper()
	for i, m := range list {
		switch r := answers[i]; r.code() {
		case 0:
			unanswered++
		case want(m):
		default:
			if r.code()/100 != 4 {
				t.Errorf("%s: %v\n%s", m, r, transcript(r.last()))
			}
		}
	}
	return unanswered
}

// verdictOf is what follows from findings: "alive", "dead" or "unknown".
func verdictOf(mailbox string, r told) string {
	last := r.last()
	if r.err != nil || last.Target == nil {
		return "unknown"
	}
	switch classOf(last, mailbox, *last.Target) {
	case replies.ClassOK:
		return "alive"
	case replies.ClassNoSuchUser, replies.ClassDisabled, replies.ClassMoved:
		if !last.Unproven {
			return "dead"
		}
	}
	return "unknown"
}

// classOf is how a reply to RCPT is read.
func classOf(s smtpprobe.Session, mailbox string, reply smtp.Reply) replies.Class {
	q := replies.Input{Phase: smtp.PhaseRCPT, Reply: reply, Host: s.Host, Mailbox: mailbox}
	return replies.DefaultClassifier().Read(q).Class
}

// checkVerdict fails where the opposite of the truth follows from what was
// found, and reports whether anything does. An acceptance without a refused
// control says nothing.
func checkVerdict(t *testing.T, mailbox string, r told) (settled bool) {
	t.Helper()
	last, verdict := r.last(), verdictOf(mailbox, r)
	if verdict == "alive" && (last.Control == nil || classOf(last, "@a.example", *last.Control) != replies.ClassNoSuchUser) {
		return false
	}
	if verdict != "unknown" && (verdict == "alive") != lives(mailbox) {
		t.Errorf("%s is %s:\n%s", mailbox, verdict, transcript(last))
	}
	return verdict != "unknown"
}

// checkFindings sees that findings are bounded, printable, and survive JSON.
func checkFindings(t *testing.T, f smtpprobe.Findings) {
	t.Helper()
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	if limit := 1 << 20; len(data) > limit {
		t.Errorf("findings of %d bytes, more than %d", len(data), limit)
	}
	var back smtpprobe.Findings
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f, back, cmpopts.EquateComparable(netip.AddrPort{})); diff != "" {
		t.Errorf("findings through JSON (-was +is):\n%s", diff)
	}
	for _, s := range f.Sessions {
		for _, line := range s.Transcript {
			if !utf8.ValidString(line.Text) || strings.ContainsAny(line.Text, "\r\n\x00\x1b") {
				t.Errorf("transcript has %q", line.Text)
			}
		}
	}
}

// checkPrivate sees that a transcript names nobody but the mailbox and its
// domain's control.
func checkPrivate(t *testing.T, mailbox string, f smtpprobe.Findings) {
	t.Helper()
	for _, s := range f.Sessions {
		recipients := make(map[string]bool) // either may be asked about twice
		for _, line := range s.Transcript {
			if strings.HasPrefix(line.Text, "RCPT") {
				recipients[line.Text] = true
			}
			if strings.HasPrefix(line.Text, "RCPT TO:<good") && !strings.Contains(line.Text, mailbox) {
				t.Errorf("%s can read %q", mailbox, line.Text)
			}
		}
		if len(recipients) > 2 {
			t.Errorf("%s can read of %d recipients", mailbox, len(recipients))
		}
	}
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
		{"behind", s.Behind},
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

// count is how many commands of some sessions begin with verb.
func count(sessions []smtptest.Session, verb string) int {
	n := 0
	for _, s := range sessions {
		n += len(withVerb(s, verb))
	}
	return n
}

// withVerb returns the commands of a session that begin so.
func withVerb(s smtptest.Session, verb string) []string {
	var found []string
	for _, c := range s.Commands {
		if strings.HasPrefix(c, verb) {
			found = append(found, c)
		}
	}
	return found
}

// gauges is a dialer that knows how many connections are open to each address,
// and the most that were.
type gauges struct {
	smtpprobe.Dialer
	mu         sync.Mutex
	open, most map[string]int
	all, peak  int
}

type gaugedConn struct {
	net.Conn
	closed func()
}

func newGauges(d smtpprobe.Dialer) *gauges {
	return &gauges{Dialer: d, open: map[string]int{}, most: map[string]int{}}
}

func (g *gauges) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	g.add(address, 1) // a host counts attempts, too
	c, err := g.Dialer.DialContext(ctx, network, address)
	if err != nil {
		g.add(address, -1)
		return nil, err
	}
	return gaugedConn{c, sync.OnceFunc(func() { g.add(address, -1) })}, nil
}

func (g *gauges) add(address string, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open[address] += n
	g.most[address] = max(g.most[address], g.open[address])
	g.all += n
	g.peak = max(g.peak, g.all)
}

// now is how many connections are open in all.
func (g *gauges) now() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all
}

// peaks is how many connections were open at most, to one address and in all.
func (g *gauges) peaks() (perAddress, all int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range g.most {
		perAddress = max(perAddress, n)
	}
	return perAddress, g.peak
}

func (c gaugedConn) Close() error {
	c.closed()
	return c.Conn.Close()
}
