package main

import (
	"github.com/rcpt/rcpt/internal/listdata/bundle"
	"github.com/rcpt/rcpt/lab/lists/listfile"
)

// The lists in a bundle, by the names that package lists knows.
const (
	listRole       = "role"
	listFree       = "free"
	listDisposable = "disposable"
	listRelay      = "relay"
	listSpamTrap   = "spamtrap"
	listAllow      = "allow"
	listQualifier  = "qualifier"
	listKnown      = "known"
	listAddresses  = "addresses"
	listShared     = "shared"
)

// Strengths of spam traps.
const (
	strengthStrong = "strong"
	strengthWeak   = "weak"
)

// newDraft makes the edition out of the text files and of the hand files.
func newDraft(texts []listfile.File, h hand) (bundle.Draft, error) {
	var d draft
	for _, f := range texts {
		if err := h.agreesWith(f); err != nil {
			return d.Draft, err
		}
		d.Date = f.Date
		d.addText(f, h.changes(f.Name).reasons())
	}
	d.addHand(&h)
	d.addTargets(h.typoTargets)
	for _, entries := range []*[]bundle.Entry{&d.Domains, &d.Words, &d.Addresses, &d.Hosts} {
		*entries = bundle.Unique(*entries)
	}
	return d.Draft, nil
}

// draft gathers what goes into the edition.
type draft struct{ bundle.Draft }
