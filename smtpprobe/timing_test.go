package smtpprobe_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
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

// countingDialer counts the client's writes.
type countingDialer struct {
	smtpprobe.Dialer
	writes atomic.Int64
}

type countingConn struct {
	net.Conn
	writes *atomic.Int64
}

func (d *countingDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.Dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return countingConn{c, &d.writes}, nil
}

func (c countingConn) Write(b []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(b)
}

func TestGroupsAreWrittenAtOnce(t *testing.T) {
	for _, tt := range []struct {
		name   string
		host   *smtptest.Host
		writes int64
	}{
		{"one group", good(), 3}, // EHLO; MAIL, RCPT, RCPT, RSET; QUIT
		{"in turn", inTurn(good()), 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := smtptest.NewNetwork()
				network.Add("192.0.2.1", tt.host)
				dialer := &countingDialer{Dialer: network}
				probeNetwork(t, setting{config: smtpprobe.Config{Dialer: dialer}, req: smtpprobe.Request{Hosts: mx("192.0.2.1")}}, network)
				if got := dialer.writes.Load(); got != tt.writes {
					t.Errorf("%d writes, want %d", got, tt.writes)
				}
			})
		})
	}
}

// mx is a host with these addresses.
func mx(addrs ...string) []smtpprobe.Host {
	h := smtpprobe.Host{Name: "mx.example"}
	for _, a := range addrs {
		h.Addrs = append(h.Addrs, netip.MustParseAddr(a))
	}
	return []smtpprobe.Host{h}
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

// TestCancel sees that a cancelled context ends every wait at once, with the
// findings so far.
func TestCancel(t *testing.T) {
	for _, tt := range silentAt {
		t.Run(tt.found+string(tt.phase), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := silentNetwork(tt.host)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				o := probeContext(ctx, t, network, mx("192.0.2.1", "192.0.2.2"))
				if got, want := summaries(o.found), tt.found+"failure cancelled at "+string(tt.phase); got != want {
					t.Errorf("found %s, want %s", got, want)
				}
				if !errors.Is(o.err, context.Canceled) || o.took != time.Second {
					t.Errorf("%v after %v", o.err, o.took)
				}
			})
		})
	}
}

// TestDeadline sees that the context's deadline is an outcome like any other
// timeout.
func TestDeadline(t *testing.T) {
	for _, tt := range silentAt {
		t.Run(tt.found+string(tt.phase), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := silentNetwork(tt.host)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				o := probeContext(ctx, t, network, mx("192.0.2.1"))
				last := o.found.Sessions[len(o.found.Sessions)-1]
				if tt.phase == smtp.PhaseSTARTTLS {
					last = o.found.Sessions[0]
				}
				if last.Failure == nil || last.Failure.Phase != tt.phase || o.err != nil || o.took > time.Second {
					t.Errorf("found %s (%v) after %v", summaries(o.found), o.err, o.took)
				}
			})
		})
	}
}

func silentNetwork(h smtptest.Handler) *smtptest.Network {
	network := smtptest.NewNetwork()
	if h == nil {
		network.Blackhole("192.0.2.1")
	} else {
		network.Add("192.0.2.1", h)
	}
	return network
}

// probeContext asks hosts until ctx ends, and sees that nothing is left behind:
// a bubble ends only with its last goroutine.
func probeContext(ctx context.Context, t *testing.T, network *smtptest.Network, hosts []smtpprobe.Host) (o outcome) {
	t.Helper()
	prober := newProber(t, smtpprobe.Config{}, network)
	start := time.Now()
	o.found, o.err = prober.Probe(ctx, smtpprobe.Request{Hosts: hosts, Target: target, Control: control})
	o.took = time.Since(start)
	if err := prober.Close(); err != nil {
		t.Error(err)
	}
	if o.behind = time.Since(start) - o.took; o.behind > 3*time.Second {
		t.Errorf("QUIT took %v", o.behind)
	}
	network.Close()
	o.sessions = network.Sessions()
	return o
}

func TestCancelledBeforeItBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		network := silentNetwork(good())
		o := probeContext(ctx, t, network, mx("192.0.2.1"))
		if !errors.Is(o.err, context.Canceled) || len(network.Dials()) != 0 {
			t.Errorf("%v, dialled %v", o.err, network.Dials())
		}
	})
}

func TestQUITIsSentBehindTheCallersBack(t *testing.T) {
	for name, cancelAfter := range map[string]time.Duration{"answered": time.Hour, "cancelled": time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := group + "S: 250 ok\nS: 250 yes\nS: 550 no\nS: 250 reset\nC: QUIT\nsleep 2s\nS: 221 bye\nclose"
				if name == "cancelled" {
					script = group + "S: 250 ok\nC: QUIT\nS: 250 yes\nS: 550 no\nsleep 2s\nS: 221 bye\nclose"
				}
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				time.AfterFunc(cancelAfter, cancel)
				network := silentNetwork(smtptest.Script(script))
				o := probeContext(ctx, t, network, mx("192.0.2.1"))
				if o.took > time.Second || o.behind.Round(time.Millisecond) != 2*time.Second {
					t.Errorf("the caller waited %v, the QUIT %v", o.took, o.behind)
				}
				if !o.sessions[0].QUIT || o.sessions[0].Err != nil {
					t.Errorf("QUIT %t, %v", o.sessions[0].QUIT, o.sessions[0].Err)
				}
			})
		})
	}
}

func TestQUITIsSentOverTLSWhenCancelledBeforeItsFirstReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		network := silentNetwork(smtptest.Script(starttls + "C: EHLO *\nC: QUIT\nsleep 2s\nS: 250 mx\nS: 221 bye\nclose"))
		o := probeContext(ctx, t, network, mx("192.0.2.1"))
		if got, want := summaries(o.found), "greeting 220, ehlo 250, starttls 220, TLS 1.3, failure cancelled at ehlo"; got != want || !errors.Is(o.err, context.Canceled) {
			t.Errorf("found %s (%v), want %s", got, o.err, want)
		}
		if s := o.sessions[0]; !s.QUIT || s.Err != nil || o.took != time.Second || o.behind != 2*time.Second {
			t.Errorf("QUIT %t (%v); the caller waited %v, the QUIT %v", s.QUIT, s.Err, o.took, o.behind)
		}
	})
}

func TestEndOfTheContextLeavesQUITAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := silentNetwork(smtptest.Script("S: 554 no\nC: QUIT\nsleep 2s\nS: 221 bye\nhang"))
		prober := newProber(t, smtpprobe.Config{}, network)
		ctx, cancel := context.WithCancel(t.Context())
		if _, err := prober.Probe(ctx, request(smtpprobe.Request{Hosts: mx("192.0.2.1")})); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // QUIT is said
		cancel()
		start := time.Now()
		if err := prober.Close(); err != nil {
			t.Error(err)
		}
		if got := time.Since(start); got != 2100*time.Millisecond {
			t.Errorf("the connection was closed after %v, want 2.1s: the host has 100 ms to close it behind its reply", got)
		}
		network.Close()
	})
}

// stuckDialer connects to a server that answers EHLO, takes five bytes of what
// comes then, and the rest only after a minute.
type stuckDialer struct{ late chan string }

func (d stuckDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		_, _ = io.WriteString(server, "220 mx\r\n")
		_, _ = server.Read(make([]byte, 100))
		_, _ = io.WriteString(server, "250-mx\r\n250 PIPELINING\r\n")
		_, _ = io.ReadFull(server, make([]byte, 5))
		time.Sleep(time.Minute)
		late, _ := io.ReadAll(server)
		d.late <- string(late)
	}()
	return client, nil
}

func TestNoCommandFollowsHalfACommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dialer := stuckDialer{late: make(chan string, 1)}
		prober := newProber(t, smtpprobe.Config{}, dialer)
		found, err := prober.Probe(t.Context(), request(smtpprobe.Request{Hosts: mx("192.0.2.1")}))
		if got, want := summaries(found), "greeting 220, ehlo 250, failure timeout at mail"; got != want || err != nil {
			t.Errorf("found %s (%v), want %s", got, err, want)
		}
		if err := prober.Close(); err != nil {
			t.Error(err)
		}
		if late := <-dialer.late; late != "" || strings.Contains(transcript(found.Sessions[0]), "C QUIT") {
			t.Errorf("%q followed half a command", late)
		}
	})
}

// BenchmarkProbe asks a host that delays the answer to each group of commands
// by 100 ms, and reports how many such waits a probe has.
func BenchmarkProbe(b *testing.B) {
	for name, host := range map[string]*smtptest.Host{"pipelined": slow(delay, delay, 0), "in turn": inTurn(slow(delay, delay, 0))} {
		b.Run(name, func(b *testing.B) {
			network := smtptest.NewNetwork()
			network.Add("192.0.2.1", host)
			defer network.Close()
			prober, err := smtpprobe.New(smtpprobe.Config{Dialer: network})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := prober.Probe(b.Context(), smtpprobe.Request{Hosts: mx("192.0.2.1"), Target: target, Control: control}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(delay), "waits/op")
			if err := prober.Close(); err != nil {
				b.Error(err)
			}
		})
	}
}
