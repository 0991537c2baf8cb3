package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/listdata/bundle"
)

// pack makes an npm archive of path, content pairs.
func pack(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	for path, text := range files {
		header := tar.Header{Name: "package/" + path, Mode: 0o644, Size: int64(len(text))}
		if err := w.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func integrity(archive []byte) string {
	sum := sha512.Sum512(archive)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// archives downloads from memory.
type archives map[string][]byte

func (a archives) download(_ context.Context, p pkg) ([]byte, error) { return a[p.Name], nil }

// world is a folder of package lists with small packages.
type world struct {
	generator
	pins     pins
	archives archives
}

func newWorld(t *testing.T) *world {
	w := &world{archives: make(archives), pins: pins{Date: "2026-01-02"}}
	w.generator = generator{dir: t.TempDir(), from: w.archives, freenom: true, report: io.Discard, now: time.Date(2026, 1, 12, 9, 0, 0, 0, time.UTC)}
	w.data = w.path("data")
	w.addDisposable(t)
	w.addFree(t)
	w.add(t, "role", "MIT", tierBulk, map[string]string{
		"index.js": "const A = [\n  'Info',\n  '2015', 'per', 'uk'\n];\nconst B = [\"sales\"];\n",
	}, pkgFile{Path: "index.js", Format: "js", Arrays: []string{"A", "B"}, Holds: holdsRole})
	for name, text := range handTexts {
		w.write(t, "hand/"+name+".txt", "# "+name+"\n\n"+strings.Join(text, "\n")+"\n")
	}
	return w
}

// addDisposable adds packages a to d.
func (w *world) addDisposable(t *testing.T) {
	w.add(t, "throw", "MIT", tierBulk, map[string]string{
		"list.json": `["throw.example"," Müll.Example ","müll.example","ｆull.example","404:","co.uk","eu.org","stranger.eu.org","sub.throw.example","gone.tk"]`,
	}, pkgFile{Path: "list.json", Format: "json", Holds: holdsDisposable})
	w.add(t, "away", "CC0-1.0", tierCurated, map[string]string{"list.json": `["throw.example","away.example"]`},
		pkgFile{Path: "list.json", Format: "json", Holds: holdsDisposable})
	w.add(t, "fake", "BSD-3-Clause", tierCurated, map[string]string{"data.json": `{"version":2,"domains":{
		"one.example":{"providers":["service.example"],"hosts":{"one.example":{},"x.two.example":{}}},
		"both.example":{"providers":["service.example","other.example"],"hosts":{"both.example":{}}},
		"static.example":{"providers":["static"],"hosts":{"static.example":{}}}}}`},
		pkgFile{Path: "data.json", Format: "fakefilter", Holds: holdsDisposable})
	w.add(t, "mixed", "MIT", tierBulk, map[string]string{
		"list.json": `["mixed.example","alone.example","hand.example"]`, "hand.mjs": "const DOMAINS = [\n  'hand.example'\n]\n",
	}, pkgFile{Path: "list.json", Format: "json", Holds: holdsMixed},
		pkgFile{Path: "hand.mjs", Format: "js", Arrays: []string{"DOMAINS"}, Holds: holdsMixedFree})
}

// addFree adds packages e to g.
func (w *world) addFree(t *testing.T) {
	w.add(t, "mail", "ISC", tierBulk, map[string]string{
		"all.json": `["free.example","firm.example","throw.example","x.throw.example","gone.example","uni.edu.pl","uni.ac.at","edu.example",
			"my.relay.example","alone.example","wild.example","ruled.example","co.uk","dyndns.org"]`,
	}, pkgFile{Path: "all.json", Format: "json", Holds: holdsFree})
	w.add(t, "post", "ISC", tierBulk, map[string]string{
		"free.txt": "free.example\nfirm.example\nthrow.example\nx.throw.example\ngone.example\nuni.edu.pl\nuni.ac.at\nedu.example\n" +
			"my.relay.example\nco.uk\ndyndns.org\n",
		"gone.txt": "gone.example\n",
	}, pkgFile{Path: "free.txt", Format: "lines", Holds: holdsFree}, pkgFile{Path: "gone.txt", Format: "lines", Holds: holdsNotFree})
	w.write(t, "vendored/rules/rules.cf", "# rules\nfreemail_domains wild.* ruled.example free.example # a comment\n")
	w.write(t, "vendored/rules/LICENSE", "terms of rules\n")
	w.write(t, "vendored/rules/NOTICE", "notice of rules\n")
	w.pins.Packages = append(w.pins.Packages, pkg{
		Name: "rules", Version: "1.0.0", Vendored: "2026-01-02", License: "Apache-2.0", LicenseFiles: []string{"LICENSE", "NOTICE"}, Tier: tierCurated,
		Files: []pkgFile{{Path: "rules.cf", Format: "freemail", Holds: holdsFree}},
	})
}

// handTexts are the lines of the hand files.
var handTexts = map[string][]string{
	"allow":            {"allowed.example\twebmail"},
	"disposable-add":   {"new.example\tseen at work", "throw.example\tservice.example"},
	"free-subdomain":   {"names.example\tnames for anybody"},
	"relay":            {"relay.example\tmasks\tforwards"},
	"disposable-hosts": {"mx.throw.example\tThrow\t2026-01-01 its own page"},
	"shared-hosts":     {"host.example\ta host"},
	"parked-hosts":     {"park.example\ta registrar"},
	"free-add":         {"added.example\tAdded", "free.example\tFree"},
	"free-drop":        {"firm.example\ta company"},
	"role-add":         {"sales\tsales\tRFC 2142", "help\tsupport\ta word"},
	"role-drop":        {"per\ta first name"},
	"role-qualifiers":  {"uk\ta country"},
	"spamtrap":         {"spam.trap\tstrong\tsays so", "a@trap.example\tstrong\tpublished", "trap.com\tweak\ta domain", "b@trap.example\tweak\tpublished"},
	"typo-targets":     {"free.example\t10\tmx.free.example free.example"},
	"typo-exempt":      {"tree.example\ta nursery"},
}

func (w *world) add(t *testing.T, name, license, tier string, files map[string]string, data ...pkgFile) {
	w.pins.Packages = append(w.pins.Packages, pkg{
		Name: name, Version: "1.0.0", Published: "2026-01-01", License: license, LicenseFiles: []string{"LICENSE"}, Tier: tier, Files: data,
	})
	w.repack(t, len(w.pins.Packages)-1, files)
}

// repack gives the package other files.
func (w *world) repack(t *testing.T, i int, files map[string]string) {
	p := &w.pins.Packages[i]
	files["package.json"] = fmt.Sprintf(`{"name":%q,"version":"1.0.0","license":%q}`, p.Name, p.License)
	files["LICENSE"] = "terms of " + p.Name
	w.archives[p.Name] = pack(t, files)
	p.Integrity = integrity(w.archives[p.Name])
}

func (w *world) write(t *testing.T, path, text string) {
	t.Helper()
	path = filepath.Join(w.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w *world) generate(t *testing.T) error {
	text, err := json.Marshal(w.pins)
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, "pins.json", string(text))
	return w.run(t.Context())
}

func (w *world) read(t *testing.T, path string) string {
	t.Helper()
	folder := "data"
	if slices.Contains(textLists[:], strings.TrimSuffix(path, ".txt")) {
		folder = "review"
	}
	text, err := os.ReadFile(filepath.Join(w.dir, folder, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (w *world) edition(t *testing.T) *bundle.Bundle {
	t.Helper()
	b, err := bundle.Open(w.read(t, "lists.bundle"))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	return b
}

// ServeHTTP is a registry of the world's packages: /name describes one,
// /name.tgz is its archive.
func (w *world) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if archive, ok := w.archives[strings.TrimSuffix(name, ".tgz")]; ok && strings.HasSuffix(name, ".tgz") {
		rw.Write(archive)
		return
	}
	archive, ok := w.archives[name]
	if !ok {
		http.NotFound(rw, r)
		return
	}
	version := map[string]any{"name": name, "version": "1.0.0", "dist": map[string]string{
		"tarball": "http://" + r.Host + "/" + name + ".tgz", "integrity": integrity(archive),
	}}
	json.NewEncoder(rw).Encode(map[string]any{
		"name": name, "dist-tags": map[string]string{"latest": "1.0.0"}, "versions": map[string]any{"1.0.0": version},
	})
}
