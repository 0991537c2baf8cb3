package webhook

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"go.uber.org/goleak"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// outbox is a [Store] of webhooks that are due, each of them once.
type outbox struct {
	mu      sync.Mutex
	due     []rows.ClaimedWebhook
	fails   int // claims that fail first
	settled chan settled
}

type settled struct {
	rows.ClaimedWebhook
	try   rows.WebhookTry
	state rows.WebhookState
	next  time.Time
}

func (o *outbox) ClaimWebhooks(_ context.Context, limit, _, _ int, _ time.Duration) ([]rows.ClaimedWebhook, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fails > 0 {
		o.fails--
		return nil, errors.New("the database is away")
	}
	n := min(limit, len(o.due))
	claimed := o.due[:n]
	o.due = o.due[n:]
	return claimed, nil
}

func (o *outbox) SettleWebhook(_ context.Context, w rows.ClaimedWebhook, try rows.WebhookTry, state rows.WebhookState, next time.Time) error {
	o.settled <- settled{w, try, state, next}
	return nil
}

var secrets = []string{"whsec_Y3VycmVudCBzZWNyZXQgb2YgMjQgb2N0ZXRz", "whsec_cHJldmlvdXMgc2VjcmV0IG9mIHNvbWUgb2N0ZXRz"}

func webhookTo(url string) rows.ClaimedWebhook {
	return rows.ClaimedWebhook{
		Webhook: rows.Webhook{ID: "msg_1", Job: "job_1", URL: url, Body: json.RawMessage(`{"type":"job.completed","data":{"id":"job_1"}}`)},
		Secrets: secrets,
	}
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// sends lets a Sender send a webhook and returns what it settles.
func sends(t *testing.T, w rows.ClaimedWebhook, change func(*Sender)) settled {
	t.Helper()
	o := &outbox{due: []rows.ClaimedWebhook{w}, settled: make(chan settled, 1)}
	s := New(Config{Store: o, AllowNets: loopback, UserAgent: "rcpt/test"})
	if change != nil {
		change(s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { s.Run(ctx); close(done) }()
	got := <-o.settled
	cancel()
	<-done
	return got
}

func receiver(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server.URL
}

// TestSignature: the specification's own library accepts what is sent, with the
// current and with the previous secret, and nothing that was changed.
func TestSignature(t *testing.T) {
	var header http.Header
	var body []byte
	url := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		header, body = r.Header, must(io.ReadAll(r.Body))
	})
	got := sends(t, webhookTo(url+"/hook?x=1"), nil)
	if got.state != rows.WebhookDelivered || got.try.Status != 200 || got.try.Error != "" {
		t.Fatalf("%+v", got)
	}
	if header.Get("webhook-id") != "msg_1" || header.Get("Content-Type") != "application/json" || header.Get("User-Agent") != "rcpt/test" {
		t.Errorf("%v", header)
	}
	for _, secret := range secrets {
		verifier := must(standardwebhooks.NewWebhook(secret))
		if err := verifier.Verify(body, header); err != nil {
			t.Error(err)
		}
		if err := verifier.Verify(append(body, ' '), header); err == nil {
			t.Error("a changed body is accepted")
		}
		other := header.Clone()
		other.Set("webhook-id", "msg_2")
		if err := verifier.Verify(body, other); err == nil {
			t.Error("another ID is accepted")
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		state  rows.WebhookState
		status int
		text   string        // in the answer or the error
		atMost time.Duration // until the next try; 0: 5 s and a tenth
		least  time.Duration
	}{
		{"no content", status(204), rows.WebhookDelivered, 204, "", 0, 0},
		{"fault", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "out of \x1b[31morder", 500) }, rows.WebhookPending, 500, "out of \uFFFD[31morder", 0, 5},
		{"not found", status(404), rows.WebhookPending, 404, "", 0, 5},
		{"not modified", status(304), rows.WebhookPending, 304, "", 0, 5},
		{"gone", status(410), rows.WebhookDisabled, 410, "", 0, 0},
		{"later", with("Retry-After", "120", 429), rows.WebhookPending, 429, "", 121 * time.Second, 120},
		{"much later", with("Retry-After", "99999999", 503), rows.WebhookPending, 503, "", maxRetryAfter + time.Second, 24 * 3600},
		{"on a day", with("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT", 503), rows.WebhookPending, 503, "", 0, 5},
		{"endless", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, strings.Repeat("x", 1000))
			}
		}, rows.WebhookDelivered, 200, "xxx", 0, 0},
		{"header", with("X-Long", strings.Repeat("x", 2*maxHeader), 200), rows.WebhookPending, 0, "header", 0, 5},
		{"not HTTP", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			_, _ = io.WriteString(conn, "220 mail.example ESMTP\r\n")
			conn.Close()
		}, rows.WebhookPending, 0, "malformed", 0, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			began := time.Now()
			got := sends(t, webhookTo(receiver(t, c.answer)), nil)
			text := got.try.Error + got.try.Answer
			if got.state != c.state || got.try.Status != c.status || !strings.Contains(text, c.text) || len(got.try.Answer) > 2*answerKept {
				t.Errorf("%s %+v", got.state, got.try)
			}
			if got.state != rows.WebhookPending {
				return
			}
			if c.atMost == 0 {
				c.atMost = delays[0] + delays[0]/jitter
			}
			if got.next.Before(began.Add(c.least*time.Second)) || got.next.After(time.Now().Add(c.atMost)) {
				t.Errorf("the next try is in %v", got.next.Sub(began))
			}
		})
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func with(name, value string, code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(name, value)
		w.WriteHeader(code)
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	elsewhere := receiver(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect is followed") })
	for _, code := range []int{301, 302, 303, 307, 308} {
		if got := sends(t, webhookTo(receiver(t, with("Location", elsewhere, code))), nil); got.state != rows.WebhookPending || got.try.Status != code {
			t.Errorf("%s %+v", got.state, got.try)
		}
	}
}

// TestHang: a receiver that never answers.
func TestHang(t *testing.T) {
	end := make(chan struct{})
	url := receiver(t, func(http.ResponseWriter, *http.Request) { <-end })
	got := sends(t, webhookTo(url), func(s *Sender) { s.inside.Timeout = 50 * time.Millisecond })
	close(end)
	if got.state != rows.WebhookPending || !strings.HasPrefix(got.try.Error, "no answer within") {
		t.Errorf("%s %+v", got.state, got.try)
	}
}

// TestRebinding: a name that leads to this machine is refused when it is
// dialled, whatever it led to before.
func TestRebinding(t *testing.T) {
	reached := false
	url := receiver(t, func(http.ResponseWriter, *http.Request) { reached = true })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	for _, host := range []string{"localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0"} {
		for _, scheme := range []string{"http", "https"} {
			got := sends(t, webhookTo(fmt.Sprintf("%s://%s:%s/", scheme, host, port)), func(s *Sender) {
				s.public, s.inside = newClient(gate{}, nil), newClient(gate{inside: true}, nil)
			})
			if got.state != rows.WebhookPending || got.try.Status != 0 || !strings.Contains(got.try.Error, "is not public") {
				t.Errorf("%s %s: %s %+v", scheme, host, got.state, got.try)
			}
		}
	}
	if reached {
		t.Error("the receiver was reached")
	}
}

// TestNoProxy: a proxy of the environment would connect to what the gate
// refuses.
func TestNoProxy(t *testing.T) {
	if proxy := newClient(gate{}, nil).Transport.(*http.Transport).Proxy; proxy != nil {
		t.Error("there is a proxy")
	}
}

func TestGate(t *testing.T) {
	outside, inside := gate{allowed: loopback}, gate{allowed: loopback, inside: true}
	for address, want := range map[string][2]bool{ // with TLS, without
		"127.0.0.1:80": {true, true}, "[::ffff:127.0.0.1]:80": {true, true}, "[::1]:443": {true, true},
		"93.184.215.14:443": {true, false}, "[2606:2800:21f:cb07::1]:443": {true, false},
		"10.0.0.1:443": {}, "192.168.1.1:443": {}, "172.16.3.4:443": {}, "169.254.169.254:80": {}, "100.64.0.1:443": {}, "0.0.0.0:443": {},
		"224.0.0.1:443": {}, "[fe80::1%lo]:443": {}, "[fd00::1]:443": {}, "[::ffff:10.0.0.1]:443": {}, "[64:ff9b::7f00:1]:443": {}, "[2002:7f00:1::]:443": {},
		"nonsense": {},
	} {
		got := [2]bool{outside.control("tcp", address, nil) == nil, inside.control("tcp", address, nil) == nil}
		if got != want {
			t.Errorf("%s: %v, want %v", address, got, want)
		}
	}
}

func TestCertificateIsVerified(t *testing.T) {
	server := httptest.NewTLSServer(status(200))
	defer server.Close()
	server.Config.ErrorLog = nil
	if got := sends(t, webhookTo(server.URL), nil); got.state != rows.WebhookPending || !strings.Contains(got.try.Error, "certificate") {
		t.Errorf("%s %+v", got.state, got.try)
	}
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	if got := sends(t, webhookTo(server.URL), func(s *Sender) { s.public = newClient(gate{allowed: loopback}, roots) }); got.state != rows.WebhookDelivered {
		t.Errorf("%s %+v", got.state, got.try)
	}
}

// TestSchedule: tries go on for three days, and then end.
func TestSchedule(t *testing.T) {
	w := webhookTo("https://receiver.example")
	var total time.Duration
	state := rows.WebhookPending
	for {
		var wait time.Duration
		if state, wait = after(w, 500, 0); state != rows.WebhookPending {
			break
		}
		total += wait
		w.Step++
	}
	if w.Step != 9 || total < 72*time.Hour || total > 84*time.Hour || state != rows.WebhookFailed {
		t.Errorf("%s after %d waits of %v in all", state, w.Step, total)
	}
	trial := webhookTo("https://receiver.example")
	trial.Job = ""
	if state, _ := after(trial, 500, 0); state != rows.WebhookFailed {
		t.Errorf("a test is %s", state)
	}
	progress := webhookTo("https://receiver.example")
	progress.Event = rows.EventProgress
	for step, want := range []rows.WebhookState{rows.WebhookPending, rows.WebhookPending, rows.WebhookFailed} {
		progress.Step = step
		if state, _ := after(progress, 500, 0); state != want {
			t.Errorf("progress is %s at try %d", state, step+1)
		}
	}
}

// TestSecretsStayOut: neither the log nor what is kept of a try has the path of
// a receiver, which may contain a secret, or what signs.
func TestSecretsStayOut(t *testing.T) {
	broken := webhookTo("https://receiver.example/")
	broken.Secrets = []string{"whsec_not base64, not to be seen"}
	closed := httptest.NewServer(nil)
	closed.Close()
	for name, w := range map[string]rows.ClaimedWebhook{
		"delivered": webhookTo(receiver(t, status(200))), "gone": webhookTo(receiver(t, status(410))), "refused": webhookTo(closed.URL),
		"unknown host": webhookTo("https://receiver.invalid"), "private": webhookTo("https://10.0.0.1"), "broken secret": broken,
	} {
		w.URL += "/T0KEN?key=S3CRET"
		var log bytes.Buffer
		got := sends(t, w, func(s *Sender) {
			s.config.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		})
		text := log.String() + got.try.Error + got.try.Answer
		for _, secret := range append([]string{"T0KEN", "S3CRET"}, w.Secrets...) {
			if strings.Contains(text, secret) || strings.Contains(text, strings.TrimPrefix(secret, "whsec_")) {
				t.Errorf("%s: %s", name, text)
			}
		}
		if log.Len() == 0 {
			t.Errorf("%s: nothing is logged", name)
		}
	}
}

// TestManyAndAFailingStore: more than can be sent at a time are all sent, also
// when the store fails at first.
func TestManyAndAFailingStore(t *testing.T) {
	url := receiver(t, status(200))
	const many = 3 * atOnce
	o := &outbox{fails: 1, settled: make(chan settled, many)}
	for i := range many {
		w := webhookTo(url)
		w.ID = fmt.Sprint("msg_", i)
		o.due = append(o.due, w)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() { New(Config{Store: o, AllowNets: loopback}).Run(ctx); close(done) }()
	ids := map[string]bool{}
	for range many {
		ids[(<-o.settled).ID] = true
	}
	cancel()
	<-done
	if len(ids) != many {
		t.Errorf("%d of %d were sent", len(ids), many)
	}
}

func TestCheckURL(t *testing.T) {
	for text, fine := range map[string]bool{
		"https://receiver.example/hook?token=x": true, "http://10.0.0.1:8080": true, "https://[2001:db8::1]/": true,
		"": false, "receiver.example": false, "ftp://receiver.example": false, "https://": false, "https:receiver": false, "https://u:p@receiver.example": false,
		"https://receiver.example/#x": false, "https://receiver.example/a b": false, "https://receiver.example/\n": false,
		"https://receiver.example/" + strings.Repeat("x", maxURL): false,
	} {
		if err := CheckURL(text); (err == nil) != fine {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}
