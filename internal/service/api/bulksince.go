package api

import (
	"context"
	"net/url"
	"time"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// sinceFields are the texts beside a list that say which results are there, and
// who is told when it has ended.
var sinceFields = []string{"since", "since_max_age", "since_date", "compared_with", "notify"}

// readSince takes them.
func (u *upload) readSince(given url.Values) (err error) {
	u.since.List, u.comparedWith = given.Get("since"), given.Get("compared_with")
	age, date := given.Get("since_max_age"), given.Get("since_date")
	if u.since.List == "" && age+date != "" {
		return exchange.BadRequest(exchange.InvalidParameter, `"since_max_age" and "since_date" need "since".`)
	}
	if age != "" {
		if u.since.MaxAge, err = list.ReadAge(age); err != nil {
			return exchange.BadRequest(exchange.InvalidParameter,
				`"since_max_age" must be a number of days or hours: 90d or 12h.`)
		}
	}
	if date == "" {
		return nil
	}
	if u.since.List != jobs.SinceSelf {
		return exchange.BadRequest(exchange.InvalidParameter, `"since_date" is for "since=self".`)
	}
	if u.since.Date, err = jobs.ReadDay(date); err != nil {
		return exchange.BadRequest(exchange.InvalidParameter,
			`"since_date" must be a day that has been, as in 2026-10-01.`)
	}
	return nil
}

// readNotify takes the address for a mail when the list has ended.
func (u *upload) readNotify(given url.Values) error {
	if u.notify = given.Get("notify"); u.notify == "" {
		return nil
	}
	if err := jobs.CheckNotify(u.notify); err != nil {
		return exchange.BadRequest(exchange.InvalidParameter, `"notify" cannot be used: %s.`, err)
	}
	return nil
}

// comparison is an earlier list as a job shows it beside its own counters.
type comparison struct {
	ID        string                     `json:"id"`
	Name      string                     `json:"name"`
	Rows      int64                      `json:"rows"`
	Addresses int64                      `json:"addresses"`
	Done      int64                      `json:"done"`
	Results   map[string]int64           `json:"results"`
	Groups    map[string]rows.GroupCount `json:"groups,omitempty"`
	Created   time.Time                  `json:"created_at"`
}

// compared returns the list that a job is compared with; nil: none, or it is
// deleted.
func (s *Server) compared(ctx context.Context, j rows.Job, owners []string) *comparison {
	if j.ComparedWith == "" {
		return nil
	}
	with, err := s.config.Jobs.Job(ctx, j.ComparedWith, owners)
	if err != nil {
		return nil
	}
	return &comparison{
		with.ID, with.Name, with.Rows, with.Addresses, with.Done, with.Results, with.Groups, with.Created,
	}
}
