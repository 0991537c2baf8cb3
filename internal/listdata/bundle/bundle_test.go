package bundle

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/internal/listdata/table"
)

func draft() Draft {
	throw := Listing{List: "disposable", Confidence: "bulk", Source: "one 1.0"}
	return Draft{
		Head: Head{
			Date:    "2026-01-02",
			Lists:   []List{{"disposable", 2, 1, "to throw away"}, {"role", 1, 1, "functions"}},
			Sources: []Source{{"disposable", "one 1.0", "MIT", "bulk", 2}, {"role", "rcpt", "MIT", "curated", 1}},
		},
		Domains:   []Entry{{"a.example", throw}, {"b.example", throw}, {"b.example", Listing{"free", "curated", "b", "rcpt"}}},
		Words:     []Entry{{"info", Listing{"role", "curated", "info", "rcpt: RFC 2142"}}},
		Addresses: []Entry{{"trap@a.example", Listing{"spamtrap", "strong", "", "rcpt"}}},
		Hosts:     []Entry{{"mx.example", Listing{"shared", "curated", "", "rcpt"}}},
		Targets:   "b.example\t10\tmx.example\n",
	}
}

func build(t *testing.T) string {
	t.Helper()
	text, err := draft().Build()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestRoundTrip(t *testing.T) {
	b, err := Open(build(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	want := draft()
	got := Draft{
		Head:      b.Head,
		Domains:   entries(b, b.Domains),
		Words:     entries(b, b.Words),
		Addresses: entries(b, b.Addresses),
		Hosts:     entries(b, b.Hosts),
		Targets:   b.Targets,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func entries(b *Bundle, t table.Table) []Entry {
	var list []Entry
	for e := range t.All() {
		list = append(list, Entry{e.Name, b.Listings.At(e.Value)})
	}
	return list
}

func TestOpenRefuses(t *testing.T) {
	whole := build(t)
	for name, text := range map[string]string{
		"empty":            "",
		"another file":     "<html></html>",
		"a later form":     strings.Replace(whole, "rcpt lists 2", "rcpt lists 3", 1),
		"cut in the head":  whole[:60],
		"cut at the end":   whole[:len(whole)-1],
		"bytes behind":     whole + "x",
		"negative section": strings.Replace(whole, "section: words\t", "section: words\t-", 1),
		"number of a list": strings.Replace(whole, "list: disposable\t2", "list: disposable\tx", 1),
		"fields missing":   strings.Replace(whole, "source: role\trcpt\t", "source: role\t", 1),
	} {
		if _, err := Open(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestOpenPassesUnknownLinesOver(t *testing.T) {
	text := strings.Replace(build(t), "\ndate:", "\ncolour: red\ndate:", 1)
	if _, err := Open(text); err != nil {
		t.Error(err)
	}
}

// Every single flipped bit is noticed.
func TestCheckNoticesDamage(t *testing.T) {
	whole := build(t)
	for i := range len(whole) {
		damaged := []byte(whole)
		damaged[i] ^= 1
		b, err := Open(string(damaged))
		if err == nil {
			err = b.Check()
		}
		if err == nil {
			t.Errorf("byte %d of %d (%q) flipped: no error", i, len(whole), whole[i])
		}
	}
}

func TestNumbering(t *testing.T) {
	var n Numbering
	first, _ := n.Number(Listing{List: "a"})
	second, _ := n.Number(Listing{List: "b"})
	again, _ := n.Number(Listing{List: "a"})
	if first != 0 || second != 1 || again != 0 {
		t.Errorf("numbers %d, %d, %d", first, second, again)
	}
	if got := n.Listings().At(1); got.List != "b" {
		t.Errorf("listing 1 is %+v", got)
	}
}
