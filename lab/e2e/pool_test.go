//go:build e2e && linux

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// poolFile has an egress that works, one that Postfix refuses, and one that is
// a SOCKS5 server that is not there.
const poolFile = `
egress:
  - {name: good, source_ip: 127.0.113.1}
  - {name: refused, source_ip: ` + refusedEgress + `}
  - {name: dead, proxy: "socks5://127.0.115.1:1080"}
`

// fourthEgress is added while the server runs.
const fourthEgress = "  - {name: fourth, source_ip: 127.0.116.1}\n"

// testPool asks many Postfix hosts through three egresses, of which one is
// refused and one is dead: work continues, and no verdict is wrong. A fourth,
// added while the server runs, takes its share, and hosts that greylisted an
// egress before are asked by the same one.
func testPool(t *testing.T, w *world) {
	s := startPoolServer(t)
	// What the refused egress was told before the pause stays unknown.
	refused := 0
	for _, r := range s.verify(t, poolHosts) {
		if r.Result == "unknown" && r.Details.Reason == "blocked" {
			refused++
			continue
		}
		r.checkPool(t)
	}
	if refused == 0 {
		t.Error("no host refused an egress")
	}
	s.awaitLog(t, `msg="provider refuses us, and is paused" provider=pool\.example egress=refused`)
	// Now the others have its share, and that of the dead one.
	for _, r := range s.verify(t, poolHosts) {
		r.checkPool(t)
	}

	for _, r := range s.verify(t, greyHosts) {
		if r.Result != "unknown" || r.Details.Reason != "greylisted" {
			t.Errorf("at first, %s is %s (%s)\n%s", r.Email, r.Result, r.Details.Reason, r.Details.Transcript)
		}
	}
	passes := time.Now().Add(postgreyDelay + time.Second)
	s.change(t, poolFile+fourthEgress)
	for _, r := range s.verify(t, poolHosts) {
		r.checkPool(t)
	}
	log, err := os.ReadFile(w.postfix.path("var/log/postfix.log"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(log, []byte(": connect from unknown[127.0.116.1]")); n < poolHosts.last/8 {
		t.Errorf("the fourth egress had %d sessions with %d hosts", n, poolHosts.last)
	}
	time.Sleep(time.Until(passes))
	for _, r := range s.verify(t, greyHosts) {
		r.checkPool(t)
	}
}

// poolServer is rcpt serve with a file of egresses.
type poolServer struct {
	command *exec.Cmd
	file    string
	log     string
}

const (
	poolListen = "127.0.0.1:18080"
	poolKey    = "0123456789abcdef0123456789abcdef"
)

func startPoolServer(t *testing.T) *poolServer {
	t.Helper()
	dir := t.TempDir()
	s := &poolServer{file: filepath.Join(dir, "rcpt.yaml"), log: filepath.Join(dir, "log")}
	if err := os.WriteFile(s.file, []byte(poolFile), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--config", s.file, "serve", "--listen", poolListen, "--data", dir, "--remember", "0",
		"--resolver", "127.0.0.53:53", "--helo", "probe.example"}, allowNets...)
	s.command = exec.Command(os.Getenv(envRcpt), args...)
	s.command.Env = append(os.Environ(), "RCPT_API_KEY="+poolKey)
	output, err := os.Create(s.log)
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	s.command.Stderr = output
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.command.Process.Signal(syscall.SIGTERM)
		if err := s.command.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
		if log, err := os.ReadFile(s.log); t.Failed() && err == nil {
			t.Logf("%s", log)
		}
	})
	s.awaitLog(t, `(?m)^rcpt listens on `)
	return s
}

func (s *poolServer) awaitLog(t *testing.T, pattern string) {
	t.Helper()
	awaitInLog(t, s.log, pattern)
}

// change gives the server another file.
func (s *poolServer) change(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(s.file, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.command.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	s.awaitLog(t, `msg="egresses read again" .*fourth`)
}

// poolRecord is an answer of the server.
type poolRecord struct {
	record
	Email string
}

// checkPool: alice is everywhere, and ghost nowhere.
func (r poolRecord) checkPool(t *testing.T) {
	t.Helper()
	want := "deliverable"
	if strings.HasPrefix(r.Email, "ghost") {
		want = "undeliverable"
	}
	if r.Result != want {
		t.Errorf("%s is %s (%s), want %s: %s\n%s", r.Email, r.Result, r.Details.Reason, want, r.Message, r.Details.Transcript)
	}
}

// verify asks about a mailbox and a missing one at each of the hosts; where
// they greylist, about the mailbox.
func (s *poolServer) verify(t *testing.T, hosts hostGroup) []poolRecord {
	t.Helper()
	var question struct {
		Emails []string `json:"emails"`
	}
	for n := hosts.first; n <= hosts.last; n++ {
		question.Emails = append(question.Emails, "alice@"+hosts.domain(n))
		if !hosts.greylists {
			question.Emails = append(question.Emails, "ghost@"+hosts.domain(n))
		}
	}
	body, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	url := fmt.Sprintf("http://%s/api/v1/verify?details=1&transcript=1&timeout=%d", poolListen, int(rcptTimeout.Seconds()/2))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+poolKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Message string
		Results []poolRecord
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || len(answer.Results) != len(question.Emails) {
		t.Fatalf("%d answers to %d questions, status %d, %v, %s", len(answer.Results), len(question.Emails), response.StatusCode, err, answer.Message)
	}
	return answer.Results
}
