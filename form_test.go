package rcpt_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
)

// TestFormAction: every reason alone, and the flags that change what a form
// does.
func TestFormAction(t *testing.T) {
	type result = rcpt.Result
	for _, c := range []struct {
		reasons []rcpt.Reason
		with    result
		want    rcpt.FormAction
	}{
		{[]rcpt.Reason{rcpt.ReasonRecipientAccepted}, result{}, rcpt.FormAccept},
		{[]rcpt.Reason{rcpt.ReasonRecipientAccepted}, result{Free: true}, rcpt.FormAccept},
		{[]rcpt.Reason{rcpt.ReasonRecipientAccepted}, result{Role: true}, rcpt.FormConfirm},
		{[]rcpt.Reason{rcpt.ReasonRecipientAccepted}, result{SpamTrap: true}, rcpt.FormReject},
		{[]rcpt.Reason{rcpt.ReasonMXReservedAddress}, result{Verdict: rcpt.VerdictUndeliverable}, rcpt.FormAskAgain},
		{[]rcpt.Reason{""}, result{Verdict: rcpt.VerdictDeliverable}, rcpt.FormAccept},
		{[]rcpt.Reason{""}, result{Verdict: rcpt.VerdictUndeliverable}, rcpt.FormReject}, // of what, is not known: nothing is told
		{[]rcpt.Reason{""}, result{Verdict: rcpt.VerdictUnknown}, rcpt.FormConfirm},
		{[]rcpt.Reason{"of_a_later_version"}, result{Verdict: rcpt.VerdictUndeliverable}, rcpt.FormReject},
		{rcpt.Reasons(), result{Disposable: true}, rcpt.FormAskAgain},
		{rcpt.Reasons(), result{Suggestion: "jane@gmail.com"}, rcpt.FormAskAgain},
		{rcpt.Reasons(), result{Suggestion: "jane@gmail.com", SpamTrap: true}, rcpt.FormAskAgain},
	} {
		for _, reason := range c.reasons {
			r := c.with
			r.Reason = reason
			if r.Verdict == "" {
				r.Verdict = reason.Verdict()
			}
			if got := r.FormAction(); got != c.want {
				t.Errorf("%s %s %v: %s, want %s", r.Verdict, reason, r, got, c.want)
			}
		}
	}
}

// TestFormTellsNothing: what the visitor is told does not depend on the
// mailbox, and what is unknown turns nobody away.
func TestFormTellsNothing(t *testing.T) {
	for _, reason := range rcpt.Reasons() {
		action := rcpt.Result{Verdict: reason.Verdict(), Reason: reason}.FormAction()
		aboutMailbox := reason.About() == rcpt.AboutAddress && reason.EndsAt() == rcpt.StepSMTP
		if aboutMailbox && action == rcpt.FormAskAgain {
			t.Errorf("%s is told", reason)
		}
		if turned := action == rcpt.FormReject && reason != rcpt.ReasonSpamTrap; turned && reason.Verdict() != rcpt.VerdictUndeliverable {
			t.Errorf("%s proves nothing, and is rejected", reason)
		}
	}
}

// TestFormsAreDocumented: the page has every reason in the row of its action.
func TestFormsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("docs/signup.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| (any|`[a-z-]+`) \\| (.*?) \\| `(\\w+)` \\|.*$").FindAllStringSubmatch(string(page), -1)
	for _, reason := range rcpt.Reasons() {
		verdict, name := "`"+string(reason.Verdict())+"`", "`"+string(reason)+"`"
		if reason == rcpt.ReasonMXReservedAddress {
			verdict = "`undeliverable`" // the page names that one
		}
		if reason == rcpt.ReasonSpamTrap {
			name = "`spamtrap`"
		}
		at := slices.IndexFunc(rows, func(row []string) bool {
			return strings.Contains(row[2], name) || row[1] == verdict && strings.HasPrefix(row[2], "any other")
		})
		want := rcpt.Result{Verdict: rcpt.Verdict(strings.Trim(verdict, "`")), Reason: reason}.FormAction()
		if at < 0 || rows[at][3] != string(want) {
			t.Errorf("%s is %s: %s", reason, want, fmt.Sprint(rows[max(0, at)]))
		}
	}
}
