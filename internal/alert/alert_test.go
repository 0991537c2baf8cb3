package alert

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-smtp"
)

// inbox keeps what was sent, after as many failures as the test wants.
type inbox struct {
	mu       sync.Mutex
	messages []Message
	fails    int
	tries    int
}

func (i *inbox) Send(_ context.Context, m Message) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.tries++
	if i.fails > 0 {
		i.fails--
		return errors.New("no")
	}
	i.messages = append(i.messages, m)
	return nil
}

func (i *inbox) count() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.tries
}

// texts are the states and subjects of what was sent.
func (i *inbox) texts() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	var all []string
	for _, m := range i.messages {
		all = append(all, m.State+" "+m.Subject)
	}
	return strings.Join(all, ", ")
}

func start(ctx context.Context, senders ...Sender) *Notifier {
	n := New(Config{Senders: senders, Server: "node1", Log: slog.New(slog.DiscardHandler)})
	go n.Run(ctx)
	return n
}

// TestReport: a problem causes one message, and one when it is over; one that
// comes and goes causes one an hour.
func TestReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var got inbox
		n := start(ctx, &got)
		gmail, gmx := Problem{Subject: "gmail", Text: "gmail blocks us."}, Problem{Subject: "gmx"}
		steps := []struct {
			after    time.Duration
			problems []Problem
			want     string
		}{
			{0, nil, ""},
			{0, []Problem{gmail}, "problem gmail"},
			{time.Minute, []Problem{gmail, gmx}, "problem gmail, problem gmx"},
			{2 * time.Hour, []Problem{gmail, gmx}, "problem gmail, problem gmx"},
			{time.Minute, []Problem{gmx}, "problem gmail, problem gmx, recovered gmail"},
			{time.Minute, []Problem{gmail, gmx}, "problem gmail, problem gmx, recovered gmail, problem gmail"},
			{time.Minute, []Problem{gmx}, "problem gmail, problem gmx, recovered gmail, problem gmail, recovered gmail"},
			// Within the hour: not told, and so is that it is over.
			{time.Minute, []Problem{gmail, gmx}, "problem gmail, problem gmx, recovered gmail, problem gmail, recovered gmail"},
			{time.Minute, []Problem{gmx}, "problem gmail, problem gmx, recovered gmail, problem gmail, recovered gmail"},
			// It lasts beyond the hour: told.
			{time.Minute, []Problem{gmail, gmx}, "problem gmail, problem gmx, recovered gmail, problem gmail, recovered gmail"},
			{time.Hour, []Problem{gmail, gmx}, "problem gmail, problem gmx, recovered gmail, problem gmail, recovered gmail, problem gmail"},
		}
		for i, step := range steps {
			time.Sleep(step.after)
			n.Report(ProviderBlocks, step.problems)
			n.Report(NetworkFails, nil) // other events are not touched
			synctest.Wait()
			if text := got.texts(); text != step.want {
				t.Fatalf("step %d: %s\nwant %s", i, text, step.want)
			}
		}
		if m := got.messages[0]; m.Server != "node1" || m.Event != ProviderBlocks || m.Text != gmail.Text {
			t.Errorf("%+v", m)
		}
		cancel()
		synctest.Wait()
	})
}

// TestTriedAgain: a message is tried again, and one sender does not hold the
// other up; then it is dropped.
func TestTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		bad, good := &inbox{fails: 2}, &inbox{}
		dead := &inbox{fails: 1 << 20}
		n := start(ctx, bad, good, dead)
		n.Report(NetworkFails, []Problem{{Subject: "port"}})
		synctest.Wait()
		if good.texts() != "problem port" || bad.texts() != "" {
			t.Errorf("at first %q and %q", good.texts(), bad.texts())
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if bad.texts() != "problem port" || dead.count() != 1+len(pauses) {
			t.Errorf("later %q, %d tries", bad.texts(), dead.count())
		}
		cancel()
		synctest.Wait()
	})
}

// TestNobodyListens: messages that wait are bounded.
func TestNobodyListens(t *testing.T) {
	n := New(Config{Log: slog.New(slog.DiscardHandler)})
	var problems []Problem
	for range 2 * mostWaiting {
		problems = append(problems, Problem{Subject: strings.Repeat("x", len(problems))})
	}
	n.Report(DoctorFault, problems)
	if len(n.waiting) != mostWaiting {
		t.Errorf("%d wait", len(n.waiting))
	}
}

// TestWebhook posts JSON, follows no redirect, and shows no URL in errors.
func TestWebhook(t *testing.T) {
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body = r.Method + " " + r.Header.Get("Content-Type") + " " + string(data)
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/", http.StatusFound)
		}
	}))
	defer server.Close()
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	m := Message{ProviderBlocks, StateProblem, "gmail", "It blocks us.", "Wait.", "node1", at}
	hook, err := NewWebhook(server.URL + "/?token=secret")
	if err != nil {
		t.Fatal(err)
	}
	if err := hook.Send(t.Context(), m); err != nil {
		t.Error(err)
	}
	const want = `POST application/json {"event":"provider_blocks","state":"problem","subject":"gmail","text":"It blocks us.","do":"Wait.","server":"node1","at":"2026-11-23T12:00:00Z"}`
	if body != want {
		t.Errorf("got %s", body)
	}
	moved, _ := NewWebhook(server.URL + "/moved")
	if err := moved.Send(t.Context(), m); err == nil || !strings.Contains(err.Error(), "302") {
		t.Errorf("a redirect: %v", err)
	}
	server.Close()
	if err := hook.Send(t.Context(), m); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a dead server: %v", err)
	}
	for _, wrong := range []string{"", "ftp://a.example", "a.example", "http://"} {
		if _, err := NewWebhook(wrong); err == nil {
			t.Errorf("accepted: %q", wrong)
		}
	}
}

// relay is a submission server that keeps one message.
type relay struct{ got chan string }

func (r *relay) NewSession(*smtp.Conn) (smtp.Session, error) { return r, nil }
func (r *relay) Mail(from string, _ *smtp.MailOptions) error { r.got <- "from " + from; return nil }
func (r *relay) Rcpt(to string, _ *smtp.RcptOptions) error   { r.got <- "to " + to; return nil }
func (r *relay) Reset()                                      {}
func (r *relay) Logout() error                               { return nil }
func (r *relay) Data(text io.Reader) error {
	data, err := io.ReadAll(text)
	r.got <- string(data)
	return err
}

// TestMail sends an e-mail to a relay on this machine.
func TestMail(t *testing.T) {
	r := &relay{make(chan string, 10)}
	server := smtp.NewServer(r)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	sender, err := NewMail("smtp://"+listener.Addr().String(), "rcpt@acme.example", []string{"ops@acme.example"})
	if err != nil {
		t.Fatal(err)
	}
	m := Message{Event: QuotaNearlyUp, State: StateProblem, Subject: "key shop", Text: "80 % are used.", Server: "node1"}
	if err := sender.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if from, to := <-r.got, <-r.got; from != "from rcpt@acme.example" || to != "to ops@acme.example" {
		t.Error(from, to)
	}
	text := <-r.got
	for _, want := range []string{"Subject: [rcpt] Problem: key shop\r\n", "80 % are used.", "Server: node1", "Event: quota_nearly_up"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestWrongMail: settings that cannot work are refused, and show no password.
func TestWrongMail(t *testing.T) {
	for _, c := range []struct{ relay, from, to string }{
		{"http://user:hunter2@a.example", "a@b.example", "c@d.example"}, {"smtp://", "a@b.example", "c@d.example"},
		{"smtp://user:hunter2@a.example:x", "a@b.example", "c@d.example"}, {"smtp://a.example", "nobody", "c@d.example"},
		{"smtp://a.example", "a@b.example", "nobody"}, {"smtp://a.example/path", "a@b.example", "c@d.example"},
	} {
		if _, err := NewMail(c.relay, c.from, []string{c.to}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
