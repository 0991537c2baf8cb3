package dashboard

import (
	"context"
	"encoding/json"
	"html"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/web/dashboard/dashboardtest"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestCheckCleans: the address is checked that a person means, and the page
// says what was removed.
func TestCheckCleans(t *testing.T) {
	var asked []string
	w := newWorld(t, func(c *Config) {
		c.Check = func(ctx context.Context, address string) (rcpt.Result, error) {
			asked = append(asked, address)
			return dashboardtest.Checked(ctx, address)
		}
	})
	w.setUp(t)
	got := html.UnescapeString(w.post(t, "/check", "/check", "email", "Ada Lovelace <ada@acme.example>").body)
	for _, fact := range []string{"Cleaned from “Ada Lovelace <ada@acme.example>”", " removed.</p>", `data-email="ada@acme.example"`, `value="Ada Lovelace <ada@acme.example>"`, `"given": "Ada Lovelace`} {
		if !strings.Contains(got, fact) {
			t.Errorf("no %q\n%s", fact, got)
		}
	}
	if got := w.post(t, "/check", "/check", "email", "ada@acme.example").body; strings.Contains(got, "Cleaned from") {
		t.Error("an address that needs no cleaning was cleaned")
	}
	for text, fault := range map[string]string{"a@acme.example; b@acme.example": "several addresses", "N/A": "contains no address"} {
		if got := w.post(t, "/check", "/check", "email", text); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.body, fault) || !strings.Contains(got.body, `value="`+text+`"`) {
			t.Errorf("%s: %d", text, got.StatusCode)
		}
	}
	if strings.Join(asked, " ") != "ada@acme.example ada@acme.example" {
		t.Errorf("checked: %q", asked)
	}
}

// TestSuggestion: it is a button that checks it.
func TestSuggestion(t *testing.T) {
	w := newWorld(t, func(c *Config) {
		c.Check = func(ctx context.Context, address string) (rcpt.Result, error) {
			r, err := dashboardtest.Checked(ctx, address)
			r.Suggestion = `"a&b"@acme.example`
			return r, err
		}
	})
	w.setUp(t)
	if got := w.post(t, "/check", "/check", "email", "nobody@acme.exampel").body; !strings.Contains(got, `name="email" value="&#34;a&amp;b&#34;@acme.example">`) {
		t.Errorf("%s", got)
	}
}

var copied = regexp.MustCompile(`(?s)<code id="as-(json|curl)">(.*?)</code>`)

// TestCopies: the record is one of the API, and the command has the address as
// one word, whatever is in it.
func TestCopies(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	const odd = `o'neil$(touch x)"; ls@acme.example`
	got := w.post(t, "/check", "/check", "email", odd).body
	texts := map[string]string{}
	for _, found := range copied.FindAllStringSubmatch(got, -1) {
		texts[found[1]] = html.UnescapeString(found[2])
	}
	var record rcpt.Result
	if err := json.Unmarshal([]byte(texts["json"]), &record); err != nil || record.Email != odd || record.Reason != rcpt.ReasonRecipientAccepted || len(record.Details.Transcript) > 0 {
		t.Errorf("%v\n%s", err, texts["json"])
	}
	if !strings.Contains(texts["curl"], w.server.URL+"/api/v1/verify") || !strings.Contains(texts["curl"], "details=1") {
		t.Errorf("%s", texts["curl"])
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh to read the command")
	}
	words, err := exec.Command(shell, "-c", `curl() { printf '%s\n' "$@"; }; `+texts["curl"]).Output()
	if err != nil || !strings.Contains(string(words), "\nemail="+odd+"\n") {
		t.Errorf("%v\n%s", err, words)
	}
}

// TestKeptSession: the page says that times go on from an earlier check.
func TestKeptSession(t *testing.T) {
	d := &rcpt.Details{Duration: 24 * time.Millisecond, Transcript: []smtp.Line{{At: 3 * time.Millisecond}, {At: 6280 * time.Millisecond}}}
	if !beganBefore(d) {
		t.Error("a kept session")
	}
	d.Duration = 6300 * time.Millisecond
	if beganBefore(d) || beganBefore(&rcpt.Details{}) {
		t.Error("a fresh one, or none")
	}
}

// TestStart: the first page leads to what a visitor may have come for, and says
// how the server is.
func TestStart(t *testing.T) {
	fault := ""
	w := newWorld(t, func(c *Config) {
		c.Health = func(context.Context) Health {
			return Health{Checks: []NetworkCheck{{Name: "Port 25", Tested: true, Fault: fault, Advice: "Open it."}}}
		}
	})
	w.setUp(t)
	page := w.get(t, "/").body
	for _, want := range []string{`action="/check"`, `href="/keys/new"`, `href="/docs/guide"`, "Everything works."} {
		if !strings.Contains(page, want) {
			t.Errorf("the first page lacks %s", want)
		}
	}
	fault = "it is closed"
	if page := w.get(t, "/").body; strings.Contains(page, "Everything works.") || !strings.Contains(page, "Port 25: it is closed. Open it.") {
		t.Errorf("a fault is not told:\n%s", page)
	}
}
