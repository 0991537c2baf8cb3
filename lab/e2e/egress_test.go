//go:build e2e && linux

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// egressFile has a SOCKS5 server that is not there, a real one, which connects
// from 127.0.0.111, and a source address.
const egressFile = `
egress:
  - {name: dead, proxy: "socks5://127.0.0.102:1080"}
  - {name: socks, proxy: "socks5://user:secret@127.0.0.101:1080", helo: socks.example, mail_from: verify@socks.example}
  - {name: address, source_ip: 127.0.0.112, helo: address.example}
routes:
  postfix.example: [dead, socks]
  exim.example: [dead, address]
`

// testEgresses asks Postfix by a SOCKS5 server of Debian, and Exim from a
// source address, beside a dead proxy. The mail servers' logs name the clients.
func testEgresses(t *testing.T, w *world) {
	if _, err := os.Stat(filepath.Join(w.dir, "packages", "base", "usr/bin/microsocks")); err != nil {
		t.Skip("there is no microsocks: ", err)
	}
	err := w.postfix.start("microsocks", "/usr/bin/microsocks", "-i", "127.0.0.101", "-p", "1080", "-u", "user", "-P", "secret", "-b", "127.0.0.111")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.awaitListening("127.0.0.101:1080"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rcpt.yaml")
	if err := os.WriteFile(file, []byte(egressFile), 0o600); err != nil {
		t.Fatal(err)
	}
	wants := map[string]string{
		"alice@local.pf.example": "deliverable", "ghost@local.pf.example": "undeliverable",
		"alice@stock.ex.example": "deliverable", "ghost@stock.ex.example": "undeliverable",
	}
	args := append(question{}.flags(), "--config", file)
	for address := range wants {
		args = append(args, address)
	}
	out, err := runRcpt(rcptTimeout, "", args...)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		var got struct {
			record
			Email string
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if want := wants[got.Email]; got.Result != want {
			t.Errorf("%s is %s (%s), want %s\n%s", got.Email, got.Result, got.Details.Reason, want, got.Details.Transcript)
		}
		helo, sender := "EHLO address.example", "MAIL FROM:<>"
		if strings.HasSuffix(got.Email, "pf.example") {
			helo, sender = "EHLO socks.example", "MAIL FROM:<verify@socks.example>"
		}
		if said := got.Details.Transcript.String(); !strings.Contains(said, helo) || !strings.Contains(said, sender) {
			t.Errorf("%s: no %q and %q in\n%s", got.Email, helo, sender, said)
		}
	}
	awaitInLog(t, w.postfix.path("var/log/postfix.log"), `disconnect from \S+\[127\.0\.0\.111\] .*quit=1`)
	awaitInLog(t, w.exim.path("var/log/exim4/mainlog"), `H=\(address\.example\) \[127\.0\.0\.112\]`)
}

// awaitInLog waits until a line of a log matches.
func awaitInLog(t *testing.T, file, pattern string) {
	t.Helper()
	var log []byte
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		log, _ = os.ReadFile(file)
		if regexp.MustCompile(pattern).Match(log) {
			return
		}
	}
	tail := log[max(0, len(log)-2000):]
	t.Errorf("no line of %s matches %s:\n%s", filepath.Base(file), pattern, tail)
}
