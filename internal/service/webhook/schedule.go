package webhook

import (
	"math/rand/v2"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// delays are the waits after each failed try, as in the example of the
// specification: three days and three and a half hours in all.
var delays = [...]time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	// jitter lengthens each wait by up to a tenth, so that webhooks that failed
	// together are not repeated together.
	jitter = 10
	// progressRetries is how often a webhook of progress is tried again: the
	// next one says more.
	progressRetries = 2
	// maxRetryAfter bounds what a receiver may ask for.
	maxRetryAfter = 24 * time.Hour
)

// after decides what follows a try: the new state and, if that is pending, how
// long to wait.
func after(w rows.ClaimedWebhook, status int, retryAfter time.Duration) (rows.WebhookState, time.Duration) {
	switch {
	case status >= 200 && status <= 299:
		return rows.WebhookDelivered, 0
	case status == 410:
		return rows.WebhookDisabled, 0
	case w.Job == "" || w.Step >= len(delays) || w.Event == rows.EventProgress && w.Step >= progressRetries:
		// A test, which has no job, shows what happens now.
		return rows.WebhookFailed, 0
	}
	wait := delays[w.Step]
	wait += rand.N(wait / jitter)
	return rows.WebhookPending, max(wait, min(retryAfter, maxRetryAfter))
}
