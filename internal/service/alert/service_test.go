package alert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// secret is in each URL, in the forms that the services ask for. Its parts are
// secret, too.
const (
	slackSecret   = "T0HUNTER2-B0HUNTER2-hunter2hunter2hunter2hun"
	hexSecret     = "abcdefabcdefabcdefabcdefabcdef12"
	hunterSecret  = "hunter2-hunter2"
	chatsOfTheURL = "chats=@hunterchat"
)

// serviceURLs are a URL for each service, and where it is posted to. That of
// ntfy is a server of the test.
func serviceURLs(ntfy string) map[string]string {
	return map[string]string{
		"slack://hook:" + slackSecret + "@webhook":                              "https://hooks.slack.com/services/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",
		"slack://xoxb:" + slackSecret + "@C123":                                 "https://slack.com/api/chat.postMessage",
		"slack://T0HUNTER2/B0HUNTER2/hunter2hunter2hunter2hun":                  "https://hooks.slack.com/services/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",
		"discord://" + hunterSecret + "@123456":                                 "https://discord.com/api/webhooks/123456/" + hunterSecret,
		"telegram://123:" + hunterSecret + "@telegram?" + chatsOfTheURL:         "https://api.telegram.org/bot123:" + hunterSecret + "/sendMessage",
		"pagerduty:///" + hexSecret:                                             "https://events.pagerduty.com:443/v2/enqueue",
		"pagerduty://events.eu.pagerduty.com/" + hexSecret:                      "https://events.eu.pagerduty.com:443/v2/enqueue",
		"teams+https://prod.example/workflows/" + hexSecret + "?sig=hunter2sig": "https://prod.example/workflows/" + hexSecret + "?sig=hunter2sig",
		"ntfy://u:" + hunterSecret + "@" + ntfy + "/hunter2topic?scheme=http":   "http://" + ntfy + "/hunter2topic",
	}
}

// secretParts may stand in no error.
var secretParts = []string{"hunter2", "t0hunter", "b0hunter", hexSecret, "hunterchat"}

// world answers requests in the place of the services.
type world struct {
	answer func(*http.Request) (*http.Response, error)

	mu     sync.Mutex
	got    []*http.Request
	bodies []string
}

// RoundTrip implements [http.RoundTripper].
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.got, w.bodies = append(w.got, r), append(w.bodies, string(body))
	w.mu.Unlock()
	return w.answer(r)
}

// inWorld has the services ask w instead of the Internet.
func inWorld(t *testing.T, w *world) {
	before := http.DefaultTransport
	http.DefaultTransport = w
	t.Cleanup(func() { http.DefaultTransport = before })
}

func answered(status int, body string) (*http.Response, error) {
	return &http.Response{StatusCode: status, Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), Header: http.Header{},
		Body: io.NopCloser(strings.NewReader(body))}, nil
}

// good is the answer of each service to what it takes.
func good(r *http.Request) (*http.Response, error) {
	switch r.URL.Host {
	case "hooks.slack.com":
		return answered(200, "ok")
	case "discord.com":
		return answered(204, "")
	case "prod.example", "events.pagerduty.com:443", "events.eu.pagerduty.com:443":
		return answered(202, "{}")
	}
	return answered(200, `{"ok":true,"result":{}}`)
}

var about = Message{Event: ProviderBlocks, State: StateProblem, Subject: "gmail", Text: "gmail refuses us.", Do: "Wait.", Server: "node1"}

// ntfyServer answers as the world does.
func ntfyServer(t *testing.T, w *world) string {
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		r.URL.Scheme, r.URL.Host = "http", r.Host
		answer, err := w.RoundTrip(r)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		out.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(out, answer.Body)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// TestServices: each service gets the message, at its address.
func TestServices(t *testing.T) {
	w := &world{answer: good}
	inWorld(t, w)
	for text, address := range serviceURLs(ntfyServer(t, w)) {
		service, err := NewService(text)
		if err != nil {
			t.Fatal(text, err)
		}
		w.got, w.bodies = nil, nil
		if err := service.Send(t.Context(), about); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if len(w.got) != 1 || w.got[0].URL.String() != address {
			for _, r := range w.got {
				t.Errorf("%s: asked %s", text, r.URL)
			}
			continue
		}
		all := w.bodies[0] + w.got[0].Header.Get("Title")
		for _, part := range []string{"gmail refuses us.", "Wait.", "node1, provider_blocks", "[rcpt] Problem: gmail"} {
			if !strings.Contains(all, part) && !(strings.HasPrefix(text, "pagerduty") && part[0] == '[') {
				t.Errorf("%s: no %q in %s", text, part, all)
			}
		}
	}
}

// TestTitles: each message has its own title, also of services that keep what
// they were told first.
func TestTitles(t *testing.T) {
	w := &world{answer: good}
	inWorld(t, w)
	over := about
	over.State = StateRecovered
	for text := range serviceURLs(ntfyServer(t, w)) {
		service, err := NewService(text)
		if err != nil {
			t.Fatal(text, err)
		}
		w.got, w.bodies = nil, nil
		for _, m := range []Message{about, over} {
			if err := service.Send(t.Context(), m); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
		second := w.bodies[1] + w.got[1].Header.Get("Title")
		if strings.HasPrefix(text, "pagerduty") {
			const key = `"dedup_key":"rcpt node1 provider_blocks gmail"`
			if !strings.Contains(w.bodies[0], key) || !strings.Contains(w.bodies[0], `"event_action":"trigger"`) ||
				!strings.Contains(second, key) || !strings.Contains(second, `"event_action":"resolve"`) {
				t.Errorf("%s", w.bodies)
			}
		} else if !strings.Contains(second, "[rcpt] Recovered: gmail") {
			t.Errorf("%s: the second message is %s", text, second)
		}
	}
}

// TestNoSecrets: whatever goes wrong, it is an error, and has nothing of the
// URL in it, although services and answers repeat it.
func TestNoSecrets(t *testing.T) {
	echo := func(status int) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			said := fmt.Sprintf(`no %s, %s, user %s`, r.URL, strings.ReplaceAll(r.URL.Path, "/", " "), r.Header.Get("Authorization"))
			return answered(status, fmt.Sprintf(`{"ok":false,"error":%q,"message":%[1]q,"description":%[1]q}`, said))
		}
	}
	for name, answer := range map[string]func(*http.Request) (*http.Response, error){
		"no network": func(r *http.Request) (*http.Response, error) {
			return nil, errors.New("no route to host")
		},
		"timeout":      func(*http.Request) (*http.Response, error) { return nil, context.DeadlineExceeded },
		"unauthorized": echo(401),
		"not found":    echo(404),
		"a page": func(*http.Request) (*http.Response, error) {
			return answered(403, "<html>"+strings.Repeat("x ", 10_000))
		},
		"another portal": func(*http.Request) (*http.Response, error) { return answered(302, "<html>") },
		"gone":           func(*http.Request) (*http.Response, error) { return answered(410, "") },
	} {
		w := &world{answer: answer}
		inWorld(t, w)
		for text := range serviceURLs(ntfyServer(t, w)) {
			send := func(t *testing.T) {
				service, err := NewService(text)
				if err != nil {
					t.Fatal(text, err)
				}
				err = service.Send(t.Context(), about)
				if err == nil {
					t.Fatalf("%s: %.20s counts as sent", name, text)
				}
				for _, part := range secretParts {
					if strings.Contains(strings.ToLower(err.Error()), part) {
						t.Errorf("%s: %v", name, err)
					}
				}
				if len(err.Error()) > 300 || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: %v", name, err)
				}
			}
			if strings.HasPrefix(text, "ntfy") { // a server of its own, so no bubble
				send(t)
			} else {
				synctest.Test(t, send) // Discord waits between its tries
			}
		}
	}
}

// TestErrorsSayWhy: what is not secret is shown.
func TestErrorsSayWhy(t *testing.T) {
	const hook, bot = "slack://hook:" + slackSecret + "@webhook", "slack://xoxb:" + slackSecret + "@C123"
	unreached := func(*http.Request) (*http.Response, error) { return nil, errors.New("no route to host") }
	for _, tt := range []struct {
		url, want string
		answer    func(*http.Request) (*http.Response, error)
	}{
		{bot, "channel_not_found", func(*http.Request) (*http.Response, error) {
			return answered(200, `{"ok":false,"error":"channel_not_found"}`)
		}},
		{bot, "no route to host", unreached},
		{hook, "no route to host", unreached},
		{"telegram://123:" + hunterSecret + "@telegram?" + chatsOfTheURL, "no route to host", unreached},
		{hook, "no_service", func(*http.Request) (*http.Response, error) { return answered(404, "no_service") }},
		{hook, "answered 503", func(*http.Request) (*http.Response, error) { return answered(503, "503 for "+slackSecret) }},
	} {
		inWorld(t, &world{answer: tt.answer})
		service, err := NewService(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if err := service.Send(t.Context(), about); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// TestSlowService: a message that is on its way for longer than a try is not
// sent a second time.
func TestSlowService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{answer: func(r *http.Request) (*http.Response, error) {
			time.Sleep(8 * time.Second)
			return good(r)
		}}
		inWorld(t, w)
		service, err := NewService("slack://hook:" + slackSecret + "@webhook")
		if err != nil {
			t.Fatal(err)
		}
		try := func(m Message) error {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			return service.Send(ctx, m)
		}
		if err := try(about); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("at first: %v", err)
		}
		if err := try(about); err != nil || len(w.got) != 1 {
			t.Errorf("then: %v, sent %d times", err, len(w.got))
		}
		if err := try(about); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("again: %v", err)
		}
		other := about
		other.Subject = "gmx"
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := service.Send(ctx, other); err != nil || len(w.got) != 3 {
			t.Errorf("another: %v, sent %d times", err, len(w.got))
		}
	})
}

// TestWrongServiceURLs are refused at once, and not shown.
func TestWrongServiceURLs(t *testing.T) {
	for _, text := range []string{
		"", "hunter2", "://hunter2", "slack://hunter2", "slack://hook:hunter2@webhook", "slack://hook:" + slackSecret + "@webhook?hunter2=1",
		"discord://hunter2", "discord://hunter2@", "telegram://hunter2@telegram?chats=1", "telegram://123:hunter2@telegram",
		"ntfy://hunter2.example", "pagerduty://hunter2", "pagerduty:///hunter2", "teams+ftp://hunter2", "teams://hunter2", "teams+",
		"https://hooks.slack.com/services/hunter2", "logger://hunter2", "generic://hunter2.example", "smtp://u:hunter2@h.example",
		"ntfy://u:hunter2%zz@h.example/topic",
	} {
		if _, err := NewService(text); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestLongMessage: a service refuses what is too long, and it would never be
// sent.
func TestLongMessage(t *testing.T) {
	w := &world{answer: good}
	inWorld(t, w)
	long := about
	long.Text = strings.Repeat("ü", 10_000)
	for text := range serviceURLs(ntfyServer(t, w)) {
		service, err := NewService(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := service.Send(t.Context(), long); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if u, _ := url.Parse("ntfy://a"); len(secretsOf(u)) != 0 {
		t.Error("a host is not secret")
	}
}
