package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt"
)

const module = "github.com/rcpt/rcpt/"

// TestDependencies checks what embedding the engine brings into a program, and
// in which direction the packages of this module depend on each other.
func TestDependencies(t *testing.T) {
	deps := dependencies(t, module+"engine")
	for _, banned := range []string{
		module + "server", module + "bulk", module + "internal/service/store", module + "cmd", module + "dnsresolve/dnstest", module + "dnsresolve/doh", module + "smtpprobe/smtptest",
		"database/sql", "github.com/jackc/pgx/v5", "modernc.org/sqlite", "github.com/alecthomas/kong",
	} {
		for _, dep := range deps {
			if dep == banned || strings.HasPrefix(dep, banned+"/") {
				t.Errorf("engine depends on %s", dep)
			}
		}
	}
	// Who only asks mail hosts, resolvers and lists needs no HTTP.
	for _, pkg := range []string{"engine", "engine/address", "lists", "lists/signed", "dnsresolve", "smtpprobe", "smtpprobe/replies"} {
		for _, dep := range dependencies(t, module+pkg) {
			if dep == "net/http" {
				t.Errorf("%s depends on net/http", pkg)
			}
		}
	}
	// A leaf depends on nothing of ours but what lives below it, the record
	// with the words of SMTP in it, the small packages below all, and what
	// lists are made of.
	for _, leaf := range []string{"dnsresolve", "smtpprobe", "lists", "internal/service/store", "engine/address"} {
		for _, dep := range dependencies(t, module+leaf) {
			ours := strings.HasPrefix(dep, module) && !strings.HasPrefix(dep, module+"internal/sys/") && !strings.HasPrefix(dep, module+"internal/listdata/") &&
				dep != module+"smtpprobe/smtp"
			if ours && dep != module+leaf && !strings.HasPrefix(dep, module+leaf+"/") {
				t.Errorf("%s is a leaf and depends on %s", leaf, dep)
			}
		}
	}
	// The packages below smtpprobe know neither it nor each other, except for
	// smtp and internal/sites, which all may use, and these.
	for name, others := range map[string][]string{
		"smtp": nil, "replies": nil, "egress": nil, "pace": nil,
		"provider":             {"pace"},
		"internal/wire":        {"egress"}, // whose failures it tells from those of mail hosts
		"internal/transaction": {"internal/belief", "internal/wire", "replies", "egress"},
		"internal/belief":      {"replies"},
		"internal/schedule":    {"internal/belief", "replies", "pace"},
		"internal/sites":       nil,
	} {
		pkg := module + "smtpprobe/" + name
		for _, dep := range dependencies(t, pkg) {
			allowed := slices.ContainsFunc(append(others, name, "smtp", "internal/sites"), func(other string) bool {
				other = module + "smtpprobe/" + other
				return dep == other || strings.HasPrefix(dep, other+"/internal/")
			})
			if strings.HasPrefix(dep, module) && !allowed && !strings.HasPrefix(dep, module+"internal/sys/") {
				t.Errorf("%s depends on %s", pkg, dep)
			}
		}
	}
	// A program that mounts the endpoint links nothing of the service.
	for _, dep := range dependencies(t, module+"server") {
		if strings.HasPrefix(dep, module+"internal/service") || strings.HasPrefix(dep, "database/sql") {
			t.Errorf("server depends on %s", dep)
		}
	}
	for _, dep := range dependencies(t, module+"internal/service/api") {
		switch path.Base(dep) {
		case "dnstest", "smtptest", "enginetest", "storetest", "openapitest", "testkit":
			t.Errorf("internal/service/api depends on %s, which is for tests", dep)
		}
		if dep == module+"internal/service/store" || strings.HasPrefix(dep, "database/sql") || strings.HasPrefix(dep, "modernc.org/") {
			t.Errorf("internal/service/api depends on %s", dep)
		}
	}
}

// TestNothingTravelsInAContext checks that no package but tests puts a value
// into a context: what a call is to do is a parameter or a field of its
// options, which its documentation shows and a wrapper cannot lose.
func TestNothingTravelsInAContext(t *testing.T) {
	files := 0
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if use, ok := n.(*ast.SelectorExpr); ok && use.Sel.Name == "WithValue" {
				t.Errorf("%s puts a value into a context", name)
			}
			return true
		})
		return nil
	})
	if err != nil || files < 100 {
		t.Errorf("%d files: %v", files, err)
	}
}

// TestSQL checks that nobody but store knows SQL.
func TestSQL(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		pkg, imports, _ := strings.Cut(line, " ")
		for _, imported := range strings.Fields(imports) {
			database := imported == "database/sql" || strings.HasPrefix(imported, "github.com/jackc/pgx/") || strings.HasPrefix(imported, "modernc.org/")
			if database && pkg != module+"internal/service/store" && pkg != module+"internal/service/store/storetest" {
				t.Errorf("%s imports %s", pkg, imported)
			}
		}
	}
}

func dependencies(t *testing.T, pkg string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", pkg).Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", pkg, err)
	}
	return strings.Fields(string(out))
}

// TestREADME checks that the README's Go code is the runnable example.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```go\n")
	code, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("the README has no Go code")
	}
	for line := range strings.Lines(code) {
		if !strings.Contains(string(example), strings.TrimSpace(line)) {
			t.Errorf("not in the example: %s", line)
		}
	}
}

// TestReasonsAreDocumented checks that the README says of every reason what
// follows from it.
func TestReasonsAreDocumented(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range rcpt.Reasons() {
		if !strings.Contains(string(readme), "`"+string(reason)+"`") {
			t.Errorf("the README lacks %s", reason)
		}
	}
}
