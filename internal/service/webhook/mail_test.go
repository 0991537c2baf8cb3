package webhook

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// mails is a relay that remembers what it was given.
type mails struct {
	to, subject, text string
	err               error
}

func (m *mails) SendTo(_ context.Context, to, subject, text string) error {
	m.to, m.subject, m.text = to, subject, text
	return m.err
}

// TestMail: the end of a list goes to an address, in words for people; what
// strangers wrote breaks no header.
func TestMail(t *testing.T) {
	relay := &mails{}
	s := New(Config{Mailer: relay, PublicURL: "https://rcpt.acme.example"})
	body, err := rows.WebhookBody("job.completed", time.Now(), map[string]any{
		"id": "job_1", "name": "spring\r\nBcc: eve@b.example", "state": "done", "rows": 4, "addresses": 3, "done": 3,
		"results": map[string]int{"deliverable": 2, "undeliverable": 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := rows.ClaimedWebhook{Webhook: rows.Webhook{URL: "mailto:ops@acme.example", Body: body}}
	try, _ := s.try(t.Context(), w)
	if state, _ := after(w, try.Status, 0); state != rows.WebhookDelivered || try.Error != "" {
		t.Errorf("%+v", try)
	}
	if relay.to != "ops@acme.example" || strings.ContainsAny(relay.subject, "\r\n") ||
		!strings.HasPrefix(relay.subject, "[rcpt] done: spring") {
		t.Errorf("%+v", relay)
	}
	for _, want := range []string{"3 of 3 addresses in 4 rows", "2  deliverable\n", "1  undeliverable\n", "https://rcpt.acme.example/lists/job_1"} {
		if !strings.Contains(relay.text, want) {
			t.Errorf("%s\nlacks %s", relay.text, want)
		}
	}

	relay.err = errors.New("the relay is away")
	w.Job = "job_1"
	try, _ = s.try(t.Context(), w)
	if state, _ := after(w, try.Status, 0); state != rows.WebhookPending || try.Error != "the relay is away" {
		t.Errorf("%+v", try)
	}
	if try, _ := New(Config{}).try(t.Context(), w); try.Error == "" || try.Status != 0 {
		t.Errorf("without a relay: %+v", try)
	}
}
