package lists

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/rcpt/rcpt/lists/internal/bundle"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func embeddedLists(tb testing.TB, additions ...Addition) *Lists {
	tb.Helper()
	l, err := New(additions...)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// smallDraft is an edition with an entry of each sort.
func smallDraft() bundle.Draft {
	entry := func(name string, list Kind, group string, confidence Confidence) bundle.Entry {
		return bundle.Entry{Name: name, Listing: bundle.Listing{List: string(list), Group: group, Confidence: string(confidence), Source: "rcpt"}}
	}
	info := entry("info", Role, "info", Curated)
	info.Source = "rcpt: RFC 2142"
	throw := entry("throw.example", Disposable, "throw", Bulk)
	throw.Source = "one 1.0, two 2.0"
	return bundle.Draft{
		Head: bundle.Head{Date: "2026-01-02", Lists: []bundle.List{{Name: "disposable", Count: 2, Curated: 1, About: "to throw away"}}},
		Domains: []bundle.Entry{
			throw,
			entry("mailinator.com", Disposable, "", Curated), entry("guerrillamail.com", Disposable, "", Curated), entry("yopmail.com", Disposable, "", Curated),
			entry("eu.org", Disposable, FreeSubdomain, Bulk),
			entry("gmail.com", Free, "google", Curated), entry("gmail.com", Allow, "", Curated),
			entry("relay.example", Relay, "relay", Curated),
			entry("kept.throw.example", Allow, "", Curated),
			entry("gmall.com", listKnown, "", Curated),
			entry("uce.example", listAddresses, "", ""),
		},
		Words: []bundle.Entry{
			info,
			entry("sales", Role, "sales", Curated), entry("support", Role, "support", Curated), entry("reply", Role, "noreply", Curated),
			entry("noreply", Role, "noreply", Curated), entry("postmaster", Role, "postmaster", Curated),
			entry("uk", listQualifier, "", Curated), entry("team", listQualifier, "", Curated),
			entry("do", listQualifier, "", Curated), entry("not", listQualifier, "", Curated), entry("tier", listQualifier, "", Curated), entry("l2", listQualifier, "", Curated),
			entry("spamtrap", SpamTrap, "", Strong),
		},
		Addresses: []bundle.Entry{entry("spam@uce.example", SpamTrap, "", Weak)},
		Hosts: []bundle.Entry{
			entry("backend.example", Disposable, "backend", Curated),
			entry("shared.example", listShared, "", Curated),
			entry("parked.example", SpamTrap, "", Weak),
		},
		Targets: "gmail.com\t1000\tgoogle.com googlemail.com\nhotmail.com\t500\toutlook.com\n",
	}
}

func bundleOf(tb testing.TB, d bundle.Draft) *Bundle {
	tb.Helper()
	text, err := d.Build()
	if err != nil {
		tb.Fatal(err)
	}
	b, err := ReadBundle([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func smallEdition(tb testing.TB, additions ...Addition) *Lists {
	tb.Helper()
	l, err := bundleOf(tb, smallDraft()).New(additions...)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}
