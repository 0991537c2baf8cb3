package smtpprobe_test

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// good is a host that answers: the target exists, the control does not.
func good() *smtptest.Host {
	return &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}}
}

const goodFound = "greeting 220, ehlo 250, mail 250, target 250, control 550"

func TestFailover(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first smtptest.Handler
		found string // of the first host, without the second's, when that is asked
		next  bool   // the second host is asked
	}{
		{"answer", good(), goodFound, false},
		{"no such mailbox", &smtptest.Host{}, "greeting 220, ehlo 250, mail 250, target 550, control 550", false},
		{"temporary failure at RCPT", &smtptest.Host{RCPT: "450 later"}, "greeting 220, ehlo 250, mail 250, target 450, control 450", false},
		{"421 at RCPT", &smtptest.Host{RCPT: "421 bye"}, "greeting 220, ehlo 250, mail 250, target 421", false},
		{"refused greeting", &smtptest.Host{Greeting: "554 no"}, "greeting 554", true},
		{"busy greeting", &smtptest.Host{Greeting: "421 busy"}, "greeting 421", true},
		{"refused EHLO and HELO", smtptest.Script("S: 220 mx\nC: EHLO *\nS: 550 no\nC: HELO *\nS: 550 no"), "greeting 220, ehlo 550", true},
		{"EHLO later", &smtptest.Host{EHLO: "451 later"}, "greeting 220, ehlo 451", true},
		{"refused MAIL", &smtptest.Host{MAIL: "550 blocked"}, "greeting 220, ehlo 250, mail 550", false},
		{"MAIL only for those who log in", &smtptest.Host{MAIL: "530 5.7.0 authentication required"}, "greeting 220, ehlo 250, mail 530", false},
		{"MAIL later", &smtptest.Host{MAIL: "451 later"}, "greeting 220, ehlo 250, mail 451", true},
		{"swallows packets", nil, "failure timeout at connect", true},
		{"closes at once", &smtptest.Host{Greeting: smtptest.Closes}, "failure closed at greeting", true},
		{"closes at EHLO", &smtptest.Host{EHLO: smtptest.Closes}, "greeting 220, failure closed at ehlo", true},
		{"closes at MAIL", &smtptest.Host{MAIL: smtptest.Closes}, "greeting 220, ehlo 250, failure closed at mail\ngreeting 220, ehlo 250, failure closed at mail", true},
		{"closes at RCPT", &smtptest.Host{RCPT: smtptest.Closes}, "greeting 220, ehlo 250, mail 250, failure closed at rcpt\ngreeting 220, ehlo 250, mail 250, failure closed at rcpt", true},
		{"resets", smtptest.Script("reset"), "failure reset at greeting", true},
		{"silent", &smtptest.Host{Greeting: smtptest.Hangs}, "failure timeout at greeting", true},
		{"silent at EHLO", &smtptest.Host{EHLO: smtptest.Hangs}, "greeting 220, failure timeout at ehlo", true},
		{"another protocol", smtptest.Script("S: +OK POP3"), "failure protocol at greeting", true},
		{
			"hangs up after the target's answer",
			&peer{RCPTFunc: after(1, always(closes))},
			"greeting 220, ehlo 250, mail 250, target 550, failure closed at rcpt", false,
		},
		{
			"falls silent after the target's answer",
			&peer{RCPTFunc: after(1, always(hangs))},
			"greeting 220, ehlo 250, mail 250, target 550, failure timeout at rcpt", false,
		},
		{
			"falls silent after an answer that may be the control's",
			&peer{RCPTFunc: func(v *visit, _ string) string {
				if v.Named > 0 {
					return hangs
				}
				return "550 5.1.1 no such user"
			}},
			"greeting 220, ehlo 250, mail 250, target 550, failure timeout at rcpt", false,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := probe(t, setting{}, tt.first, good())
			want := tt.found
			if tt.next {
				want += "\n" + goodFound
			}
			if got := summaries(o.found); got != want || o.err != nil {
				t.Errorf("found\n%s (%v)\nwant\n%s", got, o.err, want)
			}
		})
	}
}

// TestTLSFailover is about one host, beyond those of [hostile.Kinds]:
// when TLS fails it is asked once more, in plain text.
func TestTLSFailover(t *testing.T) {
	for _, tt := range []struct {
		name  string
		host  smtptest.Handler
		found []string
	}{
		{
			"has no version of TLS, and says so at once",
			smtptest.Script(beforeTLS + `raw: 220 go\r\n\x15\x03\x01\x00\x02\x02\x46` + "\nclose"),
			[]string{"greeting 220, ehlo 250, starttls 220, failure tls at starttls", "greeting 220, ehlo 250, mail 503"},
		},
		{
			"closes after the handshake",
			smtptest.Script(starttls + "close"),
			[]string{"greeting 220, ehlo 250, starttls 220, TLS 1.3, failure tls at starttls", "greeting 220, ehlo 250, mail 503"},
		},
		{
			"closes when TLS has proved to work",
			&smtptest.Host{STARTTLS: smtptest.TLSWorks, NoPipelining: true, MAIL: smtptest.Closes},
			[]string{"greeting 220, ehlo 250, starttls 220, TLS 1.3, failure closed at mail"},
		},
		{
			"closes at STARTTLS", smtptest.Script(beforeTLS + "close"),
			[]string{"greeting 220, ehlo 250, failure closed at starttls", "greeting 220, ehlo 250, mail 503"},
		},
		{
			"answers STARTTLS with 421", smtptest.Script(beforeTLS + "S: 421 bye"),
			[]string{"greeting 220, ehlo 250, starttls 421", "greeting 220, ehlo 250, mail 503"},
		},
		{
			"answers STARTTLS with what is no reply to it", smtptest.Script(beforeTLS + "S: 250 ok"),
			[]string{"greeting 220, ehlo 250, failure protocol at starttls", "greeting 220, ehlo 250, mail 503"},
		},
		{
			"refuses STARTTLS, and closes at what comes then", smtptest.Script(beforeTLS + "S: 454 no\nC: MAIL *\nclose"),
			[]string{"greeting 220, ehlo 250, starttls 454, failure closed at mail", "greeting 220, ehlo 250, mail 503"},
		},
		{
			"refuses STARTTLS, and us behind it", smtptest.Script(beforeTLS + "S: 454 no\nC: MAIL *\nS: 550 not you"),
			[]string{"greeting 220, ehlo 250, starttls 454, mail 550"},
		},
		{
			"refuses EHLO over TLS", smtptest.Script(starttls + "C: EHLO *\nS: 421 4.3.2 no"),
			[]string{"greeting 220, ehlo 421, starttls 220, TLS 1.3", "greeting 220, ehlo 250, mail 503"},
		},
		{
			"speaks nonsense over TLS", smtptest.Script(starttls + "C: EHLO *\nS: hello"),
			[]string{"greeting 220, ehlo 250, starttls 220, TLS 1.3, failure protocol at ehlo", "greeting 220, ehlo 250, mail 503"},
		},
		{
			"insists on what it cannot do",
			&smtptest.Host{STARTTLS: smtptest.TLSCloses, RequireTLS: true},
			[]string{"greeting 220, ehlo 250, starttls 220, failure tls at starttls", "greeting 220, ehlo 250, mail 530"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := probe(t, setting{}, tt.host)
			if got, want := summaries(o.found), strings.Join(tt.found, "\n"); got != want || o.err != nil {
				t.Errorf("found\n%s (%v)\nwant\n%s", got, o.err, want)
			}
			for _, s := range o.sessions {
				if strings.Contains(s.Client, "QUIT") != s.QUIT {
					t.Errorf("QUIT into the handshake: %q", s.Client)
				}
			}
		})
	}
}

func tlsHost(mode smtptest.TLSMode) *smtptest.Host {
	h := good()
	h.STARTTLS = mode
	return h
}

func TestHostThatInsistsOnBrokenTLSIsPassedOver(t *testing.T) {
	for _, mode := range []smtptest.TLSMode{smtptest.TLSCloses, smtptest.TLSRefused} {
		o := probe(t, setting{}, &smtptest.Host{STARTTLS: mode, RequireTLS: true}, good())
		if last := o.last(); last.Host != "mx2.example" || summary(last) != goodFound {
			t.Errorf("%v: %s said %s", mode, last.Host, summary(last))
		}
	}
}

func TestSMTPUTF8HiddenBehindBrokenTLSIsNotMissing(t *testing.T) {
	req := smtpprobe.Request{Target: "zoë@example.com", SMTPUTF8: true}
	o := probe(t, setting{req: req}, tlsHost(smtptest.TLSRefused))
	if got, want := summaries(o.found), "greeting 220, ehlo 250, starttls 454, failure tls at mail"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

// TestSMTPUTF8IsLookedForAtEveryHost has two addresses a host, of which the
// first speaks for both, when it lacks SMTPUTF8 in two sessions.
func TestSMTPUTF8IsLookedForAtEveryHost(t *testing.T) {
	const without = "greeting 220, ehlo 250, failure smtputf8 at mail"
	with := smtptest.Script("S: 220 mx\nC: EHLO *\nS: 250-mx\nS: 250 SMTPUTF8\nC: MAIL *\nS: 250 ok\nC: RCPT *\nS: 250 yes")
	for _, tt := range []struct {
		name   string
		second smtptest.Handler
		found  string
		dials  []string
	}{
		{"the second has it", with, without + "\ngreeting 220, ehlo 250, mail 250, target 250", []string{"192.0.2.1:25", "192.0.2.1:25", "192.0.2.3:25"}},
		{"none has it", good(), without + "\n" + without, []string{"192.0.2.1:25", "192.0.2.1:25", "192.0.2.3:25", "192.0.2.3:25"}},
		{"the second is busy", &smtptest.Host{Greeting: "421 busy"}, without + "\ngreeting 421\ngreeting 421", []string{"192.0.2.1:25", "192.0.2.1:25", "192.0.2.3:25", "192.0.2.4:25"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hosts := append(mx("192.0.2.1", "192.0.2.2"), smtpprobe.Host{Name: "backup.example", Addrs: addrsOf("192.0.2.3", "192.0.2.4")})
			o := probe(t, setting{
				hosts: map[string]smtptest.Handler{"192.0.2.1": good(), "192.0.2.2": good(), "192.0.2.3": tt.second, "192.0.2.4": tt.second},
				req:   smtpprobe.Request{Hosts: hosts, Target: "zoë@example.com", SMTPUTF8: true},
			})
			if summaries(o.found) != tt.found || o.err != nil {
				t.Errorf("found\n%v\nwant\n%s", o, tt.found)
			}
			if diff := cmp.Diff(tt.dials, o.dials); diff != "" {
				t.Errorf("dials (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnAddressIsAskedOnce sees that a machine with several names is asked
// under the first, and once more only after TLS has failed.
func TestAnAddressIsAskedOnce(t *testing.T) {
	for _, tt := range []struct {
		name  string
		host  smtptest.Handler
		dials []string
	}{
		{"busy", &smtptest.Host{Greeting: "421 busy"}, []string{"192.0.2.1:25", "192.0.2.2:25"}},
		{"closes", &smtptest.Host{EHLO: smtptest.Closes}, []string{"192.0.2.1:25", "192.0.2.2:25"}},
		{
			"busy once TLS has failed",
			&smtptest.Host{STARTTLS: smtptest.TLSCloses, MAIL: "451 later"},
			[]string{"192.0.2.1:25", "192.0.2.1:25", "192.0.2.2:25"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			alias := smtpprobe.Host{Name: "alias.example", Addrs: addrsOf("::ffff:192.0.2.1", "192.0.2.1", "192.0.2.2")}
			o := probe(t, setting{
				hosts: map[string]smtptest.Handler{"192.0.2.1": tt.host, "192.0.2.2": good()},
				req:   smtpprobe.Request{Hosts: append(mx("192.0.2.1"), alias)},
			})
			if diff := cmp.Diff(tt.dials, o.dials); diff != "" {
				t.Errorf("dials (-want +got):\n%s", diff)
			}
			if summary(o.last()) != goodFound {
				t.Errorf("found\n%v", o)
			}
		})
	}
}

func TestConnectionsAreLimited(t *testing.T) {
	hosts := make([]smtptest.Handler, 10)
	for i := range hosts {
		hosts[i] = tlsHost(smtptest.TLSCloses)
		hosts[i].(*smtptest.Host).MAIL = "451 later"
	}
	o := probe(t, setting{}, hosts...)
	if got, want := len(o.dials), 6; got != want {
		t.Errorf("%d connections, want %d: %v", got, want, o.dials)
	}
}

// offline is a dialer without IPv6.
func offline(d smtpprobe.Dialer) smtpprobe.Dialer {
	return dialerFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
		if strings.HasPrefix(address, "[") {
			return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ENETUNREACH}
		}
		return d.DialContext(ctx, network, address)
	})
}

// TestOurOwnFailureIsAnError sees that what this machine lacks is not told of a
// host, and that the slot is free again.
func TestOurOwnFailureIsAnError(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM} {
		t.Run(errno.Error(), func(t *testing.T) {
			starved := func(d smtpprobe.Dialer) smtpprobe.Dialer { // at one address
				return dialerFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
					if address == "192.0.2.2:25" {
						return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("socket", errno)}
					}
					return d.DialContext(ctx, network, address)
				})
			}
			inBubbleBy(t, smtpprobe.Config{MaxSessions: 1}, one(&smtptest.Host{Greeting: "421 busy"}), starved, func(b *bubble) {
				for range 2 {
					r := b.ask(b.Context(), about("good@a.example", "192.0.2.1", "192.0.2.2"))
					if summaries(r.found) != "greeting 421" || !errors.Is(r.err, errno) {
						b.Errorf("found %v", r)
					}
				}
			})
		})
	}
}
