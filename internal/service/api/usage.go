package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// maxUsageDays is the number of days of usage that can be asked for at once: a
// year and a month, to compare.
const maxUsageDays = 400

// firstYear is the year of the first day that can be asked for. The store takes
// the zero time, which lies before it, for today.
const firstYear = 1970

// UsageStore is what the usage of keys is read from; a
// *[github.com/rcpt/rcpt/internal/service/store.Store] is one.
type UsageStore interface {
	// Usage returns what was counted, in the order of days.
	Usage(context.Context, rows.UsageQuery) ([]rows.Usage, error)
	// QuotaUsed returns how much of a key's quota for the month of at is used
	// or reserved.
	QuotaUsed(ctx context.Context, key string, at time.Time) (int64, error)
}

// usageRecord is the answer to GET /api/v1/usage. Null stands for "no limit".
type usageRecord struct {
	Key struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Test bool   `json:"test,omitempty"` // a test key, which is not counted
	} `json:"key"`
	Month     string `json:"month"`
	Used      int64  `json:"used"`
	Quota     *int64 `json:"quota"`
	Remaining *int64 `json:"remaining"`
	Limit     struct {
		Rate        *float64 `json:"rate"`
		Burst       *int     `json:"burst"`
		Concurrency *int     `json:"concurrency"`
	} `json:"limit"`
	Days []usageDay `json:"days"`
}

type usageDay struct {
	Day           string           `json:"day"`
	Verifications int64            `json:"verifications"`
	Cached        int64            `json:"cached"`
	Results       map[string]int64 `json:"results"`
	Reasons       map[string]int64 `json:"reasons"`
}

// usage answers GET /api/v1/usage. A key sees only its own usage.
func (s *Server) usage(x *exchange.Exchange, r *http.Request, grant *keyring.Grant) bool {
	now := time.Now().UTC()
	asked, err := readUsageQuery(x.QueryOf(r), now)
	if err != nil {
		s.mistaken(x, grant, err)
		return false
	}
	rateFields(x.Header(), grant.Rate())
	asked.Key = grant.ID
	record, err := s.readUsage(r.Context(), grant.Key(), asked, now)
	if err != nil {
		x.Note(slog.String("error", err.Error()))
		s.refused("store")
		x.Busy(exchange.StoreUnavailable, "The usage cannot be read at the moment. Try again later.")
		return false
	}
	x.JSON(http.StatusOK, record)
	return true
}

func (s *Server) readUsage(
	ctx context.Context, key rows.Key, asked rows.UsageQuery, now time.Time,
) (usageRecord, error) {
	record := limitsOf(key)
	record.Month = now.Format("2006-01")
	counted, err := s.config.Usage.Usage(ctx, asked)
	if err != nil {
		return record, err
	}
	record.Days = byDay(counted)
	record.Used, err = s.usedInMonth(ctx, key, now)
	if record.Quota != nil {
		record.Remaining = new(max(0, *record.Quota-record.Used))
	}
	return record, err
}

// usedInMonth returns the units used of the quota or, without a quota, the
// number of answers.
func (s *Server) usedInMonth(ctx context.Context, key rows.Key, now time.Time) (used int64, err error) {
	if key.MonthlyQuota > 0 {
		return s.config.Usage.QuotaUsed(ctx, key.ID, now)
	}
	counted, err := s.config.Usage.Usage(ctx, rows.UsageQuery{Key: key.ID, From: firstOfMonth(now), To: now})
	for _, row := range counted {
		used += row.Count
	}
	return used, err
}

func limitsOf(key rows.Key) (record usageRecord) {
	record.Key.ID, record.Key.Name, record.Key.Test = key.ID, key.Name, key.Test
	record.Limit.Concurrency = limited(key.Concurrency)
	record.Quota = limited(key.MonthlyQuota)
	if record.Limit.Rate = limited(key.RatePerSecond); record.Limit.Rate != nil {
		record.Limit.Burst = &key.Burst
	}
	return record
}

// limited returns a limit, or nil for zero, which means no limit.
func limited[T int | int64 | float64](limit T) *T {
	if limit <= 0 {
		return nil
	}
	return &limit
}

// byDay adds up the usage by day. Its input is in the order of days.
func byDay(counted []rows.Usage) []usageDay {
	days := []usageDay{} // not null in JSON
	for _, row := range counted {
		day := row.Day.Format(time.DateOnly)
		if len(days) == 0 || days[len(days)-1].Day != day {
			days = append(days, usageDay{Day: day, Results: make(map[string]int64), Reasons: make(map[string]int64)})
		}
		last := &days[len(days)-1]
		last.Verifications += row.Count
		last.Results[row.Result] += row.Count
		last.Reasons[row.Reason] += row.Count
		if row.Cached {
			last.Cached += row.Count
		}
	}
	return days
}

// readUsageQuery reads which days are asked for. Errors are [exchange.Fault].
func readUsageQuery(q *exchange.Query, now time.Time) (asked rows.UsageQuery, err error) {
	if q.Err != nil {
		return asked, q.Err
	}
	if asked.To, err = readDay(q, "to", now.Truncate(24*time.Hour)); err != nil {
		return asked, err
	}
	if asked.From, err = readDay(q, "from", firstOfMonth(asked.To)); err != nil {
		return asked, err
	}
	switch days := asked.To.Sub(asked.From).Hours()/24 + 1; {
	case days < 1:
		return asked, exchange.BadRequest(exchange.InvalidParameter,
			`The parameter "from" is after "to", which is today where it is not given.`)
	case days > maxUsageDays:
		return asked, exchange.BadRequest(exchange.InvalidParameter,
			`From "from" to "to" are more than %d days: ask for fewer at a time.`, maxUsageDays)
	}
	return asked, nil
}

func readDay(q *exchange.Query, name string, otherwise time.Time) (time.Time, error) {
	text, given, err := q.One(name)
	if !given {
		return otherwise, err
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < firstYear {
		return otherwise, exchange.BadRequest(exchange.InvalidParameter,
			"The parameter %q must be a day as in 2026-01-31.", name)
	}
	return day, nil
}

func firstOfMonth(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}
