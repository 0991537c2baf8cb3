package server_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/enginetest"
	"github.com/rcpt/rcpt/server"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// hangs answers when its context ends.
func hangs(ctx context.Context, address string) (rcpt.Result, error) {
	<-ctx.Done()
	return rcpt.Result{Email: address, Verdict: rcpt.VerdictUnknown, Reason: rcpt.ReasonUnfinished}, context.Cause(ctx)
}

// TestTime: a request has its own time or the handler's, one address as many,
// and all are answered.
func TestTime(t *testing.T) {
	for _, c := range []struct {
		method, target, body string
		want                 time.Duration
	}{
		{"GET", "?email=a@b.example", "", 35 * time.Second},
		{"GET", "?email=a@b.example&timeout=2", "", 2 * time.Second},
		{"GET", "?email=a@b.example&timeout=100", "", 35 * time.Second},
		{"POST", "?timeout=2", `{"email":"a@b.example"}`, 2 * time.Second},
		{"POST", "?timeout=2", `{"emails":["a@b.example","b@b.example","c@d.example"]}`, 2 * time.Second},
		{"POST", "", `{"emails":["a@b.example","b@b.example","c@d.example"]}`, 35 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			response := ask(t, handlerOf(t, verifier(hangs), server.Options{}), c.method, "/api/v1/verify"+c.target, c.body)
			took := time.Since(began).Round(100 * time.Millisecond)
			if response.Code != 200 || took != c.want || !strings.Contains(response.Body.String(), `"success":false`) {
				t.Errorf("%s %s %s: %d after %v: %s", c.method, c.target, c.body, response.Code, took, response.Body)
			}
		})
	}
}

// TestOwnLimit: the limit of an engine comes before that of the handler, and
// its end is a result.
func TestOwnLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := enginetest.New(t)
		world.Domain("slow.example", &smtptest.Host{GreetingDelay: time.Hour})
		h := handlerOf(t, world.Verifier(engine.Config{}), server.Options{})
		for _, target := range []string{"?email=alice@slow.example", "?email=bob@slow.example&timeout=60"} {
			if got := ask(t, h, "GET", "/api/v1/verify"+target, "").Body.String(); !strings.Contains(got, `"success":true,"result":"unknown"`) {
				t.Errorf("%s: %s", target, got)
			}
		}
	})
}

// TestClientGoes: the verifications of a client that goes end with it, and no
// answer is counted.
func TestClientGoes(t *testing.T) {
	for _, body := range []string{`{"email":"a@b.example"}`, `{"emails":["a@b.example","b@b.example","c@d.example"]}`} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			ended, counted := 0, 0
			h := handlerOf(t, verifier(func(ctx context.Context, address string) (rcpt.Result, error) {
				result, err := hangs(ctx, address)
				mu.Lock()
				defer mu.Unlock()
				ended++
				return result, err
			}), server.Options{Verified: func(context.Context, string, rcpt.Result, time.Duration) { counted++ }})
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			request := httptest.NewRequestWithContext(ctx, "POST", "/api/v1/verify", strings.NewReader(body))
			request.Header.Set("X-API-Key", key)
			request.Header.Set("Content-Type", "application/json")
			began := time.Now()
			h.ServeHTTP(httptest.NewRecorder(), request)
			if took, want := time.Since(began), max(1, strings.Count(body, ",")+1); took != time.Second || ended != want || counted != 0 {
				t.Errorf("%s: %d of %d verifications ended after %v, %d counted", body, ended, want, took, counted)
			}
		})
	}
}

// TestDetach: a Verifier that goes on without its caller, and remembers, has
// the answer for a client that comes back.
func TestDetach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := enginetest.New(t)
		world.Domain("slow.example", &smtptest.Host{GreetingDelay: 10 * time.Second, Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
		v := world.Verifier(engine.Config{MaxRemembered: 100})
		h := handlerOf(t, v.With(engine.VerifyOptions{Detach: true}), server.Options{Details: true})
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		request := httptest.NewRequestWithContext(ctx, "GET", "/api/v1/verify?email=alice@slow.example", nil)
		request.Header.Set("X-API-Key", key)
		began := time.Now()
		h.ServeHTTP(httptest.NewRecorder(), request)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("the handler went on for %v", took)
		}
		time.Sleep(20 * time.Second)
		began = time.Now()
		got := ask(t, h, "GET", "/api/v1/verify?email=alice@slow.example", "").Body.String()
		if !strings.Contains(got, `"result":"deliverable"`) || !strings.Contains(got, `"cached":true`) || time.Since(began) != 0 {
			t.Errorf("after %v: %s", time.Since(began), got)
		}
	})
}

// TestConcurrency: no more verifications run at a time than may, those of one
// POST included, and who waits for more than a second gets 503.
func TestConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most := 0, 0
		h := handlerOf(t, verifier(func(ctx context.Context, address string) (rcpt.Result, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(2 * time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return deliverable(ctx, address)
		}), server.Options{Concurrency: 2})
		var all sync.WaitGroup
		all.Go(func() {
			response := ask(t, h, "POST", "/api/v1/verify", `{"emails":["a@b.example","b@b.example","c@b.example","d@b.example"]}`)
			if response.Code != 200 || strings.Count(response.Body.String(), `"deliverable"`) != 4 {
				t.Errorf("several: %d %s", response.Code, response.Body)
			}
		})
		synctest.Wait()
		if response := ask(t, h, "GET", "/api/v1/verify?email=e@b.example", ""); response.Code != 503 || !strings.Contains(response.Body.String(), "server_busy") {
			t.Errorf("one more: %d %s", response.Code, response.Body)
		}
		all.Wait()
		if most != 2 {
			t.Errorf("%d verifications at a time", most)
		}
	})
}
