package service

import (
	"fmt"
	"testing"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/internal/service/alert"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/smtpprobe"
)

// TestBlockProblems: providers that are paused, with what helps; those that are
// only asked more slowly are none.
func TestBlockProblems(t *testing.T) {
	until := time.Date(2026, 11, 23, 12, 30, 0, 0, time.UTC)
	got := blockProblems([]smtpprobe.Paused{{Provider: "t_online", Until: until}, {Provider: "gmail"}, {Provider: "gmx", Egress: "192.0.2.1", Until: until}},
		[]blockSeen{{provider: "t_online", cause: "It knows us not.", do: "Write."}})
	const want = "[{t_online t_online refuses us, so its mail hosts are not asked until 12:30 UTC. It knows us not. Write.} " +
		"{gmx from 192.0.2.1 gmx from 192.0.2.1 refuses us, so its mail hosts are not asked until 12:30 UTC. Run rcpt doctor, and verify less for a while.}]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestNetworkProblems: what both the check of the network and the examination
// find is one problem from beginning to end, whichever finds it first.
func TestNetworkProblems(t *testing.T) {
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	check := func(name, egress string, state doctor.State) doctor.Check {
		return doctor.Check{Name: name, Egress: egress, State: state, Found: name + " " + egress}
	}
	reportOf := func(checks ...doctor.Check) *doctor.Report { return &doctor.Report{At: at, Checks: checks} }
	const fault, ok = doctor.StateFault, doctor.StateOK
	closed := reportOf(check(doctor.NamePort, "a", fault), check(doctor.NamePort, "b", fault))
	mixed := reportOf(check(doctor.NamePort, "a", fault), check(doctor.NamePort, "b", ok))
	dishonest := reportOf(check(doctor.NameResolverHonest, "", fault), check(doctor.NameResolver, "", fault))
	oneDead := reportOf(check(doctor.NameResolverHonest, "", ok), check(doctor.NameResolver, "", fault))
	failed := engine.Check{State: engine.CheckFailed, Fault: "denies", CheckedAt: at}
	passed := func(after time.Duration) engine.Check {
		return engine.Check{State: engine.CheckPassed, CheckedAt: at.Add(after)}
	}
	for _, c := range []struct {
		name             string
		resolver, port   engine.Check
		report           *doctor.Report
		network, faulted string // the subjects
	}{
		{"nothing is known", engine.Check{}, engine.Check{}, nil, "[]", "[]"},
		{"the check alone", failed, engine.Check{}, nil, "[resolver]", "[]"},
		{"the examination first", engine.Check{}, engine.Check{}, dishonest, "[resolver]", "[]"},
		{"then the check", failed, engine.Check{}, dishonest, "[resolver]", "[]"},
		{"it works again", passed(time.Minute), engine.Check{}, dishonest, "[]", "[]"},
		{"it worked before", passed(-time.Minute), engine.Check{}, dishonest, "[resolver]", "[]"},
		{"one of two servers", passed(time.Minute), engine.Check{}, oneDead, "[]", "[resolver]"},
		{"no egress has a port", passed(time.Minute), engine.Check{}, closed, "[port]", "[]"},
		{"and the check says so, too", passed(time.Minute), failed, closed, "[port]", "[]"},
		{"an egress has none", passed(time.Minute), passed(time.Minute), mixed, "[]", "[port a]"},
	} {
		subjects := func(problems []alert.Problem) string {
			all := []string{}
			for _, p := range problems {
				all = append(all, p.Subject)
			}
			return fmt.Sprint(all)
		}
		network := subjects(networkProblems(engine.NetworkStatus{Resolver: c.resolver, Port: c.port}, c.report))
		if faulted := subjects(doctorProblems(c.report)); network != c.network || faulted != c.faulted {
			t.Errorf("%s: %s, %s, want %s, %s", c.name, network, faulted, c.network, c.faulted)
		}
	}
}

// TestQuotaProblems: a key is named from 80% of its quota on.
func TestQuotaProblems(t *testing.T) {
	opened, err := store.Open(t.Context(), store.Options{DataDir: t.TempDir()})
	check(t, err)
	defer opened.Close()
	_, err = opened.CreateKey(t.Context(), store.ByCommand("test"), store.Key{Name: "free", Hash: store.Hash{1}})
	check(t, err)
	shop, err := opened.CreateKey(t.Context(), store.ByCommand("test"), store.Key{Name: "shop", Hash: store.Hash{2}, MonthlyQuota: 10})
	check(t, err)
	keys, err := keyring.Open(t.Context(), keyring.Config{Store: opened})
	check(t, err)
	defer keys.Close()
	r := &running{state: &state{store: opened, keys: keys}}
	for _, c := range []struct {
		units int64
		want  int
	}{{7, 0}, {1, 1}} {
		_, err = opened.ReserveQuota(t.Context(), shop.ID, time.Now(), c.units, 10)
		check(t, err)
		problems, err := r.quotaProblems(t.Context())
		check(t, err)
		if len(problems) != c.want {
			t.Errorf("%d more units: %v", c.units, problems)
		}
	}
}
