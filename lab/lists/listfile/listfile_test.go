package listfile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const text = `# rcpt list: disposable
# about: some domains
# date: 2026-11-20
# count: 2
# source a: one 1.0, MIT, bulk, 2026-11-01
# source b: two 2.0, CC0-1.0, curated

a.example	b
b.example	ab	b.example's group
`

func file() File {
	return File{
		Header: Header{
			Name:    "disposable",
			About:   "some domains",
			Date:    "2026-11-20",
			Count:   2,
			Sources: []Source{{"a", "one 1.0", "MIT", "bulk", "2026-11-01"}, {"b", "two 2.0", "CC0-1.0", "curated", ""}},
		},
		Entries: []Entry{{"a.example", "b", ""}, {"b.example", "ab", "b.example's group"}},
	}
}

func TestParse(t *testing.T) {
	got, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(file(), got); diff != "" {
		t.Error(diff)
	}
}

func TestString(t *testing.T) {
	if diff := cmp.Diff(text, file().String()); diff != "" {
		t.Error(diff)
	}
}

func TestParseErrors(t *testing.T) {
	const head = firstLine + "free\n# source a: one 1.0, MIT, bulk\n"
	for name, text := range map[string]string{
		"empty":             "",
		"no header":         "a.example\n\nb.example\n",
		"no blank line":     head + "a.example\ta\n",
		"unknown key":       head + "# colour: red\n\n",
		"no value":          head + "# date\n\n",
		"count in letters":  head + "# count: two\n\n",
		"count is wrong":    head + "# count: 2\n\na.example\ta\n",
		"source too long":   head + "# source b: two 2.0, MIT, bulk, 2026-11-01, more\n\n",
		"source cut short":  head + "# source b: two 2.0, MIT\n\n",
		"no letter":         head + "# count: 1\n\na.example\n",
		"letter of nothing": head + "# count: 1\n\na.example\tb\n",
		"empty group":       head + "# count: 1\n\na.example\ta\t\n",
		"out of order":      head + "# count: 2\n\nb.example\ta\na.example\ta\n",
		"twice":             head + "# count: 2\n\na.example\ta\na.example\ta\n",
	} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestOf(t *testing.T) {
	f := file()
	if diff := cmp.Diff(f.Sources[1:], f.Of(f.Entries[0])); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(f.Sources, f.Of(f.Entries[1])); diff != "" {
		t.Error(diff)
	}
}

func TestSort(t *testing.T) {
	entries := []Entry{{Name: "b"}, {Name: "a-b"}, {Name: "a"}}
	Sort(entries)
	if diff := cmp.Diff([]Entry{{Name: "a"}, {Name: "a-b"}, {Name: "b"}}, entries); diff != "" {
		t.Error(diff)
	}
}
