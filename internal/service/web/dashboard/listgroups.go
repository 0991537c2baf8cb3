package dashboard

import (
	"fmt"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/service/store"
)

// groupText is a group for people.
type groupText struct {
	Name  string
	Tone  string // of its colours
	About string
}

var groupTexts = map[bulk.Group]groupText{
	bulk.GroupSafe:  {"Safe", "good", "mail them"},
	bulk.GroupRisky: {"Risky", "warn", "you decide; the reason says why"},
	bulk.GroupBad:   {"Bad", "bad", "do not mail them"},
	bulk.GroupRetry: {"Retry", "calm", "verify them again first"},
	bulk.GroupNone:  {"No address", "blank", "nothing to mail, nothing bad"},
}

// groupCard is a group of rows with its downloads.
type groupCard struct {
	groupText
	Group     bulk.Group
	Rows      int64
	Addresses int64 // distinct ones
	Whole     int64 // addresses that are asked about; zero: no group was counted
	Wanted    bool  // only its rows are shown
	Link      string
}

// downloadPart is what can be downloaded of a list.
type downloadPart struct{ ID, Path, Name string }

// groupsOf are the groups of a list. Their shares are those of all addresses
// that are asked about, also while some have no result: so are all shares of a
// list.
func groupsOf(j store.Job) (all []groupCard) {
	var known int64
	for _, group := range bulk.Groups() {
		n := j.Groups[string(group)]
		known += n.Rows
		all = append(all, groupCard{groupText: groupTexts[group], Group: group, Rows: n.Rows, Addresses: n.Addresses})
	}
	for i := range all {
		if known > 0 {
			all[i].Whole = j.Addresses
		}
	}
	return all
}

// barOf shows the groups of a list as parts of its addresses.
func barOf(j store.Job) (bar []segment) {
	x := 0.0
	for _, g := range groupsOf(j) {
		if g.Addresses > 0 && j.Addresses > 0 {
			w := 100 * float64(g.Addresses) / float64(j.Addresses)
			bar = append(bar, segment{Tone: g.Tone, Name: g.Name, X: x, W: w, Count: g.Addresses})
			x += w
		}
	}
	if bar == nil {
		return resultsBar(j)
	}
	return bar
}

// resultsBar is that of a list whose groups were not counted.
func resultsBar(j store.Job) (bar []segment) {
	x := 0.0
	for _, name := range verdicts {
		if n := j.Results[name]; n > 0 && j.Addresses > 0 {
			w := 100 * float64(n) / float64(j.Addresses)
			bar = append(bar, segment{Tone: toneOf(name), Name: name, X: x, W: w, Count: n})
			x += w
		}
	}
	return bar
}

// summaryOf says in a sentence how good a list is that has ended; empty: it has
// not, or its rows were not counted.
func summaryOf(j store.Job) string {
	if !j.State.Ended() || j.Done == 0 {
		return ""
	}
	var of int64
	n := map[bulk.Group]int64{}
	for _, g := range groupsOf(j) {
		n[g.Group], of = g.Addresses, g.Whole
	}
	if of == 0 {
		return ""
	}
	bad := n[bulk.GroupBad]
	text := fmt.Sprintf("%s of the addresses can be mailed, %s cannot",
		percent(n[bulk.GroupSafe], of), percent(bad, of)) + mostlyDead(j, bad)
	switch none := j.Groups[string(bulk.GroupNone)].Rows; none {
	case 0:
		return text
	case 1:
		return text + ". One row holds no address"
	default:
		return text + ". " + groupedCount(none) + " rows hold no address"
	}
}

// mostlyDead says why most of the bad addresses of a list cannot be mailed.
func mostlyDead(j store.Job, bad int64) string {
	reason, n := commonest(j)
	why := deadTexts[reason]
	switch {
	case why == "" || n == 0:
		return ""
	case 2*n > bad:
		return fmt.Sprintf(": most of these %s (%s)", why, groupedCount(n))
	}
	return fmt.Sprintf(", most often because %s (%s)", why, groupedCount(n))
}

// deadTexts say of addresses that cannot be mailed why.
var deadTexts = map[rcpt.Reason]string{
	rcpt.ReasonMailboxNotFound: "mailboxes do not exist", rcpt.ReasonMailboxDisabled: "mailboxes are closed",
	rcpt.ReasonMailboxMoved: "mailboxes have moved", rcpt.ReasonDomainNotFound: "domains do not exist",
	rcpt.ReasonNoMailHost: "domains have no mail host", rcpt.ReasonNullMX: "domains accept no mail",
	rcpt.ReasonInvalidSyntax: "cells hold no valid address",
}

// commonest is the most frequent of the reasons for which addresses of a list
// cannot be mailed.
func commonest(j store.Job) (reason rcpt.Reason, most int64) {
	for name, n := range j.Reasons {
		if r := rcpt.Reason(name); r.Verdict() == rcpt.VerdictUndeliverable && (n > most || n == most && r < reason) {
			reason, most = r, n
		}
	}
	return reason, most
}
