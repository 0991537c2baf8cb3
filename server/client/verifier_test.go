package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/server/client"
)

// all are the outcomes of VerifyAll, in the order of the addresses.
func all(c *client.Client, addresses ...string) []client.Outcome {
	outcomes := make([]client.Outcome, len(addresses))
	for i, outcome := range c.VerifyAll(context.Background(), addresses, client.VerifyOptions{}) {
		outcomes[i] = outcome
	}
	return outcomes
}

func refusal(status int, code string) answer {
	return answer{status: status, body: `{"message":"No.","success":false,"code":"` + code + `"}`}
}

// TestVerifier: what the service answers is what a Verifier returns. An error
// means that the verification was not carried out; the result beside it says
// why, and has the address. That a text is no address is a result.
func TestVerifier(t *testing.T) {
	failed := strings.NewReplacer(`"success":true`, `"success":false`, "deliverable", "unknown", "recipient_accepted", "busy").Replace(record)
	for name, c := range map[string]struct {
		answer answer
		reason rcpt.Reason
		err    error // that is wrapped; nil: any
		fails  bool
	}{
		"a record":               {answer{status: 200, body: record}, rcpt.ReasonRecipientAccepted, nil, false},
		"success false":          {answer{status: 200, body: failed}, rcpt.ReasonBusy, client.ErrNotVerified, true},
		"success false, no more": {answer{status: 200, body: `{"email":"a","success":false,"result":"unknown"}`}, rcpt.ReasonInternalError, client.ErrNotVerified, true},
		"another object":         {answer{status: 200, body: `{"success":true}`}, rcpt.ReasonInternalError, nil, true},
		"no address":             {refusal(400, "no_address"), rcpt.ReasonInvalidSyntax, nil, false},
		"an empty one":           {refusal(400, "missing_parameter"), rcpt.ReasonInvalidSyntax, nil, false},
		"several":                {refusal(400, "several_addresses"), rcpt.ReasonSeveralAddresses, nil, false},
		"another mistake":        {refusal(400, "invalid_parameter"), rcpt.ReasonInternalError, nil, true},
		"its key":                {refusal(401, ""), rcpt.ReasonInternalError, nil, true},
		"no address, it says":    {refusal(500, "no_address"), rcpt.ReasonInternalError, nil, true},
		"the host is busy":       {refusal(503, "mail_host_busy"), rcpt.ReasonBusy, nil, true},
		"too often":              {refusal(429, "rate_reached"), rcpt.ReasonBusy, nil, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			v := newClient(t, &service{answers: []answer{c.answer}}, client.Config{})
			result, err := v.Verify(t.Context(), "alice@acme.example")
			if result.Reason != c.reason || (err != nil) != c.fails || !errors.Is(err, c.err) && c.err != nil {
				t.Errorf("%s: %s, %v", name, result.Reason, err)
			}
			if c.fails && result.Verdict != rcpt.VerdictUnknown || result.Verdict == "" || result.Email == "" {
				t.Errorf("%s: %+v", name, result)
			}
			var refused *client.Error
			if got := errors.As(err, &refused); got != (c.fails && c.answer.status != 200) {
				t.Errorf("%s: a *client.Error: %v", name, got)
			}
		})
	}
}

// TestRetryAtOfARememberedResult: the wait in an answer begins with it, however
// old the result is.
func TestRetryAtOfARememberedResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := `{"email":"alice@acme.example","success":true,"result":"unknown","details":{"reason":"greylisted",` +
			`"retry_after":100,"cached":true,"checked_at":"` + time.Now().Add(-200*time.Second).Format(time.RFC3339) + `"}}`
		c := newClient(t, &service{answers: []answer{{status: 200, body: body}}}, client.Config{})
		result, err := c.Verify(t.Context(), "alice@acme.example")
		wait := time.Until(result.RetryAt)
		if err != nil || wait != 100*time.Second || result.RetryAfter() != wait || !result.Reusable(time.Now()) {
			t.Errorf("again in %v, %v: %+v, %v", wait, result.RetryAfter(), result, err)
		}
	})
}

// TestContextEnds: both ends of a context are an error that wraps it and its
// cause, beside a result that says that the verification did not end.
func TestContextEnds(t *testing.T) {
	cause := errors.New("the visitor has gone")
	for name, begin := range map[string]func(context.Context) (context.Context, func()){
		"deadline": func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithTimeoutCause(ctx, time.Second, cause)
			return ctx, cancel
		},
		"cancel": func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(time.Second, func() { cancel(cause) })
			return ctx, func() { cancel(nil) }
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, err := client.New(client.Config{URL: "http://127.0.0.1", Key: key, HTTP: &http.Client{Transport: &silent{}}})
			if err != nil {
				t.Fatal(err)
			}
			ctx, end := begin(t.Context())
			defer end()
			result, err := c.Verify(ctx, "a@b.example")
			if !errors.Is(err, cause) || !errors.Is(err, ctx.Err()) || result.Reason != rcpt.ReasonUnfinished || result.Email != "a@b.example" {
				t.Errorf("%s: %+v, %v", name, result, err)
			}
		})
	}
}

// strict is a service that refuses a request with a blank in it, as the real
// one does.
type strict struct{ sizes []int }

func (s *strict) RoundTrip(r *http.Request) (*http.Response, error) {
	var asked struct{ Emails []string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return nil, err
	}
	s.sizes = append(s.sizes, len(asked.Emails))
	status, body := 200, `{"results":[`+strings.Join(slices.Repeat([]string{record}, len(asked.Emails)), ",")+`]}`
	if slices.Contains(asked.Emails, " ") {
		status, body = 400, `{"message":"The body, line 1: no address.","success":false,"code":"no_address"}`
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// TestVerifyAll: any number of addresses are sent in hundreds, one that is none
// costs no other its answer, and leaving the loop sends nothing more.
func TestVerifyAll(t *testing.T) {
	s := &strict{}
	c, err := client.New(client.Config{URL: "http://127.0.0.1", Key: key, HTTP: &http.Client{Transport: s}})
	if err != nil {
		t.Fatal(err)
	}
	addresses := slices.Repeat([]string{"a@b.example"}, 250)
	if got := all(c, addresses...); len(got) != 250 || !slices.Equal(s.sizes, []int{100, 100, 50}) || got[249].Result.Verdict != rcpt.VerdictDeliverable {
		t.Errorf("requests of %d", s.sizes)
	}
	addresses[77] = " "
	for i, outcome := range all(c, addresses[:100]...) {
		want := rcpt.ReasonRecipientAccepted
		if i == 77 {
			want = rcpt.ReasonInvalidSyntax
		}
		if outcome.Err != nil || outcome.Result.Reason != want {
			t.Errorf("%d: %s, %v", i, outcome.Result.Reason, outcome.Err)
		}
	}
	s.sizes = nil
	for range c.VerifyAll(t.Context(), slices.Repeat([]string{"a@b.example"}, 250), client.VerifyOptions{}) {
		break
	}
	if got := all(c); len(got) != 0 || len(s.sizes) != 1 {
		t.Errorf("%d outcomes of nothing, requests of %d", len(got), s.sizes)
	}
}

// TestWith: a view has its options, and the client under it keeps its own.
func TestWith(t *testing.T) {
	s := &service{answers: []answer{{status: 200, body: record}}}
	c := newClient(t, s, client.Config{})
	for _, v := range []rcpt.Verifier{c.With(client.VerifyOptions{Fresh: true}), c} {
		if _, err := v.Verify(t.Context(), "a@b.example"); err != nil {
			t.Error(err)
		}
	}
	if a, b := s.requests[0].URL.Query(), s.requests[1].URL.Query(); !a.Has("fresh") || b.Has("fresh") {
		t.Errorf("asked %v, %v", a, b)
	}
}

// TestJobs: the pages of the service are one loop, and an error ends it.
func TestJobs(t *testing.T) {
	s := &service{answers: []answer{
		{status: 200, body: `{"jobs":[{"id":"3"},{"id":"2"}],"next":"2"}`}, {status: 200, body: `{"jobs":[{"id":"1"}]}`}, refusal(403, "missing_scope"),
	}}
	c := newClient(t, s, client.Config{})
	var ids []string
	for j, err := range c.Jobs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, j.ID)
	}
	if !slices.Equal(ids, []string{"3", "2", "1"}) || s.requests[1].URL.RawQuery != "after=2" {
		t.Errorf("jobs %q, asked %s", ids, s.requests[1].URL.RawQuery)
	}
	n := 0
	for _, err := range c.Jobs(t.Context()) {
		var refused *client.Error
		if n++; !errors.As(err, &refused) || refused.Status != 403 {
			t.Errorf("error %v", err)
		}
	}
	if n != 1 {
		t.Errorf("%d turns of the loop", n)
	}
}
