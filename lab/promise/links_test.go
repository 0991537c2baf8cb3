package main

import (
	"go/doc/comment"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// link is what go doc reads as a link to a declaration, or would if there were
// one: "[Name]", "[Type.Member]", "[pkg.Name]", "[path/pkg.Type.Member]".
var link = regexp.MustCompile(`(?:^|[^\w\])])\[\*?((?:[a-z]\w*/)*[A-Za-z_]\w*(?:\.[A-Z]\w*){0,2})\](?:[^\w(\[:{.]|\.[^\w]|\.?$)`)

// TestLinks checks that what looks like a link in the docs that go doc shows
// leads to something that go doc shows.
func TestLinks(t *testing.T) {
	all := folders(t)
	for _, f := range all {
		checkLinks(t, all, f, "package", f.doc)
		for _, n := range f.names {
			checkLinks(t, all, f, n.text, n.doc)
		}
	}
}

func checkLinks(t *testing.T, all []*folder, f *folder, where, doc string) {
	for line := range strings.Lines(doc) {
		if strings.HasPrefix(line, "\t") {
			continue // code
		}
		for _, found := range link.FindAllStringSubmatch(line, -1) {
			if !leads(all, f, found[1]) {
				t.Errorf("%s: the doc of %s links to [%s], which go doc does not show", f.path, where, found[1])
			}
		}
	}
}

// leads reports whether a link in the doc of a package leads somewhere.
func leads(all []*folder, f *folder, target string) bool {
	if f.find(target) != nil {
		return true
	}
	first, rest, _ := strings.Cut(target, ".")
	path, ok := f.imports[first]
	if !ok {
		if path, ok = comment.DefaultLookupPackage(first); !ok && strings.Contains(first, "/") {
			path = first
		} else if !ok {
			return false
		}
	}
	local, ours := strings.CutPrefix(path, module)
	if !ours {
		return rest == "" || standard(path) == nil || standard(path).find(rest) != nil
	}
	local = strings.TrimPrefix(local+"/", "/")
	if local = strings.TrimSuffix(local, "/"); local == "" {
		local = "."
	}
	i := slices.IndexFunc(all, func(g *folder) bool { return g.path == local })
	return i >= 0 && (rest == "" || all[i].find(rest) != nil)
}

var (
	namedFile    = regexp.MustCompile(`((?:[\w-]+/)*\w+\.(?:go|yaml))\b`)
	namedPackage = regexp.MustCompile(`\b[Pp]ackage\s+([a-z]\w*)\b[^/]`)
)

// TestNamed checks that the files that docs name are in the folder of the
// package, and that no package is named, as if it could be imported, that is in
// an internal folder.
func TestNamed(t *testing.T) {
	all, hidden := folders(t), hiddenPackages(t)
	for _, f := range all {
		docs := f.doc
		for _, n := range f.names {
			docs += n.doc
		}
		for _, found := range namedFile.FindAllStringSubmatch(docs, -1) {
			if _, err := os.Stat(filepath.Join(root, f.path, found[1])); err != nil {
				t.Errorf("%s: a doc names the file %s, which is not there", f.path, found[1])
			}
		}
		for _, found := range namedPackage.FindAllStringSubmatch(docs, -1) {
			known := slices.ContainsFunc(all, func(g *folder) bool { return g.name == found[1] })
			if hidden[found[1]] && !known {
				t.Errorf("%s: a doc names the package %s, which cannot be imported", f.path, found[1])
			}
		}
	}
}

// hiddenPackages returns the names of the internal packages.
func hiddenPackages(t *testing.T) map[string]bool {
	hidden := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.Contains(path, "/internal/") {
			hidden[entry.Name()] = true
		}
		return err
	})
	if err != nil || len(hidden) < 20 {
		t.Fatalf("%d internal packages, %v", len(hidden), err)
	}
	return hidden
}

// standard returns a package of the standard library; nil: there is none.
func standard(path string) *folder {
	f, err := read(filepath.Join(goroot(), "src", path))
	if err != nil {
		return nil
	}
	return f
}

var goroot = sync.OnceValue(func() string {
	out, _ := exec.Command("go", "env", "GOROOT").Output()
	return strings.TrimSpace(string(out))
})

// TestLinksAreFound shows that each kind of link that leads nowhere is found.
func TestLinksAreFound(t *testing.T) {
	f := &folder{path: "a", imports: map[string]string{"b": module + "/b"}, names: []name{{text: "T"}, {text: "T.M"}}}
	all := []*folder{f, {path: "b", names: []name{{text: "N"}}}}
	for text, want := range map[string]bool{
		"See [T], [T.M] and [b.N].": true, "Of package [b]": true, "[net/http.Server.Serve]": true, "[net/http.Client] it": true, "[errors.Is]": true,
		"as in [t]": false, "[T.m.x]": true, "[T.X]": false, "[b.M]": false, "[c.N]": false, "[*X]": false,
		"in [internalName].": false, "[net/http.Serverx]": false, "[http.Server]": false, "a []T, m[k], [1], socks5://[USER:PASSWORD@]HOST": true,
	} {
		ok := true
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			ok = ok && leads(all, f, found[1])
		}
		if ok != want {
			t.Errorf("%q: %v, want %v", text, ok, want)
		}
	}
}
