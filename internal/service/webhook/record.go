package webhook

import (
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// PreviousSecretFor is how long the secret before the present one still signs:
// a day to change over.
const PreviousSecretFor = 24 * time.Hour

// Record is a webhook in JSON.
type Record struct {
	ID      string            `json:"id"`
	Event   string            `json:"event"`
	Job     string            `json:"job,omitempty"`
	URL     string            `json:"url"`
	State   rows.WebhookState `json:"state"`
	Created time.Time         `json:"created_at"`
	Next    time.Time         `json:"next_try_at,omitzero"`
	Tries   int               `json:"tries"`
	Log     []TryRecord       `json:"log,omitempty"`
}

// TryRecord is one try in JSON.
type TryRecord struct {
	Number   int       `json:"number"`
	At       time.Time `json:"at"`
	Status   int       `json:"status,omitempty"`
	Error    string    `json:"error,omitempty"`
	Duration int64     `json:"duration_ms"`
	Answer   string    `json:"answer,omitempty"`
}

// RecordOf returns a webhook and its tries as a Record.
func RecordOf(w rows.Webhook, tries []rows.WebhookTry) Record {
	record := Record{
		ID: w.ID, Event: w.Event, Job: w.Job, URL: w.URL, State: w.State,
		Created: w.Created, Next: w.Next, Tries: w.Tries,
	}
	for _, t := range tries {
		record.Log = append(record.Log, TryRecord{
			t.Number, t.At, t.Status, t.Error, t.Duration.Milliseconds(), t.Answer,
		})
	}
	return record
}

// SecretRecord says in JSON how old the secret is; its text is there only when
// it is new.
type SecretRecord struct {
	Secret        string    `json:"secret,omitempty"`
	Created       time.Time `json:"created_at,omitzero"`
	PreviousUntil time.Time `json:"previous_until,omitzero"`
}
