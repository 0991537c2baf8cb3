package client

import (
	"context"
	"net/url"
	"time"

	"github.com/rcpt/rcpt"
)

// Usage returns the usage of the key from one day to another, in UTC, both
// included, 400 days at most. A zero to is today; a zero from is the first day
// of the month of to.
func (c *Client) Usage(ctx context.Context, from, to time.Time) (Usage, error) {
	query := url.Values{}
	for name, day := range map[string]time.Time{"from": from, "to": to} {
		if !day.IsZero() {
			query.Set(name, day.UTC().Format(time.DateOnly))
		}
	}
	var u Usage
	err := c.get(ctx, "api/v1/usage", query, &u)
	return u, err
}

// Usage is the usage and quota of the client's key this month, and its usage by
// day.
type Usage struct {
	Key       Key    `json:"key"`
	Month     string `json:"month"`     // for which the next three are, as 2026-11
	Used      int64  `json:"used"`      // verifications
	Quota     *int64 `json:"quota"`     // nil: no limit
	Remaining *int64 `json:"remaining"` // of Quota
	Days      []Day  `json:"days"`      // those with a verification, the first one first
}

// Key is the key of a client, without its text.
type Key struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Test bool   `json:"test"` // nobody is asked with it, and nothing is counted
}

// Day is the usage of a key on one day.
type Day struct {
	Day           string                 `json:"day"` // as 2026-11-22
	Verifications int64                  `json:"verifications"`
	Cached        int64                  `json:"cached"` // of Verifications: remembered results
	Results       map[rcpt.Verdict]int64 `json:"results"`
	Reasons       map[rcpt.Reason]int64  `json:"reasons"`
}
