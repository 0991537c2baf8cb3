package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
)

// signUpPrograms are how the programs of docs/signup.md are run. The calls
// print what is decided about the addresses that are given, each line an
// action: first that the visitor means the address, then that not.
var signUpPrograms = []struct {
	language  string
	runs      []string // prints something; without it the language is left out
	test      []string
	decide    []string
	silent    []string // ends well if a visitor is let in, in time
	installed string
}{
	{
		language: "Python", runs: []string{"python3", "--version"}, test: []string{"python3", "signup_test.py"}, installed: "Python 3",
		decide: []string{"python3", "-c", "import sys, signup\nfor e in sys.argv[1:]:\n for sure in True, False: print(signup.decide(signup.ask(e), sure)[0])"},
		silent: []string{"python3", "-c", "import signup, time\nbegan = time.monotonic()\nassert signup.check('jane@acme.example') [0] == 'confirm'\nassert time.monotonic() - began < 3"},
	},
	{
		language: "TypeScript", runs: []string{"node", "--experimental-strip-types", "--version"}, installed: "Node.js 22.6",
		test:   []string{"node", "--experimental-strip-types", "--no-warnings", "--test", "signup.test.ts"},
		decide: []string{"node", "--experimental-strip-types", "--no-warnings", "decide.ts"},
		silent: []string{"node", "--experimental-strip-types", "--no-warnings", "silent.ts"},
	},
	{
		language: "PHP", runs: []string{"php", "--version"}, test: []string{"php", "signup_test.php"}, installed: "PHP 8 (php-cli)",
		decide: []string{"php", "-r", `require "signup.php"; foreach (array_slice($argv, 1) as $e) foreach ([true, false] as $sure) echo decide(ask($e), $sure)[0], "\n";`},
		silent: []string{"php", "-r", `require "signup.php"; $began = microtime(true); exit(check("jane@acme.example")[0] === "confirm" && microtime(true) - $began < 3 ? 0 : 1);`},
	},
}

// TestSignUpOfTheDocs runs the checks of docs/signup.md, and their tests, with
// a demo and a test key. In each language what is decided is what
// [rcpt.Result.FormAction] says, for every reason; and where a server takes
// connections and is silent, or is another one, or sends to another one, or
// never ends, the visitor is let in after two seconds, and no other server gets
// the key.
func TestSignUpOfTheDocs(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	check(t, err)
	dir := filepath.Join(t.TempDir(), "signup")
	files := signUpFiles(t, dir)
	n := startDemoNode(t, "rcpt_test_signup")
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { silent.Close() })
	another := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "null") }))
	t.Cleanup(another.Close)
	moved, endless := movedServer(t), httptest.NewServer(http.HandlerFunc(endlessAnswer))
	t.Cleanup(endless.Close)
	t.Run("Go", func(t *testing.T) {
		t.Parallel()
		overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
			filepath.Join(root, "signup", "signup.go"): files["signup.go"], filepath.Join(root, "signup", "signup_test.go"): files["signup_test.go"],
		}})
		check(t, err)
		config := filepath.Join(t.TempDir(), "overlay.json")
		check(t, os.WriteFile(config, overlay, 0o600))
		binary := filepath.Join(dir, "signup.test")
		try(t, 1, root, n.url, "go", "test", "-c", "-vet=off", "-overlay", config, "-o", binary, "./signup")
		try(t, 3, dir, n.url, binary)
	})
	addresses, want := decisions(t, n)
	for _, p := range signUpPrograms {
		t.Run(p.language, func(t *testing.T) {
			t.Parallel()
			if out, err := exec.Command(p.runs[0], p.runs[1:]...).CombinedOutput(); err != nil {
				t.Skipf("SKIPPED: %s is not installed: %v\n%s", p.installed, err, out)
			}
			got := try(t, 3, dir, n.url, append(p.decide, addresses...)...)
			if lines := strings.Fields(got); strings.Join(lines, " ") != strings.Join(want, " ") {
				t.Errorf("%v\n got %v\nwant %v", addresses, lines, want)
			}
			try(t, 3, dir, n.url, p.test...)
			for _, broken := range []string{"http://" + silent.Addr().String(), another.URL, moved, endless.URL} {
				try(t, 3, dir, broken, p.silent...)
			}
		})
	}
}

// movedServer returns the URL of a server that sends its clients to another
// one, which must not get their key.
func movedServer(t *testing.T) string {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-API-Key") != "" {
			t.Errorf("%s has sent its key to another server", r.UserAgent())
		}
		_, _ = io.WriteString(w, "null")
	}))
	t.Cleanup(other.Close)
	moved := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	t.Cleanup(moved.Close)
	return moved.URL
}

// endlessAnswer is JSON for as long as the client reads.
func endlessAnswer(w http.ResponseWriter, r *http.Request) {
	_, err := io.WriteString(w, "[")
	for part := strings.Repeat("1,", 1<<15); err == nil && r.Context().Err() == nil; {
		_, err = io.WriteString(w, part)
	}
}

// signUpFiles writes the programs of the page into a folder, and returns their
// paths by their names. The page names each file above its block.
func signUpFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "signup.md"))
	check(t, err)
	check(t, os.Mkdir(dir, 0o700))
	files := map[string]string{}
	for _, block := range regexp.MustCompile("(?m)^`(signup[^`]+)`.*(?:\n.+)*\n\n```\\w+\n((?s:.*?))^```").FindAllStringSubmatch(string(page), -1) {
		files[block[1]] = filepath.Join(dir, block[1])
		check(t, os.WriteFile(files[block[1]], []byte(block[2]), 0o600))
		if lines := strings.Count(regexp.MustCompile(`\n\s*\n`).ReplaceAllString(block[2], "\n"), "\n"); lines > 45 {
			t.Errorf("%s has %d lines", block[1], lines)
		}
	}
	if len(files) != 8 {
		t.Fatalf("the page has the files %v", files)
	}
	code, err := os.ReadFile(files["signup.ts"])
	check(t, err)
	for name, calls := range map[string]string{
		"decide.ts": "for (const e of process.argv.slice(2)) for (const sure of [true, false]) console.log(decide(await ask(e), sure).action);",
		"silent.ts": "const began = Date.now(); process.exit((await check('jane@acme.example')).action === 'confirm' && Date.now() - began < 3000 ? 0 : 1);",
	} {
		check(t, os.WriteFile(filepath.Join(dir, name), append(code, calls...), 0o600))
	}
	return files
}

// startDemoNode starts a demo with a key.
func startDemoNode(t *testing.T, key string) *node {
	t.Helper()
	p := start(t, []string{"RCPT_API_KEY=" + key, "TMPDIR=" + t.TempDir()}, "demo", "--listen", "127.0.0.1:0", "--log-level", "warn")
	n := &node{process: p, client: http.DefaultClient}
	n.url = p.await(p.stderr, `^rcpt listens on (http://\S+)$`)[1]
	go func() { _, _ = io.Copy(io.Discard, p.stderr) }()
	t.Cleanup(func() { _ = p.command.Process.Signal(os.Interrupt); _ = p.command.Wait() })
	return n
}

// decisions returns an address for every reason that a request for one address
// may get, and for each flag, and what a form does about each.
func decisions(t *testing.T, n *node) (addresses, want []string) {
	t.Helper()
	names := []string{"role", "free", "disposable", "spamtrap", "suggestion"}
	for _, reason := range rcpt.Reasons() {
		switch reason {
		case rcpt.ReasonNoAddress, rcpt.ReasonSeveralAddresses, rcpt.ReasonUnclearAddress, rcpt.ReasonInvalidRow: // in lists
		default:
			names = append(names, strings.ReplaceAll(string(reason), "_", "-"))
		}
	}
	for _, name := range names {
		address := name + "@acme.example"
		answer := n.mustVerify("rcpt_test_signup", address)
		if answer.status != http.StatusOK {
			continue
		}
		var result rcpt.Result
		check(t, json.Unmarshal([]byte(answer.body), &result))
		addresses = append(addresses, address)
		sure := result
		sure.Suggestion = ""
		want = append(want, string(sure.FormAction()), string(result.FormAction()))
	}
	if len(addresses) < 40 {
		t.Fatalf("only %v have answers", addresses)
	}
	return append(addresses, " "), append(want, "ask_again", "ask_again")
}

// try runs a command up to some times, until it ends well, and returns what it
// prints: where the machine is busy, an answer may take longer than two
// seconds.
func try(t *testing.T, times int, dir, url string, line ...string) string {
	t.Helper()
	for n := 1; ; n++ {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		command := exec.CommandContext(ctx, line[0], line[1:]...)
		command.Dir = dir
		command.Env = append(os.Environ(), "RCPT_URL="+url, "RCPT_API_KEY=rcpt_test_signup")
		var complaints strings.Builder
		command.Stderr = &complaints
		out, err := command.Output()
		cancel()
		if err == nil {
			return string(out)
		}
		if n >= times {
			t.Fatalf("%v: %v\n%s%s", command, err, out, &complaints)
		}
	}
}
