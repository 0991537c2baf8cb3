package sandbox

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/testing.md")

// TestDocs: the tables of the page are those of the code.
func TestDocs(t *testing.T) {
	const page = "../../../docs/testing.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	results := "| before the `@` | `result` | `reason` | `action` | what it shows |\n| --- | --- | --- | --- | --- |\n"
	errors := "| before the `@` | status | `code` |\n| --- | --- | --- |\n"
	for _, row := range Rows() {
		if row.Status > 0 {
			errors += fmt.Sprintf("| `%s` | %d | %s |\n", row.Name, row.Status, quoted(string(row.Code)))
			continue
		}
		r, _ := answerTo(row.Name+"@acme.example", time.Now(), longest)
		shows := row.About
		if shows == "" {
			shows = r.Message
			if row.Reason.Failed() {
				shows += " `success` is false"
			}
		}
		results += fmt.Sprintf("| `%s` | `%s` | `%s` | `%s` | %s |\n", row.Name, r.Verdict, r.Reason, r.Action(), shows)
	}
	want := between(t, string(text), "results", results)
	want = between(t, want, "errors", errors)
	switch {
	case want == string(text):
	case *update:
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("docs/testing.md is out of date: go test ./internal/service/sandbox -update")
	}
}

func quoted(code string) string {
	if code == "" {
		return "–"
	}
	return "`" + code + "`"
}

// between puts a table in its place in a page.
func between(t *testing.T, page, name, table string) string {
	t.Helper()
	before, rest, found := strings.Cut(page, "<!-- "+name+" -->\n")
	_, after, ends := strings.Cut(rest, "<!-- end -->\n")
	if !found || !ends {
		t.Fatalf("docs/testing.md has no place for the %s", name)
	}
	return before + "<!-- " + name + " -->\n" + table + "<!-- end -->\n" + after
}
