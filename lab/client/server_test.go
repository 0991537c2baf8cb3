package client_test

import (
	"context"
	"errors"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/openapi/openapitest"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/server"
	"github.com/rcpt/rcpt/server/client"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

const key = "rcpt_a-key-for-tests"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// full is a result with all that there can be in it.
func full(address string) rcpt.Result {
	return rcpt.Result{
		Email: address, Local: "alice", Domain: "acme.example", AcceptAll: true, Role: true, Free: true, Disposable: true, SpamTrap: true,
		Verdict: rcpt.VerdictUnknown, Message: "Come back.",
		Reason: rcpt.ReasonGreylisted, RetryAt: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC).Add(5*time.Minute + 187*time.Millisecond), Suggestion: "alice@acme.test", CheckedAt: time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC), Details: &rcpt.Details{Canonical: "alice@acme.example", Provider: "gmail", Irregular: []rcpt.Irregularity{{Reason: "domain_character", Detail: "\"_\" may not stand in a domain"}}, MX: []rcpt.MX{{Host: "mx.acme.example", Preference: 10}}, CatchAll: rcpt.CatchAllYes, Matches: []lists.Match{{List: lists.KindRole, Entry: "alice", Source: "mine.txt", Group: "people", Confidence: lists.ConfidenceCurated}}, SMTP: &rcpt.SMTPAnswer{Host: "mx.acme.example", IP: "192.0.2.1", Phase: smtp.PhaseRCPT, Code: 451, Enhanced: "4.7.1", Text: "Later", Rule: "greylisted"}, Transcript: []smtp.Line{{From: "S", Text: "220 <mx>", At: 12 * time.Millisecond}}, Cached: true, Duration: 187 * time.Millisecond},
	}
}

// verifier answers with the full result, or as one that cannot work.
type verifier struct{}

func (verifier) Verify(_ context.Context, address string) (rcpt.Result, error) {
	if address == "short" {
		return rcpt.Result{Email: address, Verdict: rcpt.VerdictUndeliverable, Message: "No address.", Reason: rcpt.ReasonInvalidSyntax, Details: &rcpt.Details{CatchAll: rcpt.CatchAllUnknown}}, nil
	}
	return full(address), nil
}

func (v verifier) VerifyWith(ctx context.Context, address string, _ engine.VerifyOptions) (rcpt.Result, error) {
	return v.Verify(ctx, address)
}

func (verifier) Recall(context.Context, string) (rcpt.Result, bool) { return rcpt.Result{}, false }

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

// TestAllOfARecord: all that a Verifier says in the service, the client
// returns, as the Verifier would.
func TestAllOfARecord(t *testing.T) {
	c := newServiceClient(t, key)
	for _, options := range []client.VerifyOptions{
		{}, {Transcript: true}, {Transcript: true, Fresh: true, Timeout: time.Second},
	} {
		want := full("alice@acme.example")
		if !options.Transcript {
			want.Details.Transcript = nil
		}
		got, err := c.VerifyWith(t.Context(), want.Email, options)
		if err != nil {
			t.Fatal(err)
		}
		// The result is a remembered one, whose wait begins with the answer.
		age := got.Details.Age
		if now := time.Since(want.CheckedAt.Add(want.Details.Duration)); age > now || age < now-time.Minute {
			t.Errorf("an age of %v, want %v", age, now)
		}
		want.Details.Age, want.RetryAt = age, want.RetryAt.Add(age)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(rcpt.Result{})); diff != "" {
			t.Errorf("the server's (-) and the client's (+) differ:\n%s", diff)
		}
	}
}

// TestAllOfSeveral: several addresses are answered in their order, cleaned
// where that is wanted, and what is no address costs no other its answer.
func TestAllOfSeveral(t *testing.T) {
	c := newServiceClient(t, key)
	given := []string{"alice@acme.example", "short", "Bob <bob@acme.example>", " ", "carol@acme.example, dan@acme.example"}
	var got [5]client.Outcome
	for i, outcome := range c.VerifyAll(t.Context(), given, client.VerifyOptions{Clean: true}) {
		if got[i] = outcome; outcome.Err != nil {
			t.Errorf("%q: %v", given[i], outcome.Err)
		}
	}
	if bob := got[2].Result; got[0].Result.Email != given[0] || got[1].Result.Email != "short" || bob.Email != "bob@acme.example" || bob.Details.Given != given[2] {
		t.Errorf("%+v", got)
	}
	if got[3].Result.Reason != rcpt.ReasonNoAddress || got[4].Result.Reason != rcpt.ReasonSeveralAddresses {
		t.Errorf("%s, %s", got[3].Result.Reason, got[4].Result.Reason)
	}
	for _, empty := range []string{"", " "} {
		if result, err := c.Verify(t.Context(), empty); err != nil || result.Reason != rcpt.ReasonInvalidSyntax {
			t.Errorf("%q: %s, %v", empty, result.Reason, err)
		}
	}
}

// TestNoAddress: a text without an address, or with several, is told as the
// engine tells it, whether it was to be cleaned or not. The service may suggest
// more.
func TestNoAddress(t *testing.T) {
	v, err := engine.New(engine.Config{Level: engine.LevelSyntax})
	check(t, err)
	defer v.Close()
	service, err := server.Handler(v, server.Options{Key: key})
	check(t, err)
	listening := httptest.NewServer(service)
	defer listening.Close()
	c, err := client.New(client.Config{URL: listening.URL, Key: key})
	check(t, err)
	for _, text := range []string{"", " ", "N/A", "-", "a@b.example, c@d.example", "Ann <ann@b.example>", "x@@y", "jane@gmail"} {
		for _, clean := range []bool{false, true} {
			want, err := v.VerifyWith(t.Context(), text, engine.VerifyOptions{Clean: clean})
			check(t, err)
			got, err := c.VerifyWith(t.Context(), text, client.VerifyOptions{Clean: clean})
			if err != nil || got.Reason != want.Reason || got.Verdict != want.Verdict || want.Suggestion != "" && got.Suggestion != want.Suggestion {
				t.Errorf("%q, clean %v: %s, %s, %q, %v; the engine says %s, %s, %q", text, clean,
					got.Verdict, got.Reason, got.Suggestion, err, want.Verdict, want.Reason, want.Suggestion)
			}
		}
	}
}

func TestUsageOfServer(t *testing.T) {
	day := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	got, err := newServiceClient(t, key).Usage(t.Context(), day, day)
	if err != nil {
		t.Fatal(err)
	}
	want := []client.Day{{Day: "2026-02-03", Verifications: 7, Cached: 7, Results: map[rcpt.Verdict]int64{rcpt.VerdictUnknown: 7}, Reasons: map[rcpt.Reason]int64{"greylisted": 7}}}
	if diff := cmp.Diff(want, got.Days); diff != "" || got.Used != 7 || got.Quota != nil {
		t.Errorf("%+v (-want +got):\n%s", got, diff)
	}
}

func TestErrorsOfServer(t *testing.T) {
	var told *client.Error
	_, err := newServiceClient(t, "rcpt_another-key").Verify(t.Context(), "a@b.example")
	if !errors.As(err, &told) || told.Status != http.StatusUnauthorized || told.Message != "Unauthorized" || told.RequestID == "" {
		t.Errorf("a wrong key: %v", err)
	}
	_, err = newServiceClient(t, key).VerifyWith(t.Context(), "a@b.example", client.VerifyOptions{Timeout: -1})
	if !errors.As(err, &told) || told.Status != http.StatusBadRequest || told.Message == "" || told.Code != "invalid_parameter" {
		t.Errorf("a negative timeout: %v", err)
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
