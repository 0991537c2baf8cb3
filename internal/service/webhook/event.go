package webhook

import (
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// TestEvent is the type of the event that tests a receiver.
const TestEvent = "webhook.test"

// Test returns a webhook that tests a receiver of a key. It is sent once.
func Test(key, url string, now time.Time) (rows.Webhook, error) {
	body, err := rows.WebhookBody(TestEvent, now, struct {
		Message string `json:"message"`
	}{"If you read this, the receiver works."})
	return rows.Webhook{Key: key, Event: TestEvent, URL: url, Body: body}, err
}
