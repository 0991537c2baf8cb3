package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/contract"
)

// verified returns the result of an address, and how long it took.
func verified(t *testing.T, text string, limit time.Duration) (r rcpt.Result, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var err error
		r, err = Verifier{}.VerifyWith(t.Context(), text, engine.VerifyOptions{Timeout: limit})
		if busy := r.Reason == rcpt.ReasonBusy; errors.Is(err, engine.ErrBusy) != busy || err != nil && !busy {
			t.Fatal(err)
		}
		took = time.Since(began)
	})
	return r, took
}

// TestRows: each row gives its reason, with the verdict and the wait of a real
// answer, and what it shows of a mail host is not a real one.
func TestRows(t *testing.T) {
	names := map[string]bool{}
	for _, row := range Rows() {
		if names[row.Name] && row.Reason != rcpt.ReasonSpamTrap {
			t.Errorf("there are two rows %s", row.Name)
		}
		names[row.Name] = true
		if row.Reason == "" {
			continue
		}
		got, took := verified(t, row.Name+"@acme.example", time.Minute)
		if got.Reason != row.Reason || got.Verdict != row.Reason.Verdict() || got.Message == "" || got.Details == nil {
			t.Errorf("%s: %s, %s, %q", row.Name, got.Verdict, got.Reason, got.Message)
		}
		if got.RetryAfter() > 0 != (row.Reason.RetryAfter() > 0 || got.Reason == rcpt.ReasonControlInconclusive || got.Reason == rcpt.ReasonMailboxFull) {
			t.Errorf("%s: to be asked again after %v", row.Name, got.RetryAfter())
		}
		if took != row.wait {
			t.Errorf("%s took %v", row.Name, took)
		}
		for _, mx := range got.Details.MX {
			if !strings.HasSuffix(mx.Host, ".invalid") {
				t.Errorf("%s has the mail host %s", row.Name, mx.Host)
			}
		}
	}
	for _, reason := range rcpt.Reasons() {
		if !names[strings.ReplaceAll(string(reason), "_", "-")] {
			t.Errorf("there is no row %s", reason)
		}
	}
}

// TestFacts: evidence leads to every reason but those about what is not one
// address. A reason without any is answered by its own words.
func TestFacts(t *testing.T) {
	without := []rcpt.Reason{
		rcpt.ReasonSeveralAddresses, rcpt.ReasonNoAddress, rcpt.ReasonUnclearAddress, rcpt.ReasonInvalidRow,
	}
	for _, reason := range rcpt.Reasons() {
		if _, has := facts[reason]; has == slices.Contains(without, reason) {
			t.Errorf("%s: evidence: %v", reason, has)
		}
	}
}

// TestNames: the name may stand before or behind a plus sign, in any case, and
// at any domain.
func TestNames(t *testing.T) {
	for text, want := range map[string]rcpt.Reason{
		"greylisted@gmail.com":                     rcpt.ReasonGreylisted,
		"Greylisted+17@bücher.example":             rcpt.ReasonGreylisted,
		"jane+GREYLISTED@acme.example":             rcpt.ReasonGreylisted,
		"jane+2+greylisted@acme.example":           rcpt.ReasonGreylisted,
		"blocked+greylisted@acme.example":          rcpt.ReasonGreylisted,
		"catch_all@acme.example":                   rcpt.ReasonCatchAll,
		`"greylisted"@acme.example`:                rcpt.ReasonRecipientAccepted,
		"jane@acme.example":                        rcpt.ReasonRecipientAccepted,
		"jane.greylisted@acme.example":             rcpt.ReasonRecipientAccepted,
		"status-503@acme.example":                  rcpt.ReasonRecipientAccepted, // in a list
		"slow-@acme.example":                       rcpt.ReasonRecipientAccepted,
		"greylisted@acme":                          rcpt.ReasonUnsupportedAddress,
		"greylisted":                               rcpt.ReasonInvalidSyntax,
		"":                                         rcpt.ReasonInvalidSyntax,
		"grey listed@acme.example":                 rcpt.ReasonInvalidSyntax,
		"greylisted@[192.0.2.1]":                   rcpt.ReasonUnsupportedAddress,
		strings.Repeat("a", 300) + "@acme.example": rcpt.ReasonInvalidSyntax,
	} {
		if got, took := verified(t, text, time.Minute); got.Reason != want || took != 0 {
			t.Errorf("%q: %s after %v, want %s", text, got.Reason, took, want)
		}
	}
}

// TestSlow: an answer takes as long as the name says, within the limit of the
// request and that of all.
func TestSlow(t *testing.T) {
	for _, tt := range []struct {
		text   string
		limit  time.Duration
		took   time.Duration
		reason rcpt.Reason
	}{
		{"slow-3s@acme.example", time.Minute, 3 * time.Second, rcpt.ReasonRecipientAccepted},
		{"jane+slow-300ms@acme.example", time.Minute, 300 * time.Millisecond, rcpt.ReasonRecipientAccepted},
		{"slow-7s@acme.example", 2 * time.Second, 2 * time.Second, rcpt.ReasonConnectionTimeout},
		{"slow-999h@acme.example", time.Hour, longest, rcpt.ReasonRecipientAccepted},
		{"slow-7s@acme.example", 0, 7 * time.Second, rcpt.ReasonRecipientAccepted},
		{"slow--7s@acme.example", time.Minute, 0, rcpt.ReasonRecipientAccepted},
	} {
		if got, took := verified(t, tt.text, tt.limit); got.Reason != tt.reason || took != tt.took {
			t.Errorf("%s within %v: %s after %v", tt.text, tt.limit, got.Reason, took)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := (Verifier{}).VerifyWith(ctx, "slow-9s@acme.example", engine.VerifyOptions{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

// TestFlags: a flag is that of the row, and of no other.
func TestFlags(t *testing.T) {
	flags := func(r rcpt.Result) (set []string) {
		for name, is := range map[string]bool{"role": r.Role, "free": r.Free, "disposable": r.Disposable, "spamtrap": r.SpamTrap, "accept-all": r.AcceptAll} {
			if is {
				set = append(set, name)
			}
		}
		return set
	}
	for _, name := range []string{"role", "free", "disposable", "spamtrap", "accept-all"} {
		if r, _ := verified(t, name+"@gmail.com", time.Minute); !slices.Equal(flags(r), []string{name}) {
			t.Errorf("%s: %v", name, flags(r))
		}
	}
	if r, _ := verified(t, "deliverable@gmail.com", time.Minute); flags(r) != nil || r.Suggestion != "" {
		t.Errorf("deliverable: %v, %q", flags(r), r.Suggestion)
	}
	if r, _ := verified(t, "suggestion@gmial.com", time.Minute); r.Suggestion != "deliverable@gmial.com" {
		t.Errorf("suggestion: %q", r.Suggestion)
	}
}

// TestErrorOf: the rows of errors are errors, and no others.
func TestErrorOf(t *testing.T) {
	for _, row := range Rows() {
		var of *Error
		if errors.As(ErrorOf("jane+"+row.Name+"@acme.example"), &of) != (row.Status > 0) || of != nil && (of.Status != row.Status || of.Code != row.Code) {
			t.Errorf("%s: %v", row.Name, of)
		}
	}
	if err := ErrorOf("status-503"); err != nil {
		t.Errorf("no address: %v", err)
	}
}

// TestVerifyGroup: each address of a group is answered once, and they do not
// wait for each other.
func TestVerifyGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, got := time.Now(), make([]rcpt.Reason, 3)
		texts := []string{"slow-3s@a.example", "slow-4s@a.example", "blocked@a.example"}
		Verifier{}.VerifyGroup(t.Context(), texts, engine.GroupOptions{}, func(i int, r rcpt.Result, err error) {
			got[i] = r.Reason
		})
		if want := []rcpt.Reason{rcpt.ReasonRecipientAccepted, rcpt.ReasonRecipientAccepted, rcpt.ReasonBlocked}; !slices.Equal(got, want) || time.Since(began) != 4*time.Second {
			t.Errorf("%v after %v", got, time.Since(began))
		}
	})
}

// TestErrorsOfContract: every error that the contract of a verification has is
// in the table, but for those of a body that a client sends.
func TestErrorsOfContract(t *testing.T) {
	var of struct {
		Paths map[string]map[string]struct{ Responses map[string]any }
	}
	if err := json.Unmarshal(contract.File(), &of); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, method := range of.Paths["/api/v1/verify"] {
		for status := range method.Responses {
			want[status] = status != "200" && status != "413" && status != "415"
		}
	}
	for _, row := range errorRows {
		status := strconv.Itoa(row.Status)
		if _, known := want[status]; !known {
			t.Errorf("%s: the contract has no such error", row.Name)
		}
		want[status] = false
	}
	for status, missing := range want {
		if missing {
			t.Errorf("there is no row for %s", status)
		}
	}
}
