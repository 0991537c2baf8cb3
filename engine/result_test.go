package engine

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/engine/rhsbl"
	"github.com/rcpt/rcpt/internal/given"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

func TestRecord(t *testing.T) {
	full := rcpt.Result{
		Email: "Info@Bücher.example", Local: "Info", Domain: "xn--bcher-kva.example", Role: true, Verdict: rcpt.VerdictDeliverable, Reason: rcpt.ReasonRecipientAccepted, Message: "Fine.",
		RetryAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Second + 7*time.Millisecond), Suggestion: "s", CheckedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Details: &rcpt.Details{Given: "<g>", Provider: "p", MX: []rcpt.MX{{Host: "mx.example", Preference: 10}}, CatchAll: rcpt.CatchAllNo, SMTP: &rcpt.SMTPAnswer{Host: "mx.example", IP: "192.0.2.1", Phase: smtp.PhaseRCPT, Code: 250, Enhanced: "2.1.5", Text: "<a> & b"}, Transcript: []smtp.Line{{From: "S", Text: "220 hi", At: 1 * time.Millisecond}}, Duration: 7 * time.Millisecond},
	}
	const head = `{"email":"Info@Bücher.example","user":"Info","domain":"xn--bcher-kva.example","accept_all":0,"role":1,"free_email":0,` +
		`"disposable":0,"spamtrap":0,"success":true,"result":"deliverable","message":"Fine."`
	const details = `,"details":{"reason":"recipient_accepted","retry_after":1,"suggestion":"s","given":"<g>","provider":"p","mx":[{"host":"mx.example","preference":10}],` +
		`"catch_all":"no","smtp":{"host":"mx.example","ip":"192.0.2.1","phase":"rcpt","code":250,"enhanced":"2.1.5","text":"<a> & b"},` +
		`"transcript":[{"from":"S","text":"220 hi","at_ms":1}],"cached":false,"checked_at":"2026-01-02T03:04:05Z","duration_ms":7,"action":"send"}`
	invalid := Decide(Evidence{Email: "nobody", Syntax: &address.Error{Detail: "no @"}}, Policy{}).WithoutDetails()

	for _, tt := range []struct {
		name   string
		result rcpt.Result
		want   string
	}{
		{"short", full.WithoutDetails(), head + `}`},
		{"with details", full, head + details + `}`},
		{"impossible syntax", invalid,
			`{"email":"nobody","user":"","domain":"","accept_all":0,"role":0,"free_email":0,"disposable":0,"spamtrap":0,"success":true,"result":"undeliverable","message":"The address is not well-formed: no @."}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			encoder := json.NewEncoder(&out)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(tt.result); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want+"\n", out.String()); diff != "" {
				t.Error(diff)
			}
			var back rcpt.Result
			if err := json.Unmarshal(out.Bytes(), &back); err != nil {
				t.Fatal(err)
			}
			want := tt.result
			if want.Details == nil {
				want.Reason, want.Suggestion = "", "" // which the short record has not
				want.CheckedAt, want.RetryAt = time.Time{}, time.Time{}
			}
			if diff := cmp.Diff(want, back); diff != "" {
				t.Errorf("read back (-written +read):\n%s", diff)
			}
		})
	}
}

// withLists is evidence with all that lists can say.
func withLists() Evidence {
	evidence := hinted(found(oneHost), lists.ConfidenceWeak)
	evidence.Schema, evidence.Suggestion = EvidenceSchema, "user@example.org"
	evidence.RHSBL = []rhsbl.Answer{
		listedIn("dbl.test", "127.0.1.2"),
		{Zone: "multi.test", Domain: "example.com", Status: dnsresolve.StatusTimeout, Error: "no answer in time"},
	}
	return evidence
}

func TestEvidenceOfListsIsKept(t *testing.T) {
	data, err := json.Marshal(withLists())
	if err != nil {
		t.Fatal(err)
	}
	var back Evidence
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(withLists(), back, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Errorf("read back (-written +read):\n%s", diff)
	}
	got := Decide(back, Policy{})
	if got.Suggestion != "user@example.org" || len(got.Details.Matches) != 2 {
		t.Errorf("suggestion %q with %d matches, want both from the evidence", got.Suggestion, len(got.Details.Matches))
	}
}

// FuzzEvidence checks that whatever evidence can be read can be judged, and is
// the same after a round trip.
func FuzzEvidence(f *testing.F) {
	for _, evidence := range []Evidence{asked(answered(accepted, unknownUser)), {Syntax: &address.Error{}}, found(oneHost), withLists()} {
		evidence.Schema = EvidenceSchema
		data, err := json.Marshal(evidence)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second Evidence
		if json.Unmarshal(data, &first) != nil {
			t.Skip()
		}
		result := Decide(first, Policy{})
		if result.Reason.Message() == "" {
			t.Errorf("reason %q is not in the table", result.Reason)
		}
		stored, err := json.Marshal(first)
		if err != nil {
			t.Skip() // a time that JSON cannot carry
		}
		if err := json.Unmarshal(stored, &second); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Decide(first, Policy{}), Decide(second, Policy{})); diff != "" {
			t.Error(diff)
		}
	})
}

// TestReasonWithoutDetails checks that the reason stays when details are left
// out.
func TestReasonWithoutDetails(t *testing.T) {
	for _, result := range []rcpt.Result{
		Decide(asked(answered(unknownUser, unknownUser)), Policy{}), Decide(Evidence{Fault: "no descriptors"}, Policy{}),
		Decide(Evidence{Syntax: &address.Error{}}, Policy{}), given.NotAsked(rcpt.ReasonSeveralAddresses, "a@b.example, c@d.example"),
	} {
		short := result.WithoutDetails()
		if short.Details != nil || short.Reason == "" || short.Reason != result.Reason {
			t.Errorf("%s with details, %s without", result.Reason, short.Reason)
		}
	}
}
