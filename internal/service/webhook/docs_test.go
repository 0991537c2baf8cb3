package webhook

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// TestReceiversOfTheDocs runs the programs of docs/webhooks.md: they confirm
// what we send, with either secret, once, and refuse what was changed.
func TestReceiversOfTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../../docs/webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ language, file, program string }{{"go", "main.go", "go"}, {"python", "main.py", "python3"}, {"js", "main.js", "node"}} {
		t.Run(c.language, func(t *testing.T) {
			program, err := exec.LookPath(c.program)
			if err != nil {
				t.Skipf("SKIPPED: %s is not installed", c.program)
			}
			code := regexp.MustCompile("(?s)```" + c.language + "\n(.*?)```").FindSubmatch(page)
			if code == nil {
				t.Fatal("the page has no such program")
			}
			file := filepath.Join(t.TempDir(), c.file)
			if err := os.WriteFile(file, code[1], 0o600); err != nil {
				t.Fatal(err)
			}
			command := []string{program, file}
			if c.language == "go" {
				command = []string{filepath.Join(filepath.Dir(file), "receiver")}
				if out, err := exec.Command(program, "build", "-o", command[0], file).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			for _, secret := range secrets {
				tryReceiver(t, command, secret)
			}
		})
	}
}

// tryReceiver starts a receiver with one of the secrets and sends to it.
func tryReceiver(t *testing.T, command []string, secret string) {
	t.Helper()
	receiver := exec.CommandContext(t.Context(), command[0], command[1:]...)
	receiver.Env = append(os.Environ(), "PORT=0", "WEBHOOK_SECRET="+secret)
	var complaints bytes.Buffer
	receiver.Stderr = &complaints
	out, err := receiver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := receiver.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("it does not listen: %s", &complaints)
	}
	w := webhookTo("http://" + regexp.MustCompile(`\S+$`).FindString(lines.Text()) + "/hook")
	forged := w
	forged.Secrets = []string{"whsec_" + "QW5vdGhlciBzZWNyZXQgb2YgMjQgb2N0ZXRz"}
	last := w
	last.ID, last.Body = "msg_2", []byte(`{"type":"last"}`)
	for _, send := range []struct {
		w      rows.ClaimedWebhook
		status int
	}{{w, 204}, {w, 204}, {forged, 401}, {last, 204}} {
		if got := sends(t, send.w, nil); got.try.Status != send.status {
			t.Errorf("%s: %+v, want status %d", send.w.Body, got.try, send.status)
		}
	}
	old, err := (&Sender{}).request(t.Context(), w, time.Now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(old)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 401 {
		t.Errorf("an old webhook gets %d", answer.StatusCode)
	}
	for _, want := range []string{"received job.completed", "received last"} {
		if !lines.Scan() || lines.Text() != want {
			t.Errorf("it printed %q, want %q", lines.Text(), want)
		}
	}
	_ = receiver.Process.Kill()
	_ = receiver.Wait()
}
