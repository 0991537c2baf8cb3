package pace

import (
	"strconv"
	"time"
)

// limitField is a field of [Limits], as a number.
type limitField struct {
	name  string
	count func(*Limits) *int           // nil: it is a duration
	time  func(*Limits) *time.Duration // nil: it is a count
}

var limitFields = []limitField{
	{name: "sessions", count: func(l *Limits) *int { return &l.Sessions }},
	{name: "sessions_per_minute", count: func(l *Limits) *int { return &l.SessionsPerMinute }},
	{name: "recipients_per_session", count: func(l *Limits) *int { return &l.RecipientsPerSession }},
	{name: "recipients_per_minute", count: func(l *Limits) *int { return &l.RecipientsPerMinute }},
	{name: "recipients_per_day", count: func(l *Limits) *int { return &l.RecipientsPerDay }},
	{name: "refused_pause", time: func(l *Limits) *time.Duration { return &l.RefusedPause }},
	{name: "deferred_pause", time: func(l *Limits) *time.Duration { return &l.DeferredPause }},
	{name: "throttled_pause", time: func(l *Limits) *time.Duration { return &l.ThrottledPause }},
	{name: "slow_for", time: func(l *Limits) *time.Duration { return &l.SlowFor }},
}

func (f *limitField) of(l *Limits) int64 {
	if f.count == nil {
		return int64(*f.time(l))
	}
	return int64(*f.count(l))
}

func (f *limitField) set(l *Limits, value int64) {
	if f.count == nil {
		*f.time(l) = time.Duration(value)
		return
	}
	*f.count(l) = int(value)
}

// preset returns what a preset makes of a value. Pauses answer what a provider
// has done, and are the same in all.
func (f *limitField) preset(p Preset, value int64) int64 {
	switch {
	case f.count == nil || value < 0:
		return value
	case p == Careful:
		return (value + 1) / 2
	case p == Off:
		return Unlimited
	}
	return value
}

func (f *limitField) text(value int64) string {
	switch {
	case value < 0:
		return "none"
	case f.count == nil:
		return time.Duration(value).String()
	}
	return strconv.FormatInt(value, 10)
}
