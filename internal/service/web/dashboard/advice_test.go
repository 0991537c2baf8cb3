package dashboard

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// TestReasonTexts: every reason of the engine has a name, a meaning and
// something to do, and no two have one name.
func TestReasonTexts(t *testing.T) {
	names := map[string]rcpt.Reason{}
	for _, reason := range rcpt.Reasons() {
		text := reasonTexts[reason]
		if text.Name == "" || !strings.HasSuffix(text.Meaning, ".") || !strings.HasSuffix(text.Do, ".") {
			t.Errorf("%s: %+v", reason, text)
		}
		if other, taken := names[text.Name]; taken {
			t.Errorf("%s and %s are both called %q", reason, other, text.Name)
		}
		names[text.Name] = reason
	}
	if len(names) < 20 || len(names) != len(reasonTexts) {
		t.Errorf("%d reasons, and texts for %d", len(names), len(reasonTexts))
	}
	if got := reasonName("not_yet_known"); got != "not yet known" {
		t.Error(got)
	}
}

// TestSteps: every reason of the DNS has an outcome on the page, and every step
// of the engine is one of the page.
func TestSteps(t *testing.T) {
	for _, reason := range rcpt.Reasons() {
		outcome, has := dnsOutcomes[reason]
		if has != (reason.EndsAt() == rcpt.StepDNS) || has && (outcome.text == "" || outcome.tone == "") {
			t.Errorf("%s ends at %q, and the DNS shows %q", reason, reason.EndsAt(), outcome)
		}
		if step := reason.EndsAt(); step != "" && lastStep[step] == "" {
			t.Errorf("%s ends at %q, which the page does not have", reason, step)
		}
	}
}

// TestAdvice goes through every result, reason and combination of flags.
func TestAdvice(t *testing.T) {
	verdicts := []rcpt.Verdict{rcpt.VerdictDeliverable, rcpt.VerdictAcceptAll, rcpt.VerdictUnknown, rcpt.VerdictUndeliverable}
	for _, reason := range rcpt.Reasons() {
		for _, verdict := range verdicts {
			if reason != rcpt.ReasonMXReservedAddress && reason.Verdict() != verdict {
				continue
			}
			for flags := range 16 {
				r := rcpt.Result{Email: "ada@acme.example", Local: "ada", Domain: "acme.example", Verdict: verdict, Reason: reason, Details: &rcpt.Details{},
					Role: flags&1 > 0, Free: flags&2 > 0, Disposable: flags&4 > 0, SpamTrap: flags&8 > 0}
				checkAdvice(t, r, adviceOn(r))
			}
		}
	}
}

func checkAdvice(t *testing.T, r rcpt.Result, got string) {
	t.Helper()
	reason := r.Reason
	has := func(part string) bool { return strings.Contains(got, part) }
	gone := r.Verdict == rcpt.VerdictUndeliverable
	trap := !gone && (r.SpamTrap || reason == rcpt.ReasonSpamTrap)
	wants := map[string]bool{
		"Nobody signs up with such": trap,
		"disposable mailbox":        r.Disposable && !trap && !gone,
		"Safe to write to":          reason == rcpt.ReasonRecipientAccepted && !r.Disposable && !r.SpamTrap && !r.Role,
		"Write to it":               reason == rcpt.ReasonCatchAll && !r.Disposable && !r.SpamTrap && !r.Role,
		"probably good":             reason == rcpt.ReasonControlInconclusive && !r.Disposable && !r.SpamTrap && !r.Role,
		"function":                  reasonTexts[reason].writes && r.Role && !r.Disposable && !r.SpamTrap,
		"Anybody can open":          reasonTexts[reason].writes && r.Free && !r.Role && !r.Disposable && !r.SpamTrap,
		"--level":                   reason == rcpt.ReasonLevelReached && !trap,
		"--allow-net":               reason == rcpt.ReasonMXReservedAddress && !gone && !trap,
		"from strangers, and":       false,
		"local network":             false,
		reasonTexts[reason].Meaning: !trap && (!gone || reason != rcpt.ReasonMXReservedAddress) || reason == rcpt.ReasonSpamTrap,
	}
	for part, want := range wants {
		if has(part) != want {
			t.Errorf("%s, %s, flags %t %t %t %t: %q is there: %t, want %t:\n%s", r.Verdict, reason, r.Role, r.Free, r.Disposable, r.SpamTrap, part, !want, want, got)
		}
	}
}

// TestAdviceOnAddressesNotAsked: an address that is not verified by its form
// says nothing about how the server is set.
func TestAdviceOnAddressesNotAsked(t *testing.T) {
	v, err := engine.New(engine.Config{Level: engine.LevelSyntax})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for email, want := range map[string]string{
		"alice@[192.0.2.1]": "address literal", "alice@[IPv6:2001:db8::1]": "address literal",
		"alice@acme": "local network", `"a@b.example"@acme`: "local network",
	} {
		r, err := v.Verify(t.Context(), email)
		if err != nil || r.Reason != rcpt.ReasonUnsupportedAddress {
			t.Fatalf("%s: %+v, %v", email, r, err)
		}
		if got := adviceOn(r); !strings.Contains(got, want) || strings.Contains(got, "--level") != strings.Contains(want, "--level") {
			t.Errorf("%s: %s", email, got)
		}
	}
}
