package smtpprobe

import (
	"context"
	"errors"
	"net/netip"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/egress"
	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// newShell returns a pool with two egresses, and a probe of two mail hosts of
// which the first is being asked.
func newShell(t *testing.T) (*Pool, *probe) {
	t.Helper()
	pool, err := New(Config{Egresses: egress.Egresses{{Name: "a"}, {Name: "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	two := []Host{
		{Name: "mx1.example", Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}},
		{Name: "mx2.example", Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.2")}},
	}
	pr := newProbe(pool, &Request{Hosts: two, Target: "alice@a.example"})
	pr.route, _ = pr.routes.next()
	return pool, pr
}

// failed is a session that failed in some way.
func failed(kind smtp.Kind) *Session {
	return &Session{Failure: &smtp.Failure{Phase: smtp.PhaseConnect, Kind: kind}}
}

// TestWhoGivesUpIsToldSo checks that a caller that has given up asks no other
// host, and gets what was answered at the same moment: it may be the answer.
func TestWhoGivesUpIsToldSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		told result
		want error
	}{
		{result{session: &Session{Target: &smtp.Reply{Code: 250}}}, nil},
		{result{session: failed(smtp.KindTimeout)}, context.Canceled},
		{result{err: ErrBusy}, ErrBusy},
		{result{err: ErrClosed}, ErrClosed},
	} {
		_, pr := newShell(t)
		tt.told.job = newJob(pr.route, pr.req, &pr.budget)
		if end, err := pr.arrived(ctx, tt.told); !end || !errors.Is(err, tt.want) {
			t.Errorf("%+v: %t, %v", tt.told, end, err)
		}
	}
}

// TestAnotherEgress sees which outcomes have another egress ask the same host,
// what is then found, and that the next host may be asked by all.
func TestAnotherEgress(t *testing.T) {
	by := func(n schedule.EgressID, r schedule.Result, s *Session, err error) result {
		return result{job: &job{answer: answer{result: r, egress: n}}, session: s, err: err}
	}
	fault, paused := failed(smtp.KindEgress), failed(smtp.KindPaused)
	answered := &Session{Target: &smtp.Reply{Code: 250}}
	none := by(0, schedule.NoEgress, failed(smtp.KindEgress), nil)
	for name, tt := range map[string]struct {
		told  []result
		found []*Session // until then
		tried int
		next  string
	}{
		"failed":            {[]result{by(1, schedule.Failed, fault, nil)}, nil, 1, "mx1.example"},
		"failed, then not":  {[]result{by(1, schedule.Failed, fault, nil), by(2, schedule.Final, answered, nil)}, []*Session{fault, answered}, 0, ""},
		"both failed":       {[]result{by(1, schedule.Failed, fault, nil), by(2, schedule.Failed, fault, nil), none}, []*Session{fault, fault}, 0, "mx2.example"},
		"paused, no other":  {[]result{by(1, schedule.Paused, paused, nil), none}, []*Session{paused}, 0, "mx2.example"},
		"paused, then not":  {[]result{by(1, schedule.Paused, paused, nil), by(2, schedule.Final, answered, nil)}, []*Session{answered}, 0, ""},
		"removed":           {[]result{by(1, schedule.Moved, nil, errMoved)}, nil, 0, "mx1.example"},
		"failed, removed":   {[]result{by(1, schedule.Failed, fault, nil), by(2, schedule.Moved, nil, errMoved)}, nil, 1, "mx1.example"},
		"none leads there":  {[]result{none}, []*Session{none.session}, 0, "mx2.example"},
		"too slow for us":   {[]result{by(1, schedule.Slowed, failed(smtp.KindLimited), nil)}, []*Session{failed(smtp.KindLimited)}, 0, "mx2.example"},
		"failed, and again": {[]result{by(1, schedule.Failed, fault, nil), by(2, schedule.Failed, fault, nil)}, []*Session{fault}, 2, "mx1.example"},
	} {
		t.Run(name, func(t *testing.T) {
			_, pr := newShell(t)
			for _, r := range tt.told {
				if pr.route.host == "" {
					t.Fatal("asked nobody")
				}
				if end, err := pr.arrived(t.Context(), r); err != nil || end != (tt.next == "") && len(pr.routes.left) == 0 {
					t.Fatalf("end %t, %v", end, err)
				}
				pr.route, _ = pr.routes.next()
			}
			if pr.route.host != tt.next || len(pr.tried) != tt.tried {
				t.Errorf("next is %q, %d egresses tried; want %q, %d", pr.route.host, len(pr.tried), tt.next, tt.tried)
			}
			if len(pr.found.Sessions) != len(tt.found) {
				t.Fatalf("found %v", pr.found.Sessions)
			}
			for i := range tt.found {
				if got := pr.found.Sessions[i]; got.Failure == nil != (tt.found[i].Failure == nil) ||
					got.Failure != nil && got.Failure.Kind != tt.found[i].Failure.Kind {
					t.Errorf("session %d: %+v", i, got)
				}
			}
		})
	}
}
