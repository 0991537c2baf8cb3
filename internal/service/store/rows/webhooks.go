package rows

import (
	"bytes"
	"encoding/json"
	"time"
)

// WebhookState is how far a webhook is.
type WebhookState string

// The states.
const (
	WebhookPending   WebhookState = "pending"   // to be sent, or to be sent again
	WebhookDelivered WebhookState = "delivered" // confirmed
	WebhookFailed    WebhookState = "failed"    // not confirmed in three days
	WebhookDisabled  WebhookState = "disabled"  // the receiver has answered 410 Gone
)

// EventProgress is the event of a job that goes on: what it tells is out of
// date soon.
const EventProgress = "job.progress"

// MailScheme begins the URL of a webhook that is a mail: the address follows.
const MailScheme = "mailto:"

// Webhook is an event that is sent to a URL until the receiver confirms it.
type Webhook struct {
	ID      string // made by the store; the same on every try
	Key     string // the ID of the key that it belongs to; of keys that replaced one another, the first
	Job     string // the ID of the job that it tells of; empty: a test
	Event   string // such as "job.completed"
	URL     string
	Body    json.RawMessage // sent as it is
	State   WebhookState
	Created time.Time
	Next    time.Time // when it is sent next; zero: never
	Tries   int       // so far
}

// ClaimedWebhook is a webhook that a node is to send now.
type ClaimedWebhook struct {
	Webhook
	Secrets []string // that sign it, the current one first
	Step    int      // how many tries there were since its schedule began
	Claim   int64    // goes up whenever a node takes it
}

// WebhookTry is one try to send a webhook.
type WebhookTry struct {
	Number   int // from 1
	At       time.Time
	Status   int    // of the answer; 0: there was none
	Error    string // why there was none
	Duration time.Duration
	Answer   string // the first octets of its body
}

// WebhookSecret says how old the secret of a key is, without its text.
type WebhookSecret struct {
	Created       time.Time // zero: no secret yet
	PreviousUntil time.Time // until when the secret before it signs, too; zero: it does not
}

// WebhookQuery says which webhooks are wanted, the latest first.
type WebhookQuery struct {
	Key    string       // the ID; empty: of every key
	Job    string       // empty: any
	State  WebhookState // empty: any
	Before string       // the ID of a webhook: those before it; empty: from the latest on
	Limit  int
}

// WebhookBody returns the body of a webhook, as the Standard Webhooks
// specification recommends it: what happened, when, and data about it.
func WebhookBody(event string, at time.Time, data any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      any       `json:"data"`
	}{event, at.UTC().Truncate(time.Millisecond), data})
	return bytes.TrimSpace(text.Bytes()), err
}
