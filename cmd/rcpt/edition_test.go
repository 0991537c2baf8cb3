package main

import (
	"crypto/rand"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"aead.dev/minisign"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/listupdate/editiontest"
)

// bundleFile is the embedded edition.
const bundleFile = "../../lists/data/lists.bundle"

func editionFor(t *testing.T, edits ...string) []byte {
	t.Helper()
	data, err := editiontest.Another(bundleFile, edits...)
	check(t, err)
	return data
}

// makeEdition is the command "edition FILE [PATTERN REPLACEMENT]..." of the
// scripts. It writes another edition.
func makeEdition(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args)%2 == 0 {
		ts.Fatalf("usage: edition FILE [PATTERN REPLACEMENT]...")
	}
	data, err := editiontest.Another(bundleFile, args[1:]...)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

// signer returns the command "sign FILE" of the scripts, which writes the
// signature of a file beside it, and the public key.
func signer(t *testing.T) (func(*testscript.TestScript, bool, []string), string) {
	t.Helper()
	public, private, err := minisign.GenerateKey(rand.Reader)
	check(t, err)
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: sign FILE")
		}
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[0])+".minisig", minisign.Sign(private, data), 0o600))
	}, public.String()
}

// buildWithKey builds the command with another public key of the releases.
func buildWithKey(t *testing.T, key string) (rcpt string) {
	t.Helper()
	dir := t.TempDir()
	rcpt = filepath.Join(dir, "rcpt.exe")
	embedded, err := filepath.Abs(filepath.Join("..", "..", "lists", "signed", "release.pub"))
	check(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{embedded: filepath.Join(dir, "key")}})
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "key"), []byte(key), 0o600))
	check(t, os.WriteFile(filepath.Join(dir, "overlay"), overlay, 0o600))
	if out, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay"), "-o", rcpt, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return rcpt
}

// TestBuildWithKey: a build takes the editions that the key in it has signed,
// and no others; one without a key says what to do.
func TestBuildWithKey(t *testing.T) {
	takesLong(t)
	public, private, err := minisign.GenerateKey(rand.Reader)
	check(t, err)
	text, err := public.MarshalText() // as "minisign -G" writes it
	check(t, err)
	_, stranger, err := minisign.GenerateKey(rand.Reader)
	check(t, err)
	without, with := buildWithKey(t, ""), buildWithKey(t, string(text))
	data := editionFor(t, `(?m)^date: .*`, "date: 2999-01-01")
	feed := filepath.Join(t.TempDir(), "lists.bundle")
	check(t, os.WriteFile(feed, data, 0o600))
	for _, c := range []struct {
		name, rcpt string
		key        minisign.PrivateKey
		code       int
		says       string
	}{
		{"no key in the build", without, private, exitUsage, `: this build has no key to check the signature with: name one with --feed-key, or an edition that you trust with --from$`},
		{"by another key", with, stranger, exitFailed, `: the signature is by another key, [0-9A-F]{16}$`},
		{"by the key in the build", with, private, exitDone, `^Lists of 2999-01-01 are now in `},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, os.WriteFile(feed+".minisig", minisign.Sign(c.key, data), 0o600))
			command := exec.Command(c.rcpt, "lists", "update", "--data", t.TempDir(), "--feed", feed)
			out, _ := command.CombinedOutput()
			if code := command.ProcessState.ExitCode(); code != c.code || !regexp.MustCompile("(?m)"+c.says).Match(out) {
				t.Errorf("exit code %d, %s", code, out)
			}
		})
	}
}
