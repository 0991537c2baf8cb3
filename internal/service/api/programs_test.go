package api_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// TestProgramsOfTheDocs runs the programs of docs/http.md that send a list,
// wait for it and fetch its results.
func TestProgramsOfTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../../docs/http.md")
	check(t, err)
	_, section, found := strings.Cut(string(page), "\n### Programs\n")
	if !found {
		t.Fatal("the page has no programs")
	}
	l := newLists(t, accepts, jobs.Config{})
	service := httptest.NewServer(l)
	t.Cleanup(service.Close)
	for _, c := range []struct {
		language, file string
		command        []string
	}{{"sh", "main.sh", []string{"sh"}}, {"python", "main.py", []string{"python3"}}, {"js", "main.js", []string{"node"}}, {"go", "main.go", []string{"go"}}} {
		t.Run(c.language, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.command[0]); err != nil {
				t.Skipf("SKIPPED: %s is not installed", c.command[0])
			}
			code := regexp.MustCompile("(?s)```" + c.language + "\n(.*?)```").FindStringSubmatch(section)
			if code == nil {
				t.Fatal("the page has no such program")
			}
			folder := t.TempDir()
			file := filepath.Join(folder, c.file)
			check(t, os.WriteFile(file, []byte(code[1]), 0o600))
			check(t, os.WriteFile(filepath.Join(folder, "people.csv"), []byte("who,email\nAnn,ann@a.example\n"), 0o600))
			if c.language == "go" { // built here, where it finds the client
				c.command = []string{filepath.Join(folder, "main")}
				if out, err := exec.Command("go", "build", "-o", c.command[0], file).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			program := exec.CommandContext(t.Context(), c.command[0], append(c.command[1:], file)...)
			program.Dir = folder
			program.Env = append(os.Environ(), "RCPT_URL="+service.URL, "RCPT_API_KEY="+l.key(store.Key{}))
			out, err := program.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			checked, err := os.ReadFile(filepath.Join(folder, "checked.csv"))
			if err != nil || !strings.Contains(string(checked), "\nAnn,ann@a.example,deliverable,") {
				t.Errorf("%v %q\n%s", err, checked, out)
			}
		})
	}
}
