package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/enginetest"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// oldHosts is a world in which an address can have every field of AfterShip's
// result, and every fault that must not become a refusal.
func oldHosts(t *testing.T) *enginetest.World {
	world := enginetest.New(t)
	boxes := map[string]smtptest.Mailbox{"alice": smtptest.Accepts, "full": smtptest.Full, "gone": smtptest.Disabled}
	for _, name := range []string{"works.test", "mailinator.com"} {
		world.Domain(name, &smtptest.Host{Mailboxes: boxes})
	}
	world.Domain("docomo.ne.jp", &smtptest.Host{CatchAll: true})
	world.Domain("blocks.test", &smtptest.Host{Greeting: "554 5.7.1 Your IP address is on a block list"})
	world.Domain("refuses.test", nil)
	world.Domain("silent.test", &smtptest.Host{GreetingDelay: time.Hour})
	host := world.Domain("mx.a-only.test", &smtptest.Host{Mailboxes: boxes})
	world.DNS.Add("a-only.test. A " + host.String() + "\nnowhere.test. MX 10 mx.nowhere.test.\nnull.test. MX 0 .\nempty.test. TXT \"no mail\"\n")
	for name, kind := range map[string]dnstest.Kind{"servfail.test": dnstest.ServFail, "lost.test": dnstest.Lose, "refused-dns.test": dnstest.Refused} {
		world.DNS.Break(dnstest.Fault{Name: name, Kind: kind})
	}
	return world
}

// TestAfterShip: each field of the old result, for each thing that can become
// of an address. Nothing but what is proven refuses a visitor there: neither
// valid nor has_mx_records is false for a fault of ours or of the mail host.
func TestAfterShip(t *testing.T) {
	host := func(s string) string { // of {"host_exists":true}, and what else is true
		return `"smtp":{` + s + `}`
	}
	const dead, answers = `"reachable":"no"`, `"host_exists":true`
	for _, tt := range []struct {
		level   engine.Level
		address string
		reason  rcpt.Reason
		want    string // what is not false, null or "", but email, username, domain, valid and has_mx_records
		isNot   string // what of valid and has_mx_records is false
	}{
		{address: "alice@works.test", reason: rcpt.ReasonRecipientAccepted, want: `"reachable":"yes",` + host(answers+`,"deliverable":true`)},
		{address: "bob@works.test", reason: rcpt.ReasonMailboxNotFound, want: dead + "," + host(answers)},
		{address: "full@works.test", reason: rcpt.ReasonMailboxFull, want: host(answers + `,"full_inbox":true`)},
		{address: "gone@works.test", reason: rcpt.ReasonMailboxDisabled, want: dead + "," + host(answers+`,"disabled":true`)},
		{address: "sales@a-only.test", reason: rcpt.ReasonMailboxNotFound, want: dead + `,"role_account":true,` + host(answers)},
		{address: "a..b@docomo.ne.jp", reason: rcpt.ReasonCatchAll, want: `"free":true,` + host(answers+`,"catch_all":true`)},
		{address: "alice@mailinator.com", reason: rcpt.ReasonRecipientAccepted, want: `"reachable":"yes","disposable":true,` + host(answers+`,"deliverable":true`)},
		{address: "alice@blocks.test", reason: rcpt.ReasonBlocked, want: host(answers)},
		{address: "alice@refuses.test", reason: rcpt.ReasonConnectionFailed, want: host("")},
		{address: "alice@silent.test", reason: rcpt.ReasonConnectionTimeout, want: host("")},

		{address: "alice@servfail.test", reason: rcpt.ReasonDNSTemporary},
		{address: "alice@lost.test", reason: rcpt.ReasonDNSTemporary},
		{address: "alice@refused-dns.test", reason: rcpt.ReasonDNSTemporary},
		{level: engine.LevelDNS, address: "alice@servfail.test", reason: rcpt.ReasonDNSTemporary},
		{level: engine.LevelDNS, address: "info@works.test", reason: rcpt.ReasonLevelReached, want: `"role_account":true`},
		{level: engine.LevelSyntax, address: "alice@works.test", reason: rcpt.ReasonLevelReached},

		{address: "alice@nowhere.test", reason: rcpt.ReasonNoMailHost, want: dead, isNot: "mx"},
		{address: "alice@empty.test", reason: rcpt.ReasonNoMailHost, want: dead, isNot: "mx"},
		{address: "alice@missing.test", reason: rcpt.ReasonDomainNotFound, want: dead, isNot: "mx"},
		{address: "alice@null.test", reason: rcpt.ReasonNullMX, want: dead, isNot: "mx"},
		{level: engine.LevelDNS, address: "alice@nowhere.test", reason: rcpt.ReasonNoMailHost, want: dead, isNot: "mx"},

		{address: "alice@gmail", reason: rcpt.ReasonUnsupportedAddress, want: `"suggestion":"gmail.com"`, isNot: "valid"},
		{address: "alice@[192.0.2.1]", reason: rcpt.ReasonUnsupportedAddress, isNot: "valid"},
		{address: "alice", reason: rcpt.ReasonInvalidSyntax, want: dead, isNot: "valid"},
		{address: "", reason: rcpt.ReasonInvalidSyntax, want: dead, isNot: "valid"},
	} {
		synctest.Test(t, func(t *testing.T) {
			result, err := oldHosts(t).Verifier(engine.Config{Level: tt.level}).Verify(t.Context(), tt.address)
			if err != nil || result.Reason != tt.reason {
				t.Fatalf("%s: %s, %v", tt.address, result.Reason, err)
			}
			compareAfterShip(t, result, tt.want, tt.isNot)
		})
	}
}

// compareAfterShip compares the JSON of a result as AfterShip's with want, to
// which it adds what goes without saying.
func compareAfterShip(t *testing.T, result rcpt.Result, want, isNot string) {
	t.Helper()
	text, err := json.Marshal(toAfterShip(result))
	if err != nil {
		t.Fatal(err)
	}
	var got, wanted afterShip
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte("{"+want+"}"), &wanted); err != nil {
		t.Fatal(err)
	}
	wanted.Email, wanted.Syntax.Username, wanted.Syntax.Domain = result.Email, result.Local, result.Domain
	wanted.Syntax.Valid, wanted.HasMxRecords = isNot != "valid", isNot == ""
	if wanted.Reachable == "" {
		wanted.Reachable = "unknown"
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("%s, %s: %s", result.Email, result.Reason, diff)
	}
}

// TestAfterShipClosedPort: the fault of a network that blocks port 25 is not
// that of the domain.
func TestAfterShipClosedPort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, _ := closedPort(t, engine.Config{})
		for range 2 {
			result := verify(t, v, "alice@site2.test")
			wantReason(t, result, rcpt.ReasonPortBlocked)
			if got := toAfterShip(result); got.Reachable != "unknown" || !got.Syntax.Valid || !got.HasMxRecords || got.SMTP != nil && got.SMTP.HostExists {
				t.Errorf("%+v", got)
			}
		}
	})
}

// TestAfterShipWithoutAnswer: a result beside an error has the flags, and
// neither a verdict nor a missing mail host.
func TestAfterShipWithoutAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := oldHosts(t).Verifier(engine.Config{})
		ended, end := context.WithCancel(t.Context())
		end()
		result, err := v.Verify(ended, "info@mailinator.com")
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		compareAfterShip(t, result, `"disposable":true,"role_account":true`, "")
		result, err = v.VerifyWith(t.Context(), "alice@silent.test", engine.VerifyOptions{Timeout: time.Second, Detach: true})
		if !errors.Is(err, engine.ErrNotYet) {
			t.Error(err)
		}
		compareAfterShip(t, result, "", "")
		result, err = v.Verify(ended, "alice@gmail")
		if err != nil {
			t.Error(err)
		}
		compareAfterShip(t, result, `"suggestion":"gmail.com"`, "valid")
	})
}

// TestAfterShipForm checks what the form answers, under a context that has
// ended, too.
// What is not known turns nobody away.
func TestAfterShipForm(t *testing.T) {
	const notKept = "Please use an address that you keep."
	ended, end := context.WithCancel(t.Context())
	end()
	for _, tt := range []struct{ email, problem, afterEnd string }{
		{"alice@works.test", "", ""},
		{"Alice <alice@works.test>", "", ""},
		{"bob@works.test", "The mail host says that the mailbox does not exist.", ""},
		{"alice@mailinator.com", notKept, notKept},
		{"alice@servfail.test", "", ""},
		{"alice@refuses.test", "", ""},
		{"alice@silent.test", "", ""},
		{"alice@blocks.test", "", ""},
		{"full@works.test", "", ""},
		{"alice@gmail", "Did you mean alice@gmail.com?", "Did you mean alice@gmail.com?"},
		{"N/A", "There is no address.", "There is no address."},
	} {
		synctest.Test(t, func(t *testing.T) {
			form, began := formVerifier(oldHosts(t).Verifier(engine.Config{})), time.Now()
			if got := check(t.Context(), form, tt.email); got != tt.problem || time.Since(began) > 5*time.Second {
				t.Errorf("%s: %q after %v", tt.email, got, time.Since(began))
			}
			if got := check(ended, form, tt.email); got != tt.afterEnd {
				t.Errorf("%s, after the context has ended: %q", tt.email, got)
			}
		})
	}
}

// TestAfterShipPage: the code of rcpt's on the page is that of these files.
func TestAfterShipPage(t *testing.T) {
	page, err := os.ReadFile("../docs/from-aftership.md")
	if err != nil {
		t.Fatal(err)
	}
	var tested []byte
	for _, name := range []string{"example_aftership_test.go", "moved_test.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tested = append(tested, text...)
	}
	quoted := 0
	for i, block := range strings.Split(string(page), "```go\n") {
		code, _, _ := strings.Cut(block, "```")
		if i == 0 || strings.HasPrefix(code, "package ") {
			continue // it is of the other module
		}
		if quoted++; !strings.Contains(string(tested), code) {
			t.Errorf("not tested:\n%s", code)
		}
	}
	if quoted != 3 {
		t.Errorf("%d blocks are quoted", quoted)
	}
}
