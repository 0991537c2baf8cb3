package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/openapi/openapitest"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/server/client"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"go.uber.org/goleak"
)

const key = "rcpt_a-key-for-tests"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// full is a result with all that there can be in it.
func full(address string) engine.Result {
	return engine.Result{
		Email: address, Local: "alice", Domain: "acme.example", AcceptAll: true, Role: true, Free: true, Disposable: true, SpamTrap: true,
		Verdict: engine.VerdictUnknown, Message: "Come back.",
		Reason: engine.ReasonGreylisted, RetryAt: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC).Add(5*time.Minute + 187*time.Millisecond), Suggestion: "alice@acme.test", CheckedAt: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC), Details: &engine.Details{Provider: "gmail", Irregular: []engine.Irregularity{{Reason: "domain_character", Detail: "\"_\" may not stand in a domain"}}, MX: []engine.MX{{Host: "mx.acme.example", Preference: 10}}, CatchAll: engine.CatchAllUnknown, Matches: []lists.Match{{List: lists.KindRole, Entry: "alice", Source: "mine.txt", Group: "people", Confidence: lists.ConfidenceCurated}}, SMTP: &engine.SMTPAnswer{Host: "mx.acme.example", IP: "192.0.2.1", Phase: smtp.PhaseRCPT, Code: 451, Enhanced: "4.7.1", Text: "Later", Rule: "greylisted"}, Transcript: []smtp.Line{{From: "S", Text: "220 <mx>", At: 12 * time.Millisecond}}, Cached: true, Duration: 187 * time.Millisecond},
	}
}

// verifier answers with the full result, or as one that cannot work.
type verifier struct{}

func (verifier) Verify(_ context.Context, address string) (engine.Result, error) {
	if address == "short" {
		return engine.Result{Email: address, Verdict: engine.VerdictUndeliverable, Message: "No address.", Reason: engine.ReasonInvalidSyntax, Details: &engine.Details{CatchAll: engine.CatchAllUnknown}}, nil
	}
	return full(address), nil
}

func (v verifier) VerifyWith(ctx context.Context, address string, _ engine.VerifyOptions) (engine.Result, error) {
	return v.Verify(ctx, address)
}

func (verifier) Recall(context.Context, string) (engine.Result, bool) { return engine.Result{}, false }

// books has one day of usage.
type books struct{}

func (books) Usage(_ context.Context, q store.UsageQuery) ([]store.Usage, error) {
	return []store.Usage{{Key: q.Key, Day: q.From, Result: "unknown", Reason: "greylisted", Cached: true, Count: 7}}, nil
}

func (books) QuotaUsed(context.Context, string, time.Time) (int64, error) { return 0, nil }

// newService is a real server, on loopback.
func newService(t *testing.T) *httptest.Server {
	t.Helper()
	s, err := api.New(api.Config{Verifier: verifier{}, Keys: fixed(key), Usage: books{}})
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(s.Handler())
	t.Cleanup(listening.Close)
	return listening
}

func newServiceClient(t *testing.T, key string) *client.Client {
	t.Helper()
	listening := newService(t)
	contract, err := openapitest.New()
	if err != nil {
		t.Fatal(err)
	}
	held := &openapitest.Transport{Base: listening.Client().Transport, Contract: contract, Fault: func(err error) { t.Error(err) }}
	c, err := client.New(client.Config{URL: listening.URL, Key: key, HTTP: &http.Client{Transport: held}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAllOfARecord: all that the server writes, the client reads.
func TestAllOfARecord(t *testing.T) {
	c := newServiceClient(t, key)
	for _, options := range []client.Options{
		{Details: true}, {Transcript: true}, {Details: true, Transcript: true, Fresh: true, Timeout: time.Second}, {},
	} {
		want := full("alice@acme.example")
		if !options.Details && !options.Transcript {
			want.Details = nil
		} else if !options.Transcript {
			want.Details.Transcript = nil
		}
		got, err := c.Verify(t.Context(), want.Email, options)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tree(t, want), tree(t, got), cmpopts.IgnoreMapEntries(func(_ string, v any) bool { return v == nil })); diff != "" {
			t.Errorf("the server's (-) and the client's (+) differ:\n%s", diff)
		}
	}
}

// TestAllOfSeveral: several addresses are answered in their order, cleaned
// where that is wanted.
func TestAllOfSeveral(t *testing.T) {
	c := newServiceClient(t, key)
	got, err := c.VerifyAll(t.Context(), []string{"alice@acme.example", "short", "Bob <bob@acme.example>"}, client.Options{Details: true, Clean: true})
	if err != nil || len(got) != 3 {
		t.Fatalf("%d results: %v", len(got), err)
	}
	if got[0].Email != "alice@acme.example" || got[1].Email != "short" || got[2].Email != "bob@acme.example" || got[2].Details.Given != "Bob <bob@acme.example>" {
		t.Errorf("%+v", got)
	}
	for _, n := range []int{0, 101} {
		if _, err := c.VerifyAll(t.Context(), make([]string, n), client.Options{}); err == nil {
			t.Errorf("%d addresses: no error", n)
		}
	}
	var told *client.Error
	if _, err := c.VerifyAll(t.Context(), []string{"a@b.example", " "}, client.Options{}); !errors.As(err, &told) || told.Code != "no_address" {
		t.Errorf("an empty address: %v", err)
	}
}

// tree is a value as JSON has it, with flags as numbers.
func tree(t *testing.T, v any) (out map[string]any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte(`:true`), []byte(`:1`)), []byte(`:false`), []byte(`:0`))
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestShortForm(t *testing.T) {
	got, err := newServiceClient(t, key).Verify(t.Context(), "short", client.Options{})
	want := client.Verification{Email: "short", Success: true, Verdict: client.VerdictUndeliverable, Message: "No address."}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestUsageOfServer(t *testing.T) {
	day := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	got, err := newServiceClient(t, key).Usage(t.Context(), day, day)
	if err != nil {
		t.Fatal(err)
	}
	want := []client.Day{{Day: "2026-02-03", Verifications: 7, Cached: 7, Results: map[client.Verdict]int64{client.VerdictUnknown: 7}, Reasons: map[string]int64{"greylisted": 7}}}
	if diff := cmp.Diff(want, got.Days); diff != "" || got.Used != 7 || got.Quota != nil {
		t.Errorf("%+v (-want +got):\n%s", got, diff)
	}
}

func TestErrorsOfServer(t *testing.T) {
	var told *client.Error
	_, err := newServiceClient(t, "rcpt_another-key").Verify(t.Context(), "a@b.example", client.Options{})
	if !errors.As(err, &told) || told.Status != http.StatusUnauthorized || told.Message != "Unauthorized" || told.RequestID == "" {
		t.Errorf("a wrong key: %v", err)
	}
	_, err = newServiceClient(t, key).Verify(t.Context(), "", client.Options{})
	if !errors.As(err, &told) || told.Status != http.StatusBadRequest || told.Message == "" || told.Code != "missing_parameter" {
		t.Errorf("no address: %v", err)
	}
}

// fixed is a keyring with one key, which has no limits.
func fixed(key string) *keyring.Keyring {
	keys, err := keyring.Open(context.Background(), keyring.Config{Fixed: key})
	if err != nil {
		log.Fatal(err)
	}
	return keys
}
