package main

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRun(t *testing.T) {
	w := newWorld(t)
	if err := w.run(t, w.archives); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"disposable":   "away.example b|eu.org a|throw.example ab|xn--mll-hoa.example a",
		"free":         "added.example r|free.example cd",
		"role":         "help r|info e|sales er",
		"spamtrap":     "spamtrap says so",
		"allow":        "relay.example relay",
		"shared-hosts": "host.example a host",
	} {
		_, lines, _ := strings.Cut(w.read(t, name+".txt"), "\n\n")
		got := strings.NewReplacer("\t", " ", "\n", "|").Replace(strings.TrimSpace(lines))
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
	if got := w.read(t, "LICENSES/away.txt"); got != "terms of away" {
		t.Errorf("licence text: %q", got)
	}
}

func TestRunWritesHeader(t *testing.T) {
	w := newWorld(t)
	if err := w.run(t, w.archives); err != nil {
		t.Fatal(err)
	}
	got, _, _ := strings.Cut(w.read(t, "disposable.txt"), "\n\n")
	want := `# rcpt list: disposable
# about: domains of services that hand out mailboxes to throw away, with their sub-domains
# date: 2026-01-02
# count: 4
# license: MIT, CC0-1.0
# source a: throw 1.0.0
# source b: away 1.0.0`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRunRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*testing.T, *world)
		want  string
	}{
		{"another archive", func(t *testing.T, w *world) { w.archives["away"] = pack(t, nil) }, "away 1.0.0: integrity is"},
		{"a licence not allowed", func(_ *testing.T, w *world) { w.pins.Packages[0].License = "GPL-3.0" }, "is under GPL-3.0"},
		{"a licence not declared", func(_ *testing.T, w *world) { w.pins.Packages[0].License = "ISC" }, `licence is "MIT", pinned is "ISC"`},
		{"no licence text", func(_ *testing.T, w *world) { w.pins.Packages[0].LicenseFile = "COPYING" }, "no licence text"},
		{"a missing file", func(_ *testing.T, w *world) { w.pins.Packages[0].Files[0].Path = "x.json" }, "no such file"},
		{"a format unknown", func(_ *testing.T, w *world) { w.pins.Packages[0].Files[0].Format = "xml" }, "no format"},
		{"a hand entry without a reason", func(t *testing.T, w *world) { w.write(t, "gen/hand/allow.txt", "a.example\n") }, `allow.txt:1: "a.example" has no reason`},
		{"a hand entry twice", func(t *testing.T, w *world) { w.write(t, "gen/hand/allow.txt", "a\tx\na\ty\n") }, `allow.txt:2: "a" is there twice`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			tt.spoil(t, w)
			if err := w.run(t, w.archives); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestReadScript(t *testing.T) {
	got, err := readScript("const A = [\n 'a', \"b\",\n];\nmodule.exports = [...A];\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"", "module.exports = ['a']", "const A = ['a', evil()];", "const A = ['a' + 'b'];", "const A = ['a\\x62'];"} {
		if got, err := readScript(text); err == nil {
			t.Errorf("readScript(%q) = %q", text, got)
		}
	}
}

// npm itself, against a registry on loopback.
func TestNPM(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed: its download is not tested")
	}
	t.Setenv("npm_config_cache", t.TempDir())
	t.Setenv("npm_config_update_notifier", "false")
	w := newWorld(t)
	server := httptest.NewServer(w)
	defer server.Close()
	got, err := npm{registry: server.URL}.download(t.Context(), w.pins.Packages[1])
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, w.archives["away"]) {
		t.Error("the download is not the archive that the registry has")
	}
}

// The files of this tree belong together: what is pinned is documented, and what is kept by hand has gone through the generator.
func TestTree(t *testing.T) {
	pins, err := readPins("pins.json")
	if err != nil {
		t.Fatal(err)
	}
	hand, err := readHand("hand")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../data/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pins.Packages {
		if row := fmt.Sprintf("| %s | %s |", p, p.License); !strings.Contains(string(readme), row) {
			t.Errorf("data/README.md lacks %q", row)
		}
		if letter(i) >= handLetter {
			t.Errorf("%s has no letter of its own", p)
		}
	}
	in := inputs{pins: pins, hand: hand}
	for _, list := range in.handLists() {
		var want bytes.Buffer
		list.WriteTo(&want)
		if got, err := os.ReadFile("../data/" + list.Name + ".txt"); err != nil || string(got) != want.String() {
			t.Errorf("data/%s.txt is not what gen/hand says (%v): run the generator", list.Name, err)
		}
	}
}
