package smtpprobe_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// delay is that of a distant host, for each group of commands.
const delay = 100 * time.Millisecond

func TestWaits(t *testing.T) {
	for _, tt := range []struct {
		name  string
		host  *smtptest.Host
		waits int // greeting, EHLO, ...
	}{
		{"one group", slow(delay, delay, 0), 3},
		{"in turn", inTurn(slow(delay, delay, 0)), 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := probe(t, setting{}, tt.host)
			if got := summaries(o.found); got != goodFound {
				t.Errorf("found %s, want %s", got, goodFound)
			}
			if want := time.Duration(tt.waits) * delay; o.took.Round(time.Millisecond) != want { // a look at what is there already takes 10 µs
				t.Errorf("took %v, want %v", o.took, want)
			}
		})
	}
}

func inTurn(h *smtptest.Host) *smtptest.Host {
	h.NoPipelining = true
	return h
}

// silentAt are hosts that fall silent, one in each phase, with what is found by
// then.
var silentAt = []struct {
	phase smtp.Phase
	host  smtptest.Handler // nil: swallows packets
	found string
}{
	{smtp.PhaseConnect, nil, ""},
	{smtp.PhaseGreeting, smtptest.Script("hang"), ""},
	{smtp.PhaseEHLO, smtptest.Script("S: 220 mx\nC: EHLO *\nhang"), "greeting 220, "},
	{smtp.PhaseSTARTTLS, smtptest.Script(beforeTLS + "hang"), "greeting 220, ehlo 250, "},
	{smtp.PhaseSTARTTLS, tlsHost(smtptest.TLSStalls), "greeting 220, ehlo 250, starttls 220, "},
	{smtp.PhaseMAIL, smtptest.Script("S: 220 mx\nC: EHLO *\nS: 250 mx\nC: MAIL *\nhang"), "greeting 220, ehlo 250, "},
	{smtp.PhaseRCPT, smtptest.Script(pipelining + "C: MAIL *\nC: RCPT *\nC: RCPT *\nS: 250 ok\nhang"), "greeting 220, ehlo 250, mail 250, "},
	{smtp.PhaseRCPT, smtptest.Script(pipelining + "C: MAIL *\nC: RCPT *\nC: RCPT *\nS: 250 ok\nS: 550 no\nhang"), "greeting 220, ehlo 250, mail 250, "},
}

// TestEnds sees that a context that ends, by a cancel or its deadline, ends
// every wait at once, with the findings so far, and that the end of the budget
// is an outcome like any other timeout.
func TestEnds(t *testing.T) {
	for _, tt := range silentAt {
		t.Run(tt.found+string(tt.phase), func(t *testing.T) {
			for _, end := range []struct {
				ctx func(context.Context) (context.Context, context.CancelFunc)
				err error
			}{{cancelAfter(time.Second), context.Canceled}, {deadlineAfter(time.Second), context.DeadlineExceeded}} {
				o := probe(t, setting{ctx: end.ctx}, tt.host)
				soFar := strings.TrimSuffix(tt.found, "mail 250, ") // what was said since may be about others
				if got, want := summaries(o.found), soFar+"failure cancelled at "+string(tt.phase); got != want {
					t.Errorf("%v: found %s, want %s", end.err, got, want)
				}
				if !errors.Is(o.err, end.err) || o.took != time.Second || o.behind > 3*time.Second {
					t.Errorf("%v: %v after %v, and %v", end.err, o.err, o.took, o.behind)
				}
			}
			o := probe(t, setting{timeout: time.Second}, tt.host)
			last := o.last()
			if tt.phase == smtp.PhaseSTARTTLS {
				last = o.found.Sessions[0]
			}
			if last.Failure == nil || last.Failure.Phase != tt.phase || o.err != nil || o.took > time.Second || o.behind > 3*time.Second {
				t.Errorf("budget: found %v after %v, and %v", o, o.took, o.behind)
			}
		})
	}
}

func TestEndedBeforeItBegan(t *testing.T) {
	for _, end := range []struct {
		ctx func(context.Context) (context.Context, context.CancelFunc)
		err error
	}{{cancelled, context.Canceled}, {deadlineAfter(0), context.DeadlineExceeded}} {
		o := probe(t, setting{ctx: end.ctx}, good())
		if !errors.Is(o.err, end.err) || len(o.found.Sessions) != 0 || len(o.dials) != 0 {
			t.Errorf("found %v, dialled %v; want %v", o, o.dials, end.err)
		}
	}
}

// cancelled is a context whose caller has given up.
func cancelled(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx, cancel
}

// TestQUITIsSentBehindTheCallersBack sees that callers do not wait for the
// answer to QUIT, which the pool waits for.
func TestQUITIsSentBehindTheCallersBack(t *testing.T) {
	const slowQuit = "sleep 2s\nS: 221 bye\nclose"
	for name, tt := range map[string]struct {
		ctx    func(context.Context) (context.Context, context.CancelFunc)
		script string
		took   time.Duration
	}{
		"answered":  {nil, group + "S: 250 ok\nS: 250 yes\nS: 550 5.1.1 unknown\nS: 250 reset\nC: QUIT\n" + slowQuit, 0},
		"cancelled": {cancelAfter(time.Second), group + "S: 250 ok\nC: QUIT\nS: 250 yes\nS: 550 no\n" + slowQuit, time.Second},
		"over TLS, before its first reply": {cancelAfter(time.Second),
			starttls + "C: EHLO *\nC: QUIT\nsleep 2s\nS: 250 mx\nS: 221 bye\nclose", time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			o := probe(t, setting{ctx: tt.ctx}, smtptest.Script(tt.script))
			if o.took.Round(time.Millisecond) != tt.took || o.behind.Round(time.Millisecond) != 2*time.Second {
				t.Errorf("the caller waited %v, the QUIT %v", o.took, o.behind)
			}
			if s := o.sessions[0]; !s.QUIT || s.Err != nil {
				t.Errorf("QUIT %t, %v", s.QUIT, s.Err)
			}
		})
	}
}

func TestEndOfTheContextLeavesQUITAlone(t *testing.T) {
	inBubble(t, smtpprobe.Config{}, one(smtptest.Script("S: 220 mx\nC: EHLO *\nS: 550 no\nC: QUIT\nsleep 2s\nS: 221 bye\nhang")), func(b *bubble) {
		ctx, cancel := context.WithCancel(b.Context())
		b.ask(ctx, about(target))
		synctest.Wait() // QUIT is said
		cancel()
		start := time.Now()
		if err := b.pool.Close(); err != nil {
			b.Error(err)
		}
		if got := time.Since(start); got != 2100*time.Millisecond {
			b.Errorf("the connection was closed after %v, want 2.1s: the host has 100 ms to close it behind its reply", got)
		}
	})
}

// unread has the pool connect to a server of bytes, with nothing between that
// would read what the server does not.
func unread(serve func(c net.Conn)) func(smtpprobe.Dialer) smtpprobe.Dialer {
	return func(smtpprobe.Dialer) smtpprobe.Dialer {
		return dialerFunc(func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go serve(server)
			return client, nil
		})
	}
}

// TestNoCommandFollowsHalfACommand is about a server that answers EHLO, takes
// five bytes of what comes then, and the rest only after a minute.
func TestNoCommandFollowsHalfACommand(t *testing.T) {
	var late chan string
	stuck := unread(func(c net.Conn) {
		_, _ = io.WriteString(c, "220 mx\r\n")
		_, _ = c.Read(make([]byte, 100))
		_, _ = io.WriteString(c, "250 mx\r\n")
		_, _ = io.ReadFull(c, make([]byte, 5))
		time.Sleep(time.Minute)
		rest, _ := io.ReadAll(c)
		late <- string(rest)
	})
	inBubbleBy(t, smtpprobe.Config{}, nil, stuck, func(b *bubble) {
		late = make(chan string)
		r := b.ask(b.Context(), about(target))
		if want := "greeting 220, ehlo 250, failure timeout at mail"; summaries(r.found) != want || r.err != nil {
			b.Errorf("found %v, want %s", r, want)
		}
		if err := b.pool.Close(); err != nil {
			b.Error(err)
		}
		if rest := <-late; rest != "" || strings.Contains(transcript(r.last()), "C QUIT") {
			b.Errorf("%q followed half a command", rest)
		}
	})
}

// TestHostThatNeverReads sees that a write which nobody takes, as the host's
// receive window is zero, ends as a read does, and that the pool gets rid of
// the connection.
func TestHostThatNeverReads(t *testing.T) {
	for says, want := range map[string]string{
		"":           "failure timeout at greeting",
		"220 mx\r\n": "greeting 220, failure timeout at ehlo",
	} {
		deaf := unread(func(c net.Conn) { _, _ = io.WriteString(c, says) })
		o := probe(t, setting{by: deaf}, good())
		if summaries(o.found) != want || o.err != nil || o.took > 20*time.Second || o.behind > 10*time.Second {
			t.Errorf("found %v after %v, and %v, want %s", o, o.took, o.behind, want)
		}
	}
}

// TestTargetAndControlShareTheTime is about a tarpit that answers the target
// within the time, and the control beyond it: nothing shows that the reply was
// the target's.
func TestTargetAndControlShareTheTime(t *testing.T) {
	o := probe(t, setting{}, &smtptest.Host{CatchAll: true, RCPTDelay: 16 * time.Second})
	if want := "greeting 220, ehlo 250, mail 250, failure timeout at rcpt"; summaries(o.found) != want || o.took != 30*time.Second {
		t.Errorf("found %v after %v, want %s after 30s", o, o.took, want)
	}
}
