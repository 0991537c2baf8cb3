package rows

import (
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
	Created       time.Time // zero: there is none yet
	PreviousUntil time.Time // until when the secret before it signs as well; zero: it does not
}

// WebhookQuery says which webhooks are wanted, the latest first.
type WebhookQuery struct {
	Key    string       // the ID; empty: of every key
	Job    string       // empty: any
	State  WebhookState // empty: any
	Before string       // the ID of a webhook: those before it; empty: from the latest on
	Limit  int
}
