package demo

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
)

// usageDays is how many days the invented usage covers, up to today.
const usageDays = 14

// client is a program that uses the service.
type client struct {
	key     store.Key
	weekday int     // verifications on a weekday, about
	weekend int     // and on another day
	cached  float64 // the share that was remembered
}

var clients = []client{
	{store.Key{Name: "Shop sign-up form", Scopes: []store.Scope{store.ScopeVerify}, RatePerSecond: 10, Burst: 10},
		420, 560, 0.15},
	{store.Key{Name: "CRM", Scopes: []store.Scope{store.ScopeVerify, store.ScopeUsage}}, 260, 12, 0.45},
	{store.Key{Name: "Newsletter", Scopes: []store.Scope{store.ScopeVerify, store.ScopeBulk}, RatePerSecond: 50,
		Burst: 50}, 130, 90, 0.3},
}

// outcomes are the results of verifications with their percentages.
var outcomes = []struct {
	share   int
	verdict rcpt.Verdict
	reason  rcpt.Reason
	typical time.Duration
}{
	{62, rcpt.VerdictDeliverable, rcpt.ReasonRecipientAccepted, 380 * time.Millisecond},
	{11, rcpt.VerdictAcceptAll, rcpt.ReasonCatchAll, 450 * time.Millisecond},
	{10, rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound, 350 * time.Millisecond},
	{5, rcpt.VerdictUndeliverable, rcpt.ReasonDomainNotFound, 30 * time.Millisecond},
	{3, rcpt.VerdictUndeliverable, rcpt.ReasonInvalidSyntax, time.Millisecond},
	{4, rcpt.VerdictUnknown, rcpt.ReasonGreylisted, 520 * time.Millisecond},
	{2, rcpt.VerdictUnknown, rcpt.ReasonMailboxFull, 400 * time.Millisecond},
	{2, rcpt.VerdictUnknown, rcpt.ReasonConnectionTimeout, 8 * time.Second},
	{1, rcpt.VerdictUnknown, rcpt.ReasonBlocked, 300 * time.Millisecond},
}

// SeedUsage writes two weeks of invented usage, and its keys, to a data folder
// for the dashboard. For a given day it always writes the same.
func SeedUsage(ctx context.Context, folder string, now time.Time) (err error) {
	first := now.AddDate(0, 0, -usageDays+1)
	// when the keys were created
	s, err := store.Open(ctx, store.Options{DataDir: folder, Now: func() time.Time { return first }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	random := rand.New(rand.NewPCG(1, 2))
	for _, client := range clients {
		_, key, err := keyring.NewKey(ctx, s, store.ByCommand("demo"), client.key)
		if err != nil {
			return err
		}
		for day := first; !day.After(now); day = day.AddDate(0, 0, 1) {
			for range client.count(day, random) {
				s.RecordUse(client.use(key.ID, day, random))
			}
		}
		s.TouchKey(key.ID, now.Add(-time.Duration(random.IntN(50)+1)*time.Minute))
	}
	return s.Flush(ctx)
}

// count is how many verifications a client requests on a day.
func (c client) count(day time.Time, random *rand.Rand) int {
	about := c.weekday
	if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		about = c.weekend
	}
	return about*3/4 + random.IntN(about/2+1)
}

func (c client) use(key string, day time.Time, random *rand.Rand) store.Use {
	use := store.Use{Key: key, At: day}
	left := random.IntN(100)
	for _, o := range outcomes {
		if left -= o.share; left < 0 {
			use.Result, use.Reason = string(o.verdict), string(o.reason)
			use.Duration = o.typical/2 + time.Duration(random.Int64N(int64(o.typical)))
			break
		}
	}
	if random.Float64() < c.cached {
		use.Cached, use.Duration = true, time.Duration(random.IntN(900)+100)*time.Microsecond
	}
	return use
}
