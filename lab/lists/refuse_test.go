package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/lab/lists/listfile"
)

func TestRunRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*testing.T, *world)
		want  string
	}{
		{"another archive", func(t *testing.T, w *world) { w.archives["away"] = pack(t, nil) }, "away 1.0.0: integrity is"},
		{"a licence not allowed", func(_ *testing.T, w *world) { w.pins.Packages[0].License = "GPL-3.0" }, "is under GPL-3.0"},
		{"a licence not declared", func(_ *testing.T, w *world) { w.pins.Packages[0].License = "ISC" }, `licence is "MIT", pinned is "ISC"`},
		{"no licence text", func(_ *testing.T, w *world) { w.pins.Packages[0].LicenseFiles[0] = "COPYING" }, "no licence text"},
		{"two licence texts", func(_ *testing.T, w *world) {
			w.pins.Packages = append(w.pins.Packages, w.pins.Packages[6])
			w.pins.Packages[8].LicenseFiles = []string{"LICENSE"}
		}, "licence text is not that of the other version"},
		{"a missing file", func(_ *testing.T, w *world) { w.pins.Packages[0].Files[0].Path = "x.json" }, "no such file"},
		{"a format unknown", func(_ *testing.T, w *world) { w.pins.Packages[0].Files[0].Format = "xml" }, "no format"},
		{"no day", func(_ *testing.T, w *world) { w.pins.Packages[0].Published = "" }, "no day on which it was published"},
		{"a tier unknown", func(_ *testing.T, w *world) { w.pins.Packages[0].Tier = "good" }, `has the tier "good"`},
		{"contents unknown", func(_ *testing.T, w *world) { w.pins.Packages[0].Files[0].Holds = "things" }, `holds "things"`},
		{"a vendored package missing", func(_ *testing.T, w *world) { w.pins.Packages[6].Name = "gone" }, "gone 1.0.0: open"},
		{"a hand file missing", func(t *testing.T, w *world) {
			if err := os.Remove(w.path("hand", "relay.txt")); err != nil {
				t.Fatal(err)
			}
		}, "relay.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			tt.spoil(t, w)
			if err := w.generate(t); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if _, err := os.Stat(w.path("data")); err == nil {
				t.Error("something was written")
			}
		})
	}
}

func TestRunRefusesHandFiles(t *testing.T) {
	for _, tt := range []struct{ file, text, want string }{
		{"allow", "a.example", `allow.txt:1: "a.example" has 1 columns, not 2`},
		{"allow", "a.example\t", `allow.txt:1: "" is empty`},
		{"allow", "a.example\tx\xff", `allow.txt:1: "x\xff" is empty, has space around it, or is not UTF-8`},
		{"allow", "# fine\n\na.example\tx\na.example\ty", `allow.txt:4: "a.example" is there twice`},
		{"allow", "A.example\tx", `allow.txt:1: "A.example" is written "a.example" in lists`},
		{"allow", "bücher.example\tx", `"bücher.example" is written "xn--bcher-kva.example" in lists`},
		{"allow", "co.uk\tx", `"co.uk" is a public suffix`},
		{"allow", "two words\tx", `"two words" is not a domain name`},
		{"relay", "a.example\tforwards", `relay.txt:1: "a.example" has 2 columns, not 3`},
		{"role-add", "Sales\tsales\tx", `"Sales" is not a word of a local-part, in lower case`},
		{"role-add", "a b\tsales\tx", `"a b" is not a word of a local-part`},
		{"role-add", "sales\t\tx", `"" is not a word`},
		{"spamtrap", "trap\tbad\tx", `"bad" is neither strong nor weak`},
		{"spamtrap", "a b@c.example\tweak\tx", `"a b" is not a word`},
		{"spamtrap", "a@c\tweak\tx", `"c" has no dot`},
		{"spamtrap", "A.com\tweak\tx", `"A.com" is written "a.com" in lists`},
		{"disposable-hosts", "a.example\tA\tyesterday", `"yesterday" is not a date and a source`},
		{"disposable-hosts", "a.example\tA\t2026-01-01", `"2026-01-01" is not a date and a source`},
		{"typo-targets", "a.example\tmany\tmx.example", `"many" is not a weight`},
		{"typo-targets", "a.example\t0\tmx.example", `"0" is not a weight`},
		{"typo-targets", "a.example\t1\tmx.example  my.example", `"" is not a domain name`},

		{"disposable-add", "x.allowed.example\tx", `disposable-add.txt:1: "x.allowed.example" goes against allow.txt, relay.txt or free-add.txt`},
		{"disposable-add", "relay.example\tx", `"relay.example" goes against allow.txt`},
		{"disposable-add", "added.example\tx", `"added.example" goes against allow.txt`},
		{"free-drop", "added.example\tx", `free-add.txt:3: "added.example" goes against free-drop.txt`},
		{"role-drop", "sales\tx", `role-add.txt:3: "sales" goes against role-drop.txt`},
		{"role-qualifiers", "sales\tx", `role-add.txt:3: "sales" goes against role-qualifiers.txt`},
		{"disposable-hosts", "host.example\tA\t2026-01-01 x", `disposable-hosts.txt:1: "host.example" goes against shared-hosts.txt`},
		{"disposable-hosts", "mx.host.example\tA\t2026-01-01 x", `"mx.host.example" goes against shared-hosts.txt`},
		{"disposable-hosts", "park.example\tA\t2026-01-01 x", `parked-hosts.txt:3: "park.example" goes against disposable-hosts.txt`},
		{"parked-hosts", "host.example\tA", `"host.example" goes against shared-hosts.txt`},
	} {
		w := newWorld(t)
		w.write(t, "hand/"+tt.file+".txt", tt.text+"\n")
		if err := w.generate(t); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %q: error %v, want %q", tt.file, tt.text, err, tt.want)
		}
	}
}

func TestRunRefusesJumps(t *testing.T) {
	for _, tt := range []struct {
		name, list string
		want       string
	}{
		{"one of 13 more", `["throw.example","away.example","a.example"]`, ""},
		{"two of 13 more", `["throw.example","away.example","a.example","b.example"]`, "disposable has 15 entries and had 13"},
		{"one of 13 less", `["throw.example"]`, ""},
		{"the same number of others", `["throw.example","other.example"]`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			if err := w.generate(t); err != nil {
				t.Fatal(err)
			}
			before := w.read(t, "lists.bundle")
			w.repack(t, 1, map[string]string{"list.json": tt.list})
			err := w.generate(t)
			if refused := err != nil; refused != (tt.want != "") || refused && !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			if unchanged := w.read(t, "lists.bundle") == before; unchanged != (tt.want != "") {
				t.Errorf("bundle unchanged: %t", unchanged)
			}
			w.accept = true
			if err := w.generate(t); err != nil {
				t.Errorf("accepted: %v", err)
			}
		})
	}
}

func TestCheckSizes(t *testing.T) {
	for _, tt := range []struct {
		was, is int
		refused bool
	}{
		{100, 100, false}, {100, 110, false}, {100, 111, true}, {100, 90, false}, {100, 89, true}, {0, 1000, false}, {9, 10, true},
	} {
		file := func(count int) []listfile.File { return []listfile.File{{Header: listfile.Header{Count: count}}} }
		if err := checkSizes(file(tt.was), file(tt.is)); (err != nil) != tt.refused {
			t.Errorf("from %d to %d: %v", tt.was, tt.is, err)
		}
	}
}

// Text files that were made with other hand files are refused.
func TestDraftRefusesStaleTexts(t *testing.T) {
	for name, change := range map[string]func(*hand){
		"allowed now":        func(h *hand) { h.allow = append(h.allow, row{name: "away.example"}) },
		"added now":          func(h *hand) { h.freeAdd = append(h.freeAdd, newRow("later.example", "Later")) },
		"added no more":      func(h *hand) { h.freeAdd = h.freeAdd[1:] },
		"dropped now":        func(h *hand) { h.freeDrop = append(h.freeDrop, row{name: "ruled.example"}) },
		"of another group":   func(h *hand) { h.roleAdd[0] = newRow("sales", "marketing", "RFC 2142") },
		"disposable no more": func(h *hand) { h.disposableAdd = h.disposableAdd[:1] },
	} {
		w := newWorld(t)
		if err := w.generate(t); err != nil {
			t.Fatal(err)
		}
		texts, err := readTexts(w.path("review"))
		if err != nil {
			t.Fatal(err)
		}
		h, err := readHand(w.path("hand"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newDraft(texts, h); err != nil {
			t.Errorf("unchanged: %v", err)
		}
		change(&h)
		if _, err := newDraft(texts, h); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func newRow(columns ...string) row { return row{name: columns[0], columns: columns} }
