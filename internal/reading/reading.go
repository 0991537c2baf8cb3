// Package reading finds what can be learned about an address without asking
// anyone: the first two steps of a verification, which package screen and the
// engine share.
package reading

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/lists"
)

// Reader reads addresses by some lists. It remembers what is to be suggested
// for the last domain, which addresses that are verified together share. It is
// not safe for concurrent use.
type Reader struct {
	known  *lists.Lists
	domain string
	meant  string // instead of it; empty: nothing is to be suggested
}

// By returns a Reader that knows the lists.
func By(known *lists.Lists) *Reader { return &Reader{known: known} }

// Facts is what an address and the lists say.
type Facts struct {
	Mailbox    address.Address // the zero one with Syntax
	Syntax     *address.Error  // why it can be put to no mail host; nil: it can
	Matches    []rcpt.Match
	Suggestion string // the address that was probably meant
}

// Read returns the facts about an address.
func (r *Reader) Read(given string) (f Facts) {
	var err error
	if f.Mailbox, err = address.Read(given); err != nil {
		f.Syntax = err.(*address.Error) // every error of it is one
		f.Suggestion = cmp.Or(r.suggestDotted(given, f.Syntax), r.repair(given))
		return f
	}
	f.Matches = r.known.Match(f.Mailbox.Unquoted(), f.Mailbox.Domain())
	f.Suggestion = r.suggest(f.Mailbox.Local(), f.Mailbox.Domain())
	irregular := f.Mailbox.Irregular()
	if f.Suggestion == "" && len(irregular) > 0 && !slices.ContainsFunc(irregular, isIssued) {
		f.Suggestion = r.repair(given)
	}
	return f
}

// isIssued reports whether something irregular is as the provider has issued
// it: no slip.
func isIssued(irregular address.Error) bool { return irregular.Reason == address.ReasonLocalDot }

// Matched reports whether an entry of the list was matched.
func Matched(found []rcpt.Match, list lists.Kind) bool {
	return slices.ContainsFunc(found, func(m rcpt.Match) bool { return m.List == list })
}

// Trapped reports whether a spam trap was matched that must not be contacted. A
// weak hint of one is left to people.
func Trapped(found []rcpt.Match) bool {
	isTrap := func(m rcpt.Match) bool { return m.List == lists.KindSpamTrap && m.Confidence != lists.ConfidenceWeak }
	return slices.ContainsFunc(found, isTrap)
}

// Flag sets the flags of a result that follow from the lists.
func Flag(r *rcpt.Result, found []rcpt.Match) {
	r.Role, r.Free = Matched(found, lists.KindRole), Matched(found, lists.KindFree)
	r.Disposable, r.SpamTrap = Matched(found, lists.KindDisposable), Trapped(found)
}

// Judge returns the reason why nobody is asked about an address that can be put
// to no mail host, and the message of its result.
func Judge(fault address.Error) (rcpt.Reason, string) {
	switch fault.Reason {
	case address.ReasonAddressLiteral, address.ReasonDotless:
		return rcpt.ReasonUnsupportedAddress, fmt.Sprintf("The address cannot be verified: %s.", fault.Detail)
	}
	return rcpt.ReasonInvalidSyntax, fmt.Sprintf("The address is not well-formed: %s.", fault.Detail)
}

// Message adds what is irregular about an address to the message that a result
// would have for a reason.
func Message(reason rcpt.Reason, usual string, irregular []address.Error) string {
	switch {
	case len(irregular) == 0:
		return usual
	case reason == rcpt.ReasonLevelReached:
		usual = "A mail host may serve it all the same; its own was not contacted."
		return fmt.Sprintf("The address is irregular: %s. %s", Details(irregular), usual)
	}
	return fmt.Sprintf("%s The address is irregular: %s.", usual, Details(irregular))
}

// Details lists what is irregular about an address.
func Details(irregular []address.Error) string {
	details := make([]string, len(irregular))
	for i, fault := range irregular {
		details[i] = fault.Detail
	}
	return strings.Join(details, "; ")
}

// Irregularities are the same for the details of a result.
func Irregularities(irregular []address.Error) (all []rcpt.Irregularity) {
	for _, fault := range irregular {
		all = append(all, rcpt.Irregularity{Reason: string(fault.Reason), Detail: fault.Detail})
	}
	return all
}
