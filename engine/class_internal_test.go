package engine

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/smtpprobe/replies"
)

// TestEveryClassHasAReason: a refusal of the mailbox is one of the verdict, and
// no other is. The page for users has them all.
func TestEveryClassHasAReason(t *testing.T) {
	page, err := os.ReadFile("../docs/replies.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, class := range replies.Classes() {
		reason, documented := reasonOf[class], "depends"
		if class != replies.ClassOK {
			documented = "`" + string(reason) + "` | " + string(reason.Verdict())
		}
		if reason != "" && reason.EndsAt() != rcpt.StepSMTP {
			t.Errorf("%s has the reason %q, which needs no reply", class, reason)
		}
		if (reason == "") != (class == replies.ClassOK) || class.Dead() != (reason.Verdict() == rcpt.VerdictUndeliverable) {
			t.Errorf("%s has the reason %q, %s", class, reason, reason.Verdict())
		}
		row := regexp.MustCompile("(?m)^\\| `" + string(class) + "` \\|.*\\| " + regexp.QuoteMeta(documented))
		if !row.Match(page) {
			t.Errorf("docs/replies.md lacks %s with %s", class, documented)
		}
	}
}

// TestReasonsOfRules names the reasons that a rule of the judgement covers, so
// that a new reason is not forgotten there, or covered by chance.
func TestReasonsOfRules(t *testing.T) {
	for rule, tt := range map[string]struct {
		is   func(rcpt.Reason) bool
		want []rcpt.Reason
	}{
		"unreached": {unreached, []rcpt.Reason{rcpt.ReasonConnectionFailed, rcpt.ReasonConnectionTimeout}},
		"rests on the resolver": {restsOnResolver, []rcpt.Reason{
			rcpt.ReasonDomainNotFound, rcpt.ReasonMXReservedAddress, rcpt.ReasonNoMailHost, rcpt.ReasonNullMX,
		}},
	} {
		var got []rcpt.Reason
		for _, reason := range rcpt.Reasons() {
			if tt.is(reason) {
				got = append(got, reason)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", rule, got, tt.want)
		}
	}
}
