package schedule

import (
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestImports holds that the plan is a value: it cannot wait, talk, or ask for
// the time.
func TestImports(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{
		"cmp", "container/heap", "errors", "fmt", "maps", "math", "net/netip", "slices", "strings", "time",
		"github.com/rcpt/rcpt/smtpprobe/internal/belief", "github.com/rcpt/rcpt/smtpprobe/internal/sites",
		"github.com/rcpt/rcpt/smtpprobe/pace", "github.com/rcpt/rcpt/smtpprobe/replies",
		"github.com/rcpt/rcpt/smtpprobe/smtp",
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range parsed.Imports {
			path, _ := strconv.Unquote(i.Path.Value)
			if !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", f.Name(), path)
			}
		}
	}
}
