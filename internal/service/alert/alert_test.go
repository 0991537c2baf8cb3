package alert

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
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

// TestTriedAgain: a message is tried until it is sent, and one sender does not
// hold the other up.
func TestTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		bad, good := &inbox{fails: 20}, &inbox{}
		n := start(ctx, bad, good)
		n.Report(NetworkFails, []Problem{{Subject: "port"}})
		synctest.Wait()
		if good.texts() != "problem port" || bad.texts() != "" {
			t.Errorf("at first %q and %q", good.texts(), bad.texts())
		}
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if bad.texts() != "problem port" || bad.count() != 21 {
			t.Errorf("later %q, %d tries", bad.texts(), bad.count())
		}
		cancel()
		synctest.Wait()
	})
}

// TestNewestIsSent: of a problem that ends before anybody could be told of it
// the recovery is sent, which says what it was. Others are not forgotten.
func TestNewestIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		got := &inbox{fails: 5}
		n := start(ctx, got)
		n.Report(NetworkFails, []Problem{{Subject: "port", Text: "Port 25 is closed."}})
		n.Report(DoctorFault, []Problem{{Subject: "PTR"}})
		time.Sleep(time.Minute)
		n.Report(NetworkFails, nil)
		time.Sleep(time.Hour)
		synctest.Wait()
		if texts := got.texts(); texts != "recovered port, problem PTR" && texts != "problem PTR, recovered port" {
			t.Errorf("sent: %q", texts)
		}
		for _, m := range got.messages {
			if m.Event == NetworkFails && m.Text != "It is over: Port 25 is closed." {
				t.Errorf("the recovery says %q", m.Text)
			}
		}
		cancel()
		synctest.Wait()
	})
}

// TestNobodyListens: messages that wait are bounded, and the log has how many
// are left in the end.
func TestNobodyListens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		dead := &inbox{fails: 1 << 20}
		n := New(Config{Senders: []Sender{dead}, Log: slog.New(slog.NewTextHandler(&log, nil))})
		var problems []Problem
		for range 2 * mostWaiting {
			problems = append(problems, Problem{Subject: strings.Repeat("x", len(problems))})
		}
		n.Report(DoctorFault, problems)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		n.Run(ctx)
		if dropped := strings.Count(log.String(), "was dropped"); dropped != mostWaiting {
			t.Errorf("%d were dropped", dropped)
		}
		if !strings.Contains(log.String(), "could not be sent\" alerts=100") {
			t.Error(log.String())
		}
	})
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
