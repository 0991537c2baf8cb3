package main

import (
	"strings"

	"github.com/rcpt/rcpt/internal/listdata/bundle"
)

// handList says how the rows of a hand file are used.
type handList struct {
	name    string // in the head; empty: not in the head
	about   string
	rows    []row
	into    *[]bundle.Entry
	listing func(row) bundle.Listing
}

// addHand adds the lists that are kept by hand.
func (d *draft) addHand(h *hand) {
	d.addRows(handList{
		"relay", "domains of services that forward from an alias to a kept mailbox, with their sub-domains",
		h.relay, &d.Domains, listing(listRelay, tierCurated, column(1), column(2)),
	})
	d.addTraps(h.spamtrap)
	for _, l := range []handList{
		{"allow", "domains that are not disposable, with their sub-domains",
			h.allow, &d.Domains, listing(listAllow, tierCurated, nothing, column(1))},
		{"disposable_hosts",
			"mail exchangers of services that hand out mailboxes to throw away, with all names below them",
			h.disposableHosts, &d.Hosts, listing(listDisposable, tierCurated, column(1), column(2))},
		{"shared_hosts", "mail exchangers that serve all kinds of domains, with all names below them",
			h.sharedHosts, &d.Hosts, listing(listShared, tierCurated, nothing, column(1))},
		{"parked_hosts", "mail exchangers of domain parking, with all names below them",
			h.parkedHosts, &d.Hosts,
			listing(listSpamTrap, strengthWeak, nothing, func(r row) string { return "parking: " + r.columns[1] })},
		{"", "", h.typoExempt, &d.Domains, listing(listKnown, tierCurated, nothing, column(1))},
		{"", "", h.roleQualifiers, &d.Words, listing(listQualifier, tierCurated, nothing, column(1))},
	} {
		d.addRows(l)
	}
}

func listing(list, confidence string, group, why func(row) string) func(row) bundle.Listing {
	return func(r row) bundle.Listing {
		return bundle.Listing{List: list, Confidence: confidence, Group: group(r), Source: handSource + ": " + why(r)}
	}
}

func (d *draft) addRows(l handList) {
	for _, r := range l.rows {
		*l.into = append(*l.into, bundle.Entry{Name: r.name, Listing: l.listing(r)})
	}
	if l.name != "" {
		d.addHead(l.name, l.about, len(l.rows))
	}
}

// addTraps adds words, domains and addresses of spam traps. Addresses are
// looked up only if the entry of their domain says that there are some.
func (d *draft) addTraps(rows []row) {
	for _, r := range rows {
		e := bundle.Entry{Name: r.name, Listing: listing(listSpamTrap, r.columns[1], nothing, column(2))(r)}
		_, domain, isAddress := strings.Cut(r.name, "@")
		switch {
		case isAddress:
			d.Addresses = append(d.Addresses, e)
			d.Domains = append(d.Domains, bundle.Entry{Name: domain, Listing: bundle.Listing{List: listAddresses}})
		case namesDomain(r.name):
			d.Domains = append(d.Domains, e)
		default:
			d.Words = append(d.Words, e)
		}
	}
	d.addHead(listSpamTrap, "what calls itself a spam trap, or was published as one; "+
		"working traps are secret, and none are listed", len(rows))
}

// addHead adds a list that is kept by hand to the head.
func (d *draft) addHead(name, about string, count int) {
	d.Lists = append(d.Lists, bundle.List{Name: name, Count: count, Curated: count, About: about})
	d.Sources = append(d.Sources, bundle.Source{
		List: name, Name: handSource, License: handLicense, Tier: tierCurated, Count: count,
	})
}

func (d *draft) addTargets(rows []row) {
	var lines strings.Builder
	for _, r := range rows {
		lines.WriteString(strings.Join(r.columns, "\t") + "\n")
	}
	d.Targets = lines.String()
}
