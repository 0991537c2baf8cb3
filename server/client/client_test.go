package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/server/client"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	key    = "rcpt_a-key-for-tests"
	record = `{"email":"alice@acme.example","user":"alice","domain":"acme.example","accept_all":0,"role":1,"free_email":0,` +
		`"disposable":0,"spamtrap":0,"success":true,"result":"deliverable","message":"Fine.",` +
		`"details":{"reason":"recipient_accepted","suggestion":"alice@acme.test","catch_all":"no","cached":false,"checked_at":"2026-11-22T09:30:00Z","duration_ms":1}}`
)

// service is the other end of a client: the nth request gets the nth of its
// answers, and the last one again and again.
type service struct {
	answers  []answer
	requests []*http.Request
	at       []time.Duration // when they came
	started  time.Time
}

type answer struct {
	status int
	header http.Header
	body   string
	err    error // of the request, or, with a status, of its answer
}

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.started.IsZero() {
		s.started = time.Now()
	}
	s.requests, s.at = append(s.requests, r), append(s.at, time.Since(s.started))
	a := s.answers[min(len(s.requests), len(s.answers))-1]
	if a.status == 0 {
		return nil, a.err
	}
	if a.header == nil {
		a.header = http.Header{}
	}
	body := io.Reader(strings.NewReader(a.body))
	if a.err != nil {
		body = io.MultiReader(body, iotest.ErrReader(a.err))
	}
	return &http.Response{StatusCode: a.status, Header: a.header, Body: io.NopCloser(body), Request: r}, nil
}

func newClient(t *testing.T, s *service, config client.Config) *client.Client {
	t.Helper()
	config.URL, config.Key, config.HTTP = "https://verify.example.com/sub/", key, &http.Client{Transport: s}
	c, err := client.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func busy(status int, retryAfter string) answer {
	return answer{status: status, header: http.Header{"Retry-After": {retryAfter}, "X-Request-Id": {"ABC"}}, body: `{"message":"Come back."}`}
}

func TestRequest(t *testing.T) {
	s := &service{answers: []answer{{status: 200, body: record}}}
	c := newClient(t, s, client.Config{})
	const asked = "https://verify.example.com/sub/api/v1/verify?"
	for want, options := range map[string]client.VerifyOptions{
		asked + "details=1&email=al%2Bice%40b%C3%BCcher.example":                                      {},
		asked + "details=1&email=al%2Bice%40b%C3%BCcher.example&fresh=1&timeout=2.0005":               {Fresh: true, Timeout: 2000500 * time.Microsecond},
		asked + "clean=1&details=1&email=al%2Bice%40b%C3%BCcher.example&timeout=1000000&transcript=1": {Clean: true, Transcript: true, Timeout: 1000 * time.Second},
	} {
		result, err := c.VerifyWith(t.Context(), "al+ice@bücher.example", options)
		if err != nil {
			t.Fatal(err)
		}
		if !result.Role || result.Disposable || result.Verdict != rcpt.VerdictDeliverable || result.Suggestion != "alice@acme.test" {
			t.Errorf("read %+v", result)
		}
		r := s.requests[len(s.requests)-1]
		if got := r.URL.String(); got != want || r.Method != http.MethodGet {
			t.Errorf("%s %s, want %s", r.Method, got, want)
		}
		if got := r.Header.Get("X-API-Key"); got != key {
			t.Errorf("X-API-Key: %q", got)
		}
	}
}

// TestBlank: a blank is sent as such. A "+" would be one only for those who
// decode forms, and the service refuses it in front of an address.
func TestBlank(t *testing.T) {
	s := &service{answers: []answer{{status: 200, body: record}}}
	c := newClient(t, s, client.Config{})
	if _, err := c.Verify(t.Context(), " al+ice@acme.example "); err != nil {
		t.Fatal(err)
	}
	if got, want := s.requests[0].URL.RawQuery, "details=1&email=%20al%2Bice%40acme.example%20"; got != want {
		t.Errorf("query %s, want %s", got, want)
	}
}

// TestRetries: what is tried again, how often, and after how long.
func TestRetries(t *testing.T) {
	good := answer{status: 200, body: record}
	for name, c := range map[string]struct {
		answers     []answer
		tries       int
		status      int // of the error; zero: none
		least, most time.Duration
	}{
		"at once":                {[]answer{good}, 1, 0, 0, 0},
		"busy once":              {[]answer{busy(503, "5"), good}, 2, 0, 5 * time.Second, 5250 * time.Millisecond},
		"rate, by date":          {[]answer{busy(429, "Sat, 01 Jan 2000 00:00:07 GMT"), good}, 2, 0, 7 * time.Second, 7250 * time.Millisecond},
		"without a hint":         {[]answer{busy(429, ""), busy(503, "soon"), good}, 3, 0, 750 * time.Millisecond, 1500 * time.Millisecond},
		"always busy":            {[]answer{busy(503, "")}, 4, 503, 1750 * time.Millisecond, 3500 * time.Millisecond},
		"cannot be reached":      {[]answer{{err: io.ErrUnexpectedEOF}, good}, 2, 0, 250 * time.Millisecond, 500 * time.Millisecond},
		"never reached":          {[]answer{{err: io.ErrUnexpectedEOF}}, 4, -1, 1750 * time.Millisecond, 3500 * time.Millisecond},
		"breaks off":             {[]answer{{status: 200, body: record[:40], err: io.ErrUnexpectedEOF}, good}, 2, 0, 250 * time.Millisecond, 500 * time.Millisecond},
		"too long a wait":        {[]answer{busy(429, "31"), good}, 1, 429, 0, 0},
		"longest wait":           {[]answer{busy(429, "30"), good}, 2, 0, 30 * time.Second, 30250 * time.Millisecond},
		"wrong key":              {[]answer{busy(401, "1")}, 1, 401, 0, 0},
		"quota":                  {[]answer{busy(402, "1")}, 1, 402, 0, 0},
		"bad request":            {[]answer{busy(400, "1")}, 1, 400, 0, 0},
		"a bug":                  {[]answer{busy(500, "1")}, 1, 500, 0, 0},
		"elsewhere":              {[]answer{{status: 302, header: http.Header{"Location": {"https://evil.example/"}}}}, 1, 302, 0, 0},
		"something else answers": {[]answer{{status: 200, body: "<html>"}}, 1, -1, 0, 0},
		"endless":                {[]answer{{status: 200, body: record + strings.Repeat(" ", 16<<20)}}, 1, -1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &service{answers: c.answers}
				v, err := newClient(t, s, client.Config{}).Verify(t.Context(), "alice@acme.example")
				var told *client.Error
				switch {
				case c.status == 0 && (err != nil || v.Verdict != rcpt.VerdictDeliverable):
					t.Errorf("%v: %+v", err, v)
				case c.status < 0 && (err == nil || errors.As(err, &told)):
					t.Errorf("error %v", err)
				case c.status > 0 && (!errors.As(err, &told) || told.Status != c.status):
					t.Errorf("error %v, want status %d", err, c.status)
				}
				if len(s.requests) != c.tries {
					t.Errorf("%d requests, want %d", len(s.requests), c.tries)
				}
				if waited := s.at[len(s.at)-1]; waited < c.least || waited > c.most {
					t.Errorf("waited %v, want %v to %v", waited, c.least, c.most)
				}
				if err != nil && (strings.Contains(err.Error(), "alice") || strings.Contains(err.Error(), key)) {
					t.Errorf("the error tells too much: %v", err)
				}
			})
		})
	}
}

func TestError(t *testing.T) {
	s := &service{answers: []answer{busy(429, "60")}}
	_, err := newClient(t, s, client.Config{}).Usage(t.Context(), time.Time{}, time.Time{})
	var told *client.Error
	if !errors.As(err, &told) || *told != (client.Error{Status: 429, Message: "Come back.", RetryAfter: time.Minute, RequestID: "ABC"}) {
		t.Errorf("error %#v", err)
	}
	if want := "rcpt: 429 Too Many Requests: Come back. (request ABC)"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

// TestTimeIsUp: nobody waits for a try that comes too late, and a cancelled
// wait ends at once.
func TestTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{answers: []answer{busy(503, "5")}}
		c := newClient(t, s, client.Config{})
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		started := time.Now()
		var told *client.Error
		if _, err := c.Verify(ctx, "a@b.example"); !errors.As(err, &told) || time.Since(started) > 0 {
			t.Errorf("after %v: %v", time.Since(started), err)
		}

		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := c.Verify(ctx, "a@b.example")
		if !errors.Is(err, context.Canceled) || !errors.As(err, &told) || time.Since(started) != time.Second {
			t.Errorf("after %v: %v", time.Since(started), err)
		}
	})
}

// silent never answers.
type silent struct{ tries int }

func (s *silent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.tries++
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &silent{}
		c, err := client.New(client.Config{URL: "http://127.0.0.1", Key: key, HTTP: &http.Client{Transport: s}, Tries: 2, Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		started := time.Now()
		_, err = c.Verify(t.Context(), "a@b.example")
		if took := time.Since(started); !errors.Is(err, context.DeadlineExceeded) || s.tries != 2 || took < 2*time.Second || took > 2500*time.Millisecond {
			t.Errorf("%d tries in %v: %v", s.tries, took, err)
		}
	})
}

// TestClientWithoutURL checks that each kind of call of a zero client returns
// an error.
func TestClientWithoutURL(t *testing.T) {
	for name, call := range map[string]func(*client.Client) error{
		"Verify": func(c *client.Client) error {
			_, err := c.Verify(t.Context(), "a@b.example")
			return err
		},
		"SendList": func(c *client.Client) error {
			_, err := c.SendList(t.Context(), strings.NewReader("a@b.example"), client.ListOptions{})
			return err
		},
		"Results": func(c *client.Client) error {
			_, err := c.JobResults(t.Context(), "1", client.ResultsOptions{})
			return err
		},
	} {
		if err := call(new(client.Client)); err == nil || !strings.Contains(err.Error(), "New") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNew(t *testing.T) {
	for name, config := range map[string]client.Config{
		"no URL":         {Key: key},
		"no scheme":      {URL: "verify.example.com", Key: key},
		"another scheme": {URL: "ftp://verify.example.com", Key: key},
		"no host":        {URL: "https:///path", Key: key},
		"a user":         {URL: "https://u:secret@verify.example.com", Key: key},
		"a query":        {URL: "https://verify.example.com?apikey=secret", Key: key},
		"no key":         {URL: "https://verify.example.com"},
		"two lines":      {URL: "https://verify.example.com", Key: "secret\r\nX: y"},
		"tries":          {URL: "https://verify.example.com", Key: key, Tries: -1},
	} {
		if _, err := client.New(config); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestUsageDays: a day is the day in UTC.
func TestUsageDays(t *testing.T) {
	s := &service{answers: []answer{{status: 200, body: `{"key":{"id":"k","name":"n"},"month":"2026-11","used":3,"quota":10,"remaining":7,` +
		`"limit":{"rate":0.5,"burst":2,"concurrency":null},"days":[{"day":"2026-11-22","verifications":3,"cached":1,"results":{"unknown":3},"reasons":{"blocked":3}}]}`}}}
	east := time.FixedZone("", 2*60*60)
	u, err := newClient(t, s, client.Config{}).Usage(t.Context(), time.Date(2026, 11, 1, 1, 0, 0, 0, east), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.requests[0].URL.RawQuery; got != "from=2026-10-31" {
		t.Errorf("asked for %s", got)
	}
	if *u.Quota != 10 || *u.Remaining != 7 || len(u.Days) != 1 || u.Days[0].Results[rcpt.VerdictUnknown] != 3 {
		t.Errorf("read %+v", u)
	}
}

// TestDependencies: a program that asks a service gets the record, and nothing
// of the engine or of the service.
func TestDependencies(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/rcpt/rcpt/"
	for dep := range strings.FieldsSeq(string(out)) {
		switch {
		case dep == module+"server/client", dep+"/" == module, dep == module+"smtpprobe/smtp":
		case strings.HasPrefix(dep, module+"internal/sys/"), strings.HasPrefix(dep, "golang.org/x/text/"):
		default:
			t.Errorf("depends on %s", dep)
		}
	}
}

// TestPostIsRetried: the body is there again at each try, and what is no answer
// is one error.
func TestPostIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{answers: []answer{busy(503, "1"), {status: 200, body: `{"results":[` + record + `]}`}}}
		got := all(newClient(t, s, client.Config{}), "a@b.example")
		if len(got) != 1 || got[0].Err != nil || got[0].Result.Verdict != rcpt.VerdictDeliverable || len(s.requests) != 2 {
			t.Fatalf("%v after %d tries", got, len(s.requests))
		}
		for _, r := range s.requests {
			body, _ := io.ReadAll(r.Body)
			if r.Method != http.MethodPost || string(body) != `{"emails":["a@b.example"]}` || r.Header.Get("Content-Type") != "application/json" || strings.Contains(r.URL.RawQuery, "b.example") {
				t.Errorf("%s %s: %s", r.Method, r.URL, body)
			}
		}
		for _, outcome := range all(newClient(t, &service{answers: s.answers[1:]}, client.Config{}), "a@b.example", "c@d.example") {
			if outcome.Err == nil || outcome.Result.Verdict != rcpt.VerdictUnknown {
				t.Errorf("one result for two addresses: %+v", outcome)
			}
		}
	})
}

// TestQuotaError: the client tells when there is a new quota.
func TestQuotaError(t *testing.T) {
	s := &service{answers: []answer{{status: 402, header: http.Header{"Retry-After": {"700000"}}, body: `{"message":"No.","success":false,"code":"quota_used_up","resets_at":"2026-12-01T00:00:00Z"}`}}}
	_, err := newClient(t, s, client.Config{}).Verify(t.Context(), "a@b.example")
	var told *client.Error
	if !errors.As(err, &told) || told.Code != "quota_used_up" || told.ResetsAt.Format(time.DateOnly) != "2026-12-01" || len(s.requests) != 1 {
		t.Errorf("%+v after %d tries", told, len(s.requests))
	}
}
