package guide

import (
	"html"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/docs"
)

func get(t *testing.T, target string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	Serve(w, httptest.NewRequest(http.MethodGet, target, nil), "", true)
	return w
}

// TestLinks: links between documents lead to a page and a heading that exist,
// and links to files of the repository to a file.
func TestLinks(t *testing.T) {
	all, err := read()
	if err != nil || len(all) < 10 {
		t.Fatalf("%d documents, %v", len(all), err)
	}
	link, id := regexp.MustCompile(`href="([^"]*)"`), regexp.MustCompile(` id="([^"]*)"`)
	anchors := map[string]bool{}
	for _, d := range all {
		anchors[d.Path+"#"] = true
		for _, found := range id.FindAllStringSubmatch(string(d.Body), -1) {
			anchors[d.Path+"#"+html.UnescapeString(found[1])] = true
		}
	}
	within := 0
	for _, d := range all {
		for _, found := range link.FindAllStringSubmatch(string(d.Body), -1) {
			target := html.UnescapeString(found[1])
			if file, isFile := strings.CutPrefix(target, repository); isFile {
				file, _, _ = strings.Cut(file, "#")
				if _, err := os.Stat(filepath.Join("..", "..", "..", "..", file)); err != nil {
					t.Errorf("%s: %v", d.Path, err)
				}
				continue
			}
			if strings.Contains(target, ":") {
				continue
			}
			within++
			if strings.HasPrefix(target, "#") {
				target = d.Path + target
			}
			path, anchor, _ := strings.Cut(target, "#")
			if !anchors[path+"#"+anchor] {
				t.Errorf("%s: there is no %s", d.Path, target)
			}
		}
	}
	if within < 50 {
		t.Errorf("only %d links were found", within)
	}
}

func TestPages(t *testing.T) {
	all, err := read()
	if err != nil {
		t.Fatal(err)
	}
	list := get(t, Path)
	for _, d := range all {
		if d.Title == "" || !strings.Contains(list.Body.String(), `href="`+d.Path+`"`) {
			t.Errorf("%s %q is not in the list", d.Path, d.Title)
		}
		page := get(t, d.Path)
		if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "<h1 id=") {
			t.Errorf("%s: %d", d.Path, page.Code)
		}
		for _, not := range []string{"<script", "<img", " style=", " onclick="} {
			if strings.Contains(page.Body.String(), not) {
				t.Errorf("%s has %s", d.Path, not)
			}
		}
		if policy := page.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("the policy is %q", policy)
		}
	}
	for target, want := range map[string]int{
		Path + "/nothing": 404, Path + "/commands.md": 404, Path + "/../commands": 404, stylePath: 200, Path + "?q=%ff%00": 200,
		Path + "?q=" + strings.Repeat("a", 5000): 200,
	} {
		if got := get(t, target).Code; got != want {
			t.Errorf("%s: %d, want %d", target, got, want)
		}
	}
}

// TestShelves: each document is on a shelf, and a shelf names only what exists.
func TestShelves(t *testing.T) {
	all, err := read()
	if err != nil {
		t.Fatal(err)
	}
	shelved := map[string]bool{}
	for i, s := range shelvesOf(all) {
		if named := strings.Fields(shelves[i].files); len(named) != len(s.Documents) {
			t.Errorf("%s: a document of %v does not exist", s.Name, named)
		}
		for _, d := range s.Documents {
			shelved[d.Path] = true
		}
	}
	for _, d := range all {
		if !shelved[d.Path] {
			t.Errorf("%s is on no shelf", d.Path)
		}
	}
}

// TestEveryWord: each heading and each word of the documents is found.
func TestEveryWord(t *testing.T) {
	all, err := read()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		source, err := fs.ReadFile(docs.Files, strings.TrimPrefix(d.Path, Path+"/")+".md")
		if err != nil {
			t.Fatal(err)
		}
		var found strings.Builder
		for _, s := range d.sections {
			found.WriteString(s.title + "\n" + s.text + "\n")
		}
		fenced, headings := false, 0
		for line := range strings.Lines(string(source)) {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fenced = !fenced
				continue
			}
			if !fenced && strings.HasPrefix(line, "#") {
				headings++
			}
			for _, word := range wordsIn(line) {
				if !strings.Contains(found.String(), word) {
					t.Errorf("%s: a search does not find %q of: %s", d.Path, word, line)
				}
			}
		}
		if headings != len(d.sections) {
			t.Errorf("%s has %d headings, %d were found", d.Path, headings, len(d.sections))
		}
	}
}

// TestEveryHeading: each heading of the documents, and of the page of the HTTP
// interface, is on its page, and a search for it leads there.
func TestEveryHeading(t *testing.T) {
	all, err := read()
	if err != nil {
		t.Fatal(err)
	}
	headings := 0
	for _, d := range append(slices.Clone(all), reference()) {
		page := ""
		if d.Path != "/docs" { // whose anchors package openapi tests
			page = get(t, d.Path).Body.String()
		}
		for _, s := range d.sections {
			headings++
			if page != "" && !strings.Contains(page, ` id="`+s.id+`"`) {
				t.Errorf("%s has no heading %q", d.Path, s.id)
			}
			body := get(t, Path+"?q="+url.QueryEscape(s.title)).Body.String()
			if !strings.Contains(body, `<h3><a href="`+d.Path+"#"+s.id+`">`) {
				t.Errorf("a search for %q does not find %s#%s", s.title, d.Path, s.id)
			}
		}
	}
	if headings < 200 {
		t.Errorf("only %d headings", headings)
	}
}

// wordsIn are the words of a line of Markdown, without the targets of links and
// without HTML.
func wordsIn(line string) []string {
	line = regexp.MustCompile(`\]\([^)]*\)|<[^>]*>`).ReplaceAllString(line, "] ")
	return regexp.MustCompile(`\pL{3,}`).FindAllString(line, -1)
}

func TestSearch(t *testing.T) {
	for query, want := range map[string]string{
		"greylisted":       Path + "/",
		"--trusted-proxy":  Path + "/commands#rcpt-serve",
		"rcpt backup":      Path + "/commands#rcpt-backup",
		"RESUME journal":   Path + "/commands#resuming-a-run",
		"alert prometheus": Path + "/monitoring",
		"webhooks":         Path + "/webhooks#webhooks",
		"job.progress":     "/docs#onJob",
		"dry_run":          "/docs#createJob",
	} {
		if body := get(t, Path+"?q="+strings.ReplaceAll(query, " ", "+")).Body.String(); !strings.Contains(body, `<h3><a href="`+want) {
			t.Errorf("%s is not found", query)
		}
	}
	if body := get(t, Path+"?q=xyzzyxyzzy").Body.String(); !strings.Contains(body, "No section has") {
		t.Error(body)
	}
	if body := get(t, Path+"?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E").Body.String(); strings.Contains(body, "<script") {
		t.Error("the query is not escaped")
	}
}
