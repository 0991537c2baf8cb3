package rows

import (
	"cmp"
	"time"
)

// Retention is how long what is stored is kept. A zero field has its default.
type Retention struct {
	Lists    time.Duration // from when a list was sent, or verified again
	Drafts   time.Duration // of lists that wait to be started
	Results  time.Duration // that are remembered: at most, as each has its time
	Rechecks time.Duration // of greylisted addresses, if they are not settled before
	Webhooks time.Duration // with the tries to send them
	Usage    time.Duration // what keys have used, by day
	Events   time.Duration // who changed what
	Networks time.Duration // from which people sign in
}

const day = 24 * time.Hour

// DefaultRetention keeps webhooks for longer than lists, usage so that a month
// can be compared with that of the year before, and networks for an owner who
// signs in twice a year.
var DefaultRetention = Retention{
	Lists: 30 * day, Drafts: time.Hour, Results: 12 * time.Hour, Rechecks: 6 * time.Hour,
	Webhooks: 35 * day, Usage: 400 * day, Events: 366 * day, Networks: 200 * day,
}

// WithDefaults returns r with its defaults.
func (r Retention) WithDefaults() Retention {
	d := DefaultRetention
	return Retention{
		Lists: cmp.Or(r.Lists, d.Lists), Drafts: cmp.Or(r.Drafts, d.Drafts), Results: cmp.Or(r.Results, d.Results),
		Rechecks: cmp.Or(r.Rechecks, d.Rechecks), Webhooks: cmp.Or(r.Webhooks, d.Webhooks),
		Usage: cmp.Or(r.Usage, d.Usage), Events: cmp.Or(r.Events, d.Events), Networks: cmp.Or(r.Networks, d.Networks),
	}
}
