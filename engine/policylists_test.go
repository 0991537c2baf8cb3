package engine_test

import (
	"encoding/json"
	"log/slog"
	"net/netip"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/rhsbl"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

func listsOf(t *testing.T, additions ...lists.Addition) *lists.Lists {
	t.Helper()
	l, err := lists.New(additions...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestDecideByOtherLists verifies an address, then sets other lists: what is
// stored is judged as a new verification is.
func TestDecideByOtherLists(t *testing.T) {
	for name, addition := range map[string]lists.Addition{
		"disposable domain": lists.Domains(lists.KindDisposable, "ours", "example.test"),
		"free domain":       lists.Domains(lists.KindFree, "ours", "example.test"),
		"trap":              lists.Domains(lists.KindSpamTrap, "ours", "example.test"),
		"nothing":           lists.Domains(lists.KindFree, "ours"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &traced{Handler: slog.DiscardHandler}
				v, _, _ := inMemory(t, engine.Config{Hooks: l.hooks()}, &smtptest.Host{})
				before, err := v.Verify(t.Context(), "info@example.test")
				if err != nil {
					t.Fatal(err)
				}
				stored := storedAgain(t, l.evidence[0])
				v.SetLists(listsOf(t, addition))
				after, err := v.Verify(t.Context(), "info@example.test")
				if err != nil {
					t.Fatal(err)
				}
				now, asStored := engine.Decide(stored, v.Policy()), engine.Decide(stored, engine.Policy{AllowNets: v.Policy().AllowNets})
				for _, pair := range [][2]rcpt.Result{{now, after}, {asStored, before}} {
					if diff := cmp.Diff(flagsOf(pair[1]), flagsOf(pair[0])); diff != "" {
						t.Errorf("(-verified +decided):\n%s", diff)
					}
				}
			})
		})
	}
}

// flagsOf is what lists decide of a result.
func flagsOf(r rcpt.Result) map[string]any {
	return map[string]any{
		"verdict": r.Verdict, "reason": r.Reason, "role": r.Role, "free": r.Free, "disposable": r.Disposable, "trap": r.SpamTrap,
		"matches": r.Details.Matches,
	}
}

func storedAgain(t *testing.T, evidence engine.Evidence) engine.Evidence {
	t.Helper()
	text, err := json.Marshal(evidence)
	if err != nil {
		t.Fatal(err)
	}
	var again engine.Evidence
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	return again
}

// TestDecideOfFormerTrap judges evidence of addresses that were spam traps.
func TestDecideOfFormerTrap(t *testing.T) {
	trap := []lists.Match{{List: lists.KindSpamTrap, Entry: "old.example", Confidence: lists.ConfidenceStrong}}
	hosts := &dnsresolve.Findings{Domain: "old.example", Status: dnsresolve.StatusOK, Hosts: []dnsresolve.Host{{Name: "mx.hosts.example", Status: dnsresolve.StatusOK, Addrs: []dnsresolve.Addr{{IP: netip.MustParseAddr("198.51.100.1")}}}}}
	ours := listsOf(t, lists.Domains(lists.KindDisposable, "ours", "hosts.example"))
	for name, tt := range map[string]struct {
		evidence   engine.Evidence
		lists      *lists.Lists
		reason     rcpt.Reason
		disposable bool
	}{
		"as stored":             {engine.Evidence{Level: engine.LevelSMTP}, nil, rcpt.ReasonSpamTrap, false},
		"never asked":           {engine.Evidence{Level: engine.LevelSMTP}, ours, rcpt.ReasonUnfinished, false},
		"never asked the DNS":   {engine.Evidence{Level: engine.LevelDNS}, ours, rcpt.ReasonUnfinished, false},
		"nothing to ask":        {engine.Evidence{Level: engine.LevelSyntax}, ours, rcpt.ReasonLevelReached, false},
		"not asked by the host": {engine.Evidence{Level: engine.LevelSMTP, DNS: hosts}, ours, rcpt.ReasonUnfinished, true},
		"DNS is all":            {engine.Evidence{Level: engine.LevelDNS, DNS: hosts}, ours, rcpt.ReasonLevelReached, true},
	} {
		e := tt.evidence
		e.Schema, e.Matches = engine.EvidenceSchema, trap
		e.Email, e.Local, e.Domain, e.Mailbox = "ann@old.example", "ann", "old.example", "ann@old.example"
		e.RHSBL = []rhsbl.Answer{{Zone: "dbl.example", Status: dnsresolve.StatusOK, Addrs: []netip.Addr{netip.MustParseAddr("127.0.1.2")}}}
		r := engine.Decide(e, engine.Policy{Lists: tt.lists})
		if r.Reason != tt.reason || r.Disposable != tt.disposable || r.Verdict != rcpt.VerdictUnknown {
			t.Errorf("%s: %s %s, disposable %t", name, r.Verdict, r.Reason, r.Disposable)
		}
	}
}

// TestDecideReadsTheMailbox checks the forms in which evidence has an address.
func TestDecideReadsTheMailbox(t *testing.T) {
	policy := engine.Policy{Lists: listsOf(t, lists.Domains(lists.KindDisposable, "ours", "bücher.example"))}
	for _, e := range []engine.Evidence{
		{Local: `"info"`, Domain: "xn--bcher-kva.example", Mailbox: `"info"@xn--bcher-kva.example`},
		{Local: "info", Domain: "xn--bcher-kva.example"},
		{Local: "INFO+web", Domain: "xn--bcher-kva.example", Mailbox: "INFO+web@bücher.example"},
	} {
		e.Schema = engine.EvidenceSchema
		if r := engine.Decide(e, policy); !r.Role || !r.Disposable {
			t.Errorf("%s: role %t, disposable %t", e.Local, r.Role, r.Disposable)
		}
		if len(e.Matches) > 0 {
			t.Error("Decide changes its evidence")
		}
	}
}
