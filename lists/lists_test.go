package lists

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/rcpt/rcpt/internal/listdata/bundle"
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
	info := entry("info", KindRole, "info", ConfidenceCurated)
	info.Source = "rcpt: RFC 2142"
	throw := entry("throw.example", KindDisposable, "throw", ConfidenceBulk)
	throw.Source = "one 1.0, two 2.0"
	return bundle.Draft{
		Head: bundle.Head{Date: "2026-01-02", Lists: []bundle.List{{Name: "disposable", Count: 2, Curated: 1, About: "to throw away"}}},
		Domains: []bundle.Entry{
			throw,
			entry("mailinator.com", KindDisposable, "", ConfidenceCurated), entry("guerrillamail.com", KindDisposable, "", ConfidenceCurated), entry("yopmail.com", KindDisposable, "", ConfidenceCurated),
			entry("eu.org", KindDisposable, freeSubdomain, ConfidenceBulk),
			entry("gmail.com", KindFree, "google", ConfidenceCurated), entry("gmail.com", KindAllow, "", ConfidenceCurated),
			entry("relay.example", KindRelay, "relay", ConfidenceCurated),
			entry("kept.throw.example", KindAllow, "", ConfidenceCurated),
			entry("gmall.com", listKnown, "", ConfidenceCurated),
			entry("uce.example", listAddresses, "", ""),
		},
		Words: []bundle.Entry{
			info,
			entry("sales", KindRole, "sales", ConfidenceCurated), entry("support", KindRole, "support", ConfidenceCurated), entry("reply", KindRole, "noreply", ConfidenceCurated),
			entry("noreply", KindRole, "noreply", ConfidenceCurated), entry("postmaster", KindRole, "postmaster", ConfidenceCurated),
			entry("uk", listQualifier, "", ConfidenceCurated), entry("team", listQualifier, "", ConfidenceCurated),
			entry("do", listQualifier, "", ConfidenceCurated), entry("not", listQualifier, "", ConfidenceCurated), entry("tier", listQualifier, "", ConfidenceCurated), entry("l2", listQualifier, "", ConfidenceCurated),
			entry("spamtrap", KindSpamTrap, "", ConfidenceStrong),
		},
		Addresses: []bundle.Entry{entry("spam@uce.example", KindSpamTrap, "", ConfidenceWeak)},
		Hosts: []bundle.Entry{
			entry("backend.example", KindDisposable, "backend", ConfidenceCurated),
			entry("shared.example", listShared, "", ConfidenceCurated),
			entry("parked.example", KindSpamTrap, "", ConfidenceWeak),
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
