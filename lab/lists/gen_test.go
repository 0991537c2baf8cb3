package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/internal/listdata/bundle"
	"github.com/rcpt/rcpt/internal/listdata/table"
)

func TestRunWritesTexts(t *testing.T) {
	w := newWorld(t)
	if err := w.generate(t); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"disposable": {
			"away.example b", "both.example c", "eu.org a free_subdomain", "full.example a", "gone.tk a", "mixed.example d",
			"new.example r", "one.example c service.example", "static.example c", "stranger.eu.org a", "throw.example abr service.example",
			"x.two.example c service.example", "xn--mll-hoa.example a",
		},
		"free": {"added.example r Added", "edu.example ef", "free.example efgr Free", "ruled.example eg"},
		"role": {"help r support", "info h other", "sales hr sales"},
	} {
		_, lines, _ := strings.Cut(w.read(t, name+".txt"), "\n\n")
		got := strings.Split(strings.TrimSpace(strings.ReplaceAll(lines, "\t", " ")), "\n")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestRunWritesHeader(t *testing.T) {
	w := newWorld(t)
	if err := w.generate(t); err != nil {
		t.Fatal(err)
	}
	got, _, _ := strings.Cut(w.read(t, "free.txt"), "\n\n")
	want := `# rcpt list: free
# about: domains that give mailboxes to everyone; not their sub-domains
# date: 2026-01-02
# count: 4
# source e: mail 1.0.0, ISC, bulk, 2026-01-01
# source f: post 1.0.0, ISC, bulk, 2026-01-01
# source g: rules 1.0.0, Apache-2.0, curated, 2026-01-02
# source r: rcpt, MIT, curated`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRunWritesLicenses(t *testing.T) {
	w := newWorld(t)
	w.write(t, "data/LICENSES/left.txt", "terms of a package that is used no more")
	if err := w.generate(t); err != nil {
		t.Fatal(err)
	}
	if got := w.read(t, "LICENSES/away.txt"); got != "terms of away" {
		t.Errorf("text %q", got)
	}
	if got := w.read(t, "LICENSES/rules.txt"); got != "terms of rules\n\nnotice of rules\n" {
		t.Errorf("texts %q", got)
	}
	if _, err := os.Stat(w.path("data", "LICENSES", "left.txt")); err == nil {
		t.Error("a licence of no package is left")
	}
}

func TestRunWritesBundle(t *testing.T) {
	w := newWorld(t)
	if err := w.generate(t); err != nil {
		t.Fatal(err)
	}
	b := w.edition(t)
	for _, tt := range []struct {
		name  string
		table table.Table
		want  []string // name, list, confidence, group, source
	}{
		{"domains", b.Domains, []string{
			"added.example|free|curated|Added|rcpt",
			"allowed.example|allow|curated||rcpt: webmail",
			"away.example|disposable|curated||away 1.0.0",
			"both.example|disposable|curated||fake 1.0.0",
			"edu.example|free|bulk||mail 1.0.0, post 1.0.0",
			"eu.org|disposable|bulk|free_subdomain|throw 1.0.0",
			"free.example|free|curated|Free|mail 1.0.0, post 1.0.0, rules 1.0.0, rcpt",
			"full.example|disposable|bulk||throw 1.0.0",
			"gone.tk|disposable|bulk||throw 1.0.0",
			"mixed.example|disposable|bulk||mixed 1.0.0",
			"new.example|disposable|curated||rcpt: seen at work",
			"one.example|disposable|curated|service.example|fake 1.0.0",
			"relay.example|relay|curated|masks|rcpt: forwards",
			"ruled.example|free|curated||mail 1.0.0, rules 1.0.0",
			"static.example|disposable|curated||fake 1.0.0",
			"stranger.eu.org|disposable|bulk||throw 1.0.0",
			"throw.example|disposable|curated|service.example|throw 1.0.0, away 1.0.0, rcpt: service.example",
			"trap.com|spamtrap|weak||rcpt: a domain",
			"trap.example|addresses|||",
			"tree.example|known|curated||rcpt: a nursery",
			"x.two.example|disposable|curated|service.example|fake 1.0.0",
			"xn--mll-hoa.example|disposable|bulk||throw 1.0.0",
		}},
		{"words", b.Words, []string{
			"help|role|curated|support|rcpt: a word",
			"info|role|bulk|other|role 1.0.0",
			"sales|role|curated|sales|role 1.0.0, rcpt: RFC 2142",
			"spam.trap|spamtrap|strong||rcpt: says so",
			"uk|qualifier|curated||rcpt: a country",
		}},
		{"addresses", b.Addresses, []string{
			"a@trap.example|spamtrap|strong||rcpt: published",
			"b@trap.example|spamtrap|weak||rcpt: published",
		}},
		{"hosts", b.Hosts, []string{
			"host.example|shared|curated||rcpt: a host",
			"mx.throw.example|disposable|curated|Throw|rcpt: 2026-01-01 its own page",
			"park.example|spamtrap|weak||rcpt: parking: a registrar",
		}},
	} {
		var got []string
		for e := range tt.table.All() {
			l := b.Listings.At(e.Value)
			got = append(got, strings.Join([]string{e.Name, l.List, l.Confidence, l.Group, l.Source}, "|"))
		}
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	if want := "free.example\t10\tmx.free.example free.example\n"; b.Targets != want {
		t.Errorf("targets %q, want %q", b.Targets, want)
	}
}

func TestRunCounts(t *testing.T) {
	w := newWorld(t)
	if err := w.generate(t); err != nil {
		t.Fatal(err)
	}
	b := w.edition(t)
	var got []string
	for _, l := range b.Lists {
		got = append(got, fmt.Sprint(l.Name, " ", l.Count, " ", l.Curated))
		if l.About == "" {
			t.Errorf("%s is about nothing", l.Name)
		}
	}
	want := []string{
		"role 3 2", "free 4 3", "disposable 13 7", "relay 1 1", "spamtrap 4 4", "allow 1 1", "disposable_hosts 1 1", "shared_hosts 1 1", "parked_hosts 1 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wantSources := []bundle.Source{
		{List: "disposable", Name: "throw 1.0.0", License: "MIT", Tier: "bulk", Count: 6},
		{List: "disposable", Name: "away 1.0.0", License: "CC0-1.0", Tier: "curated", Count: 2},
		{List: "disposable", Name: "fake 1.0.0", License: "BSD-3-Clause", Tier: "curated", Count: 4},
		{List: "disposable", Name: "mixed 1.0.0", License: "MIT", Tier: "bulk", Count: 1},
		{List: "disposable", Name: "rcpt", License: "MIT", Tier: "curated", Count: 2},
		{List: "relay", Name: "rcpt", License: "MIT", Tier: "curated", Count: 1},
	}
	gotSources := slices.DeleteFunc(b.Sources, func(s bundle.Source) bool { return s.List != "disposable" && s.List != "relay" })
	if diff := cmp.Diff(wantSources, gotSources); diff != "" {
		t.Error(diff)
	}
}

// The same inputs give the same bytes, in whatever order maps are walked.
func TestRunTwice(t *testing.T) {
	w := newWorld(t)
	var last string
	for range 5 {
		if err := w.generate(t); err != nil {
			t.Fatal(err)
		}
		now := w.read(t, "lists.bundle") + w.read(t, "disposable.txt")
		if last != "" && last != now {
			t.Fatal("another edition out of the same inputs")
		}
		last = now
	}
}

func TestRunWithoutFreenom(t *testing.T) {
	w := newWorld(t)
	w.freenom = false
	if err := w.generate(t); err != nil {
		t.Fatal(err)
	}
	if text := w.read(t, "disposable.txt"); strings.Contains(text, "gone.tk") || !strings.Contains(text, "stranger.eu.org") {
		t.Errorf("disposable: %s", text)
	}
}

// Whatever a package lists, the hand files have the last word.
func TestHandFilesWin(t *testing.T) {
	w := newWorld(t)
	w.write(t, "hand/allow.txt", "allowed.example\twebmail\neu.org\tonly itself, not who is below it\n")
	w.write(t, "hand/free-add.txt", "added.example\tAdded\nfree.example\tFree\nmail.above.example\tAbove\n")
	w.write(t, "hand/relay.txt", "relay.example\tmasks\tforwards\nalias.host.example\tmasks\tforwards\n")
	w.repack(t, 1, map[string]string{"list.json": `["throw.example","away.example","allowed.example","x.allowed.example","eu.org","stranger.eu.org",
		"relay.example","x.relay.example","host.example","added.example","Free.Example","above.example","beyond.example"]`})
	if err := w.generate(t); err != nil {
		t.Fatal(err)
	}
	b := w.edition(t)
	var got []string
	for e := range b.Domains.All() {
		if l := b.Listings.At(e.Value); l.List == listDisposable && strings.Contains(l.Source, "away") {
			got = append(got, e.Name)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"away.example", "beyond.example", "stranger.eu.org", "throw.example"}, got); diff != "" {
		t.Error(diff)
	}
}

// A domain under which strangers register names is listed by itself, and so are
// the names below it.
func TestNamesOfStrangers(t *testing.T) {
	w := newWorld(t)
	w.repack(t, 1, map[string]string{"list.json": `["throw.example","away.example","names.example","bad.names.example","x.bad.names.example"]`})
	if err := w.generate(t); err != nil {
		t.Fatal(err)
	}
	text := w.read(t, "disposable.txt")
	for line, want := range map[string]bool{
		"names.example\tb\tfree_subdomain\n": true, "\nbad.names.example\tb\n": true, "x.bad.names.example": false,
	} {
		if strings.Contains(text, line) != want {
			t.Errorf("%q: %t in %s", line, !want, text)
		}
	}
}

// A mistyped provider is a slip of somebody with a mailbox to keep, unless a
// service was seen to use the name.
func TestMistypedProviders(t *testing.T) {
	w := newWorld(t)
	w.write(t, "hand/typo-targets.txt", "hotmail.com\t10\thotmail.com\n")
	w.write(t, "hand/typo-exempt.txt", "gotmail.com\ta service\n")
	w.repack(t, 0, map[string]string{"list.json": `["hotmial.com","hotmil.com","gotmail.com","hotmail.con"]`})
	w.repack(t, 2, map[string]string{"data.json": `{"version":2,"domains":{"hotmil.com":{"providers":[],"hosts":{"hotmil.com":{}}}}}`})
	w.pins.Packages[2].Observer = true
	w.repack(t, 4, map[string]string{"all.json": `["hotnail.com","ruled.example"]`})
	w.repack(t, 5, map[string]string{"free.txt": "hotnail.com\nruled.example\n", "gone.txt": ""})
	if err := w.generate(t); err != nil {
		t.Fatal(err)
	}
	text := w.read(t, "disposable.txt") + w.read(t, "free.txt")
	for line, want := range map[string]bool{
		"\nhotmil.com\tac\n": true, "\ngotmail.com\ta\n": true, "\nruled.example\tefg\n": true,
		"hotmial.com": false, "hotmail.con": false, "hotnail.com": false,
	} {
		if strings.Contains(text, line) != want {
			t.Errorf("%q: %t in %s", line, !want, text)
		}
	}
}

func TestReport(t *testing.T) {
	w := newWorld(t)
	if err := w.generate(t); err != nil {
		t.Fatal(err)
	}
	w.repack(t, 1, map[string]string{"list.json": `["throw.example","another.example"]`})
	var report bytes.Buffer
	w.report = &report
	if err := w.generate(t); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"disposable: 13 entries, had 13\n  added 1: another.example\n  removed 1: away.example\n",
		"free: 4 entries, had 4\n",
		"disposable           13, curated      7, bulk      6\n       6 throw 1.0.0 (MIT, bulk)\n",
	} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &report)
		}
	}
}

func TestReportShowsExamplesOnly(t *testing.T) {
	var names []string
	for i := range 101 {
		names = append(names, fmt.Sprintf("n%03d.example", i))
	}
	var report bytes.Buffer
	reportNames(&report, "added", names)
	got := strings.Fields(report.String())
	if len(got) > 2+maxExamples || got[1] != "101:" || got[2] != "n000.example" || got[len(got)-1] < "n090" {
		t.Errorf("got %q", got)
	}
}

// The report says how old the edition of each source is, the oldest first.
func TestRunReportsAges(t *testing.T) {
	w := newWorld(t)
	w.pins.Packages[1].Published = "2024-12-31"
	var report bytes.Buffer
	w.report = &report
	if err := w.generate(t); err != nil {
		t.Fatal(err)
	}
	const want = "away 1.0.0 is of 2024-12-31, 377 days old\nthrow 1.0.0 is of 2026-01-01, 11 days old\n"
	if !strings.Contains(report.String(), want) || !strings.Contains(report.String(), "rules 1.0.0 is of 2026-01-02, 10 days old\n") {
		t.Errorf("report lacks the ages:\n%s", report.String())
	}
}
