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
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	dir      string
	pins     pins
	archives archives
}

func newWorld(t *testing.T) *world {
	w := &world{dir: t.TempDir(), archives: make(archives), pins: pins{Date: "2026-01-02"}}
	w.add(t, "throw", "MIT", map[string]string{
		"list.json": `["throw.example"," Müll.Example ","404:","co.uk","eu.org","x.relay.example"]`,
	}, pkgFile{"list.json", "json", "disposable"})
	w.add(t, "away", "CC0-1.0", map[string]string{"list.json": `["throw.example","away.example"]`},
		pkgFile{"list.json", "json", "disposable"})
	w.add(t, "mail", "ISC", map[string]string{
		"all.json": `["free.example","firm.example","x.throw.example","gone.example","uni.edu.pl","alone.example"]`,
	}, pkgFile{"all.json", "json", "free"})
	w.add(t, "post", "ISC", map[string]string{
		"free.txt": "free.example\nfirm.example\nx.throw.example\ngone.example\nuni.edu.pl\n",
		"gone.txt": "gone.example\n",
	}, pkgFile{"free.txt", "lines", "free"}, pkgFile{"gone.txt", "lines", "not-free"})
	w.add(t, "role", "MIT", map[string]string{"index.js": "const A = [\n  'info',\n  '2015', 'per'\n];\nconst B = [\"Sales\"];\n"},
		pkgFile{"index.js", "js", "role"})
	for name, text := range map[string]string{
		"allow":        "relay.example\trelay\n",
		"shared-hosts": "host.example\ta host\n",
		"spamtrap":     "# words\n\nspamtrap\tsays so\n",
		"free-add":     "added.example\ta provider\n",
		"free-drop":    "firm.example\ta company\n",
		"role-add":     "sales\tRFC 2142\nhelp\ta word\n",
		"role-drop":    "per\ta first name\n",
	} {
		w.write(t, "gen/hand/"+name+".txt", text)
	}
	return w
}

func (w *world) add(t *testing.T, name, license string, files map[string]string, data ...pkgFile) {
	files["package.json"] = fmt.Sprintf(`{"name":%q,"version":"1.0.0","license":%q}`, name, license)
	files["LICENSE"] = "terms of " + name
	w.archives[name] = pack(t, files)
	w.pins.Packages = append(w.pins.Packages, pkg{
		Name: name, Version: "1.0.0", Integrity: integrity(w.archives[name]), License: license, LicenseFile: "LICENSE", Files: data,
	})
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

func (w *world) run(t *testing.T, from downloader) error {
	text, err := json.Marshal(w.pins)
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, "gen/pins.json", string(text))
	return run(t.Context(), w.dir, from)
}

func (w *world) read(t *testing.T, path string) string {
	text, err := os.ReadFile(filepath.Join(w.dir, "data", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// ServeHTTP is a registry of the world's packages: /name describes one, /name.tgz is its archive.
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
