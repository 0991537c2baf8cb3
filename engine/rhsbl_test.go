package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/rhsbl"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestRHSBLNames checks what is looked up: the registrable domain, and nothing
// where a list is not to be asked.
func TestRHSBLNames(t *testing.T) {
	known, err := lists.New(
		lists.Addition{Kind: lists.KindAllow, Name: "ours", From: strings.NewReader("allowed.test\nann@\n")},
		lists.Addition{Kind: lists.KindSpamTrap, Name: "ours", From: strings.NewReader("bait@example.test\n")},
	)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("a", 63) + "." + strings.Repeat("b.", 90) + "test"
	for _, tt := range []struct {
		address string
		level   engine.Level
		want    string
	}{
		{"user@example.test", engine.LevelDNS, "example.test.dbl.test"},
		{"user@example.test", engine.LevelSMTP, "example.test.dbl.test"},
		{"user@example.test", engine.LevelSyntax, ""},
		{"user@a.b.example.co.uk", engine.LevelDNS, "example.co.uk.dbl.test"},
		{"user@mail.customer.github.io", engine.LevelDNS, "customer.github.io.dbl.test"},
		{"user@www.Bücher.test", engine.LevelDNS, "xn--bcher-kva.test.dbl.test"},
		{"user@" + long, engine.LevelDNS, "b.test.dbl.test"},
		{"user@co.uk", engine.LevelDNS, ""},
		{"user@gmail.com", engine.LevelDNS, ""},
		{"user@yandex.kz", engine.LevelDNS, ""},
		{"user@mail.allowed.test", engine.LevelDNS, ""},
		{"ann@example.test", engine.LevelDNS, ""},
		{"bait@example.test", engine.LevelDNS, ""},
		{"user@localhost", engine.LevelDNS, ""},
	} {
		t.Run(tt.address+" "+string(tt.level), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				config := engine.Config{Lists: known, Level: tt.level, RHSBLs: []string{"DBL.test", "dbl.test"}}
				verifier, _, zone := inMemory(t, config, &smtptest.Host{CatchAll: true})
				if _, err := verifier.Verify(t.Context(), tt.address); err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(askedUnder(zone, "dbl.test"), " "); got != tt.want {
					t.Errorf("looked up %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// askedUnder are the names in the zone of a list that were looked up.
func askedUnder(server *dnstest.Server, zone string) []string {
	var names []string
	for _, q := range server.Queries() {
		if strings.HasSuffix(q.Name, "."+zone) {
			names = append(names, q.Name)
		}
	}
	return names
}

// TestRHSBLTooLongName checks that a domain for which the zone leaves no room
// is no failure of the list.
func TestRHSBLTooLongName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		label := strings.Repeat("z", 19)
		zone := strings.Repeat(label+".", 12) + "test" // 244 octets
		verifier, _, world := inMemory(t, engine.Config{Level: engine.LevelDNS, RHSBLs: []string{zone}}, &smtptest.Host{})
		for _, address := range []string{"user@longname.test", "user@abc.test"} {
			if _, err := verifier.Verify(t.Context(), address); err != nil {
				t.Fatal(err)
			}
		}
		if got := askedUnder(world, zone); !slices.Equal(got, []string{"abc.test." + zone}) {
			t.Errorf("looked up %q, want the shorter name alone", got)
		}
	})
}

// TestFailedRHSBLRests checks that a list that fails delays the verifications
// of a minute once, and is complained of once.
func TestFailedRHSBLRests(t *testing.T) {
	for name, failure := range map[string]dnstest.Fault{
		"silent":  {Name: "dead.test", Kind: dnstest.Lose},
		"broken":  {Name: "dead.test", Kind: dnstest.ServFail},
		"refuses": {Name: "dead.test", Kind: dnstest.None},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				world := dnstest.New("*.dead.test. A 127.255.255.254\n*.dbl.test. A 127.0.1.2\n")
				for _, domain := range []string{"a.test", "b.test", "c.test", "d.test"} {
					failure.Name = domain + ".dead.test"
					world.Break(failure)
				}
				var log bytes.Buffer
				config := engine.Config{
					Level: engine.LevelDNS, RHSBLs: []string{"dead.test", "dbl.test"}, Exchanger: world,
					Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
				}
				verifier, _, _ := inMemory(t, config, &smtptest.Host{})
				listings := func(domain string, most time.Duration) {
					t.Helper()
					began := time.Now()
					result, err := verifier.Verify(t.Context(), "user@"+domain)
					if took := time.Since(began); err != nil || took > most {
						t.Errorf("%s: took %v (%v), want %v at most", domain, took, err, most)
					}
					want := []lists.Match{{List: rhsbl.Kind, Entry: domain, Source: "dbl.test", Group: "127.0.1.2"}}
					if diff := cmp.Diff(want, result.Details.Matches); diff != "" {
						t.Errorf("%s: matches (-want +got):\n%s", domain, diff)
					}
				}
				listings("a.test", 2*time.Second)
				listings("b.test", 0)
				time.Sleep(time.Minute)
				listings("c.test", 2*time.Second)
				listings("d.test", 0)
				asked := slices.Compact(askedUnder(world, "dead.test"))
				if want := []string{"a.test.dead.test", "c.test.dead.test"}; !slices.Equal(asked, want) {
					t.Errorf("the list that fails was asked for %q, want %q", asked, want)
				}
				if lines := strings.Count(log.String(), "\n"); lines != 1 || !strings.Contains(log.String(), "rhsbl=dead.test") {
					t.Errorf("want one line about the list:\n%s", log.String())
				}
			})
		})
	}
}

// TestRHSBLAndCaller checks that a caller who leaves does not wait for a list,
// and does not count as its failure.
func TestRHSBLAndCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := dnstest.New(oneHostZone)
		world.Break(dnstest.Fault{Name: "example.test.dbl.test", Kind: dnstest.Lose})
		var log bytes.Buffer
		config := engine.Config{
			RHSBLs: []string{"dbl.test"}, Exchanger: world,
			Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		}
		verifier, _, _ := inMemory(t, config, &smtptest.Host{RCPT: smtptest.Hangs})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		if _, err := verifier.Verify(ctx, "user@example.test"); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: error %v", err)
		}
		limited, stop := context.WithTimeout(t.Context(), time.Second/2)
		defer stop()
		if _, err := verifier.Verify(limited, "user@example.test"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("deadline: error %v", err)
		}
		if took := time.Since(began); took != 1500*time.Millisecond {
			t.Errorf("took %v, want 1.5s", took)
		}
		if log.Len() > 0 {
			t.Errorf("want no complaint:\n%s", log.String())
		}
	})
}

// TestRHSBLAndTimeout checks that the time for one address bounds the lists,
// too.
func TestRHSBLAndTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := dnstest.New(oneHostZone)
		world.Break(dnstest.Fault{Name: "example.test.dbl.test", Kind: dnstest.Lose})
		config := engine.Config{RHSBLs: []string{"dbl.test"}, Exchanger: world, Timeout: time.Second}
		verifier, _, _ := inMemory(t, config, &smtptest.Host{CatchAll: true})
		began := time.Now()
		result, err := verifier.Verify(t.Context(), "user@example.test")
		if took := time.Since(began); err != nil || result.Verdict != rcpt.VerdictAcceptAll || took != time.Second {
			t.Errorf("%s after %v (%v), want %s after 1s", result.Verdict, took, err, rcpt.VerdictAcceptAll)
		}
	})
}

// secretive answers as the DNS does that explains a failure with the name that
// was asked for (RFC 8914).
type secretive struct{ *dnstest.Server }

func (s secretive) Exchange(ctx context.Context, query []byte, network, server string) ([]byte, error) {
	wire, err := s.Server.Exchange(ctx, query, network, server)
	if err != nil {
		return nil, err
	}
	answer := new(dns.Msg)
	if err := answer.Unpack(wire); err != nil {
		return nil, err
	}
	if name := answer.Question[0].Name; strings.HasPrefix(name, "broken.") {
		answer.Rcode, answer.Answer = dns.RcodeServerFailure, nil
		answer.IsEdns0().Option = []dns.EDNS0{&dns.EDNS0_EDE{InfoCode: 22, ExtraText: "at delegation " + name}}
	}
	return answer.Pack()
}

// TestRHSBLKeyIsNotShown checks that the key which some operators put into the
// name of the zone stays with us.
func TestRHSBLKeyIsNotShown(t *testing.T) {
	const key = "abcdefghijklmnopqrstuvwxyz"
	var log bytes.Buffer
	verifier, err := engine.New(engine.Config{
		Level: engine.LevelDNS, RHSBLs: []string{key + ".dbl.test"}, Resolvers: []string{"192.0.2.53"},
		Exchanger: secretive{dnstest.New("*." + key + ".dbl.test. A 127.0.1.2\n")},
		Logger:    slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer verifier.Close()
	var shown bytes.Buffer
	for _, address := range []string{"user@listed.test", "user@broken.test"} {
		evidence, err := verifier.Gather(t.Context(), address)
		if err != nil || len(evidence.RHSBL) != 1 || evidence.RHSBL[0].Zone != "dbl.test" {
			t.Errorf("%s: %+v (%v), want an answer of dbl.test", address, evidence.RHSBL, err)
		}
		if err := json.NewEncoder(&shown).Encode([]any{evidence, engine.Decide(evidence, engine.Policy{})}); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(shown.String(), "at delegation broken.test.dbl.test") || !strings.Contains(log.String(), "rhsbl=dbl.test") {
		t.Errorf("want the failure of the list in the evidence and in the log:\n%s%s", shown.String(), log.String())
	}
	if strings.Contains(shown.String()+log.String(), key) {
		t.Errorf("the key is shown:\n%s%s", shown.String(), log.String())
	}
}
