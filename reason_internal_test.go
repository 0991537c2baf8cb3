package rcpt

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// notPut are the reasons of what is put to no Verifier: there is nothing to
// decide or to keep.
var notPut = []Reason{ReasonSeveralAddresses, ReasonNoAddress, ReasonUnclearAddress, ReasonInvalidRow}

// notCarriedOut are the reasons beside an error: they are no answer.
var notCarriedOut = []Reason{ReasonBusy, ReasonClosed, ReasonInternalError, ReasonNotYet, ReasonUnfinished}

// TestRows holds each row to what its fields mean together.
func TestRows(t *testing.T) {
	verdicts := []Verdict{VerdictDeliverable, VerdictUndeliverable, VerdictAcceptAll, VerdictUnknown}
	steps := []Step{StepSyntax, StepLists, StepDNS, StepSMTP}
	anywhere := slices.Concat([]Reason{ReasonLevelReached, ReasonNotAsked, ReasonUnclearAddress, ReasonInvalidRow}, notCarriedOut)
	for reason, row := range rows {
		ofCell := slices.Contains(notPut, reason)
		unknown := row.verdict == VerdictUnknown
		for fault, is := range map[string]bool{
			"no verdict":                             !slices.Contains(verdicts, row.verdict),
			"no message of whole sentences":          !strings.HasSuffix(row.message, ".") && !strings.HasSuffix(row.message, "; try again."),
			"no time for which it lasts":             (row.lasts == 0) != (slices.Contains(notCarriedOut, reason) || ofCell),
			"a cell that is asked about again":       ofCell && (row.passing || row.retryAfter > 0),
			"a verdict that lasts minutes":           !unknown && row.lasts < time.Hour,
			"a verdict that lasts days":              row.lasts > 24*time.Hour,
			"an unknown that lasts hours":            unknown && row.lasts > time.Hour,
			"a verdict that another try may change":  !unknown && row.passing,
			"a time for another try, but no use":     row.retryAfter > 0 && !row.passing,
			"no step":                                !slices.Contains(steps, row.ends) != slices.Contains(anywhere, reason),
			"a fault of our network that is durable": row.ours && row.durable,
			"a subject of none":                      (row.about == "") != (reason == ReasonLevelReached),
			"our fault, and a verdict":               row.about == AboutUs && !unknown,
			"our fault, and durable":                 row.about == AboutUs && row.durable,
			"our network, which is not us":           (row.ours || row.failed) && row.about != AboutUs && reason != ReasonInvalidRow,
			// The check of our network is repeated each minute while it fails.
			"a fault of our network that is remembered": row.ours && row.retryAfter != time.Minute,
		} {
			if is {
				t.Errorf("%s: %s: %+v", reason, fault, row)
			}
		}
	}
}

// TestRowsAreChosen names the reasons for which a field is set that does not
// follow from the others, so that nobody sets it, or forgets it, by chance.
func TestRowsAreChosen(t *testing.T) {
	for field, tt := range map[string]struct {
		is   func(Reason, row) bool
		want []Reason
	}{
		"our network": {func(r Reason, _ row) bool { return r.OurNetwork() }, []Reason{
			ReasonEgressFailed, ReasonPortBlocked, ReasonResolverUnreliable,
		}},
		"passing without a time": {func(r Reason, row row) bool { return r.Passing() && row.retryAfter == 0 }, []Reason{
			ReasonBlocked, ReasonBusy, ReasonClosed, ReasonInternalError, ReasonMailboxFull, ReasonNotYet, ReasonUnfinished,
		}},
		// What is proven is about the mailbox or its domain; a word without an
		// address is not worth storing.
		"durable against the rule": {func(r Reason, row row) bool {
			return !slices.Contains(notPut, r) && r.Durable() != (row.verdict != VerdictUnknown && row.ends != StepSyntax)
		}, []Reason{ReasonGreylisted, ReasonMailboxFull}},
	} {
		var got []Reason
		for _, reason := range Reasons() {
			if tt.is(reason, rows[reason]) {
				got = append(got, reason)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", field, got, tt.want)
		}
	}
}

// TestEveryReasonHasARow compares the constants with the rows.
func TestEveryReasonHasARow(t *testing.T) {
	source, err := os.ReadFile("reason.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := regexp.MustCompile(`(?m)^\tReason\w+ +Reason = "(\w+)"`).FindAllSubmatch(source, -1)
	for _, constant := range constants {
		if _, ok := rows[Reason(constant[1])]; !ok {
			t.Errorf("%s has no row", constant[1])
		}
	}
	if len(constants) != len(rows) {
		t.Errorf("%d constants, and %d rows", len(constants), len(rows))
	}
}

func TestReasons(t *testing.T) {
	all := Reasons()
	if len(all) != len(rows) || !slices.IsSorted(all) {
		t.Errorf("reasons: %v", all)
	}
	for _, reason := range all {
		if got := reason.Verdict(); got == "" || got != rows[reason].verdict {
			t.Errorf("%s: verdict %q", reason, got)
		}
	}
	if got := Reason("no such reason").Verdict(); got != "" {
		t.Errorf("a word that is no reason has verdict %q", got)
	}
}
