package headway

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

var now = time.Date(2026, 11, 24, 20, 0, 0, 0, time.UTC)

// of is a provider with limits.
func of(name string, limits pace.Limits, s pace.State) smtpprobe.ProviderPace {
	return smtpprobe.ProviderPace{Rules: pace.Rules{Provider: name, Limits: limits}, State: s, Waiting: 1}
}

func paces(all ...smtpprobe.ProviderPace) []smtpprobe.ProviderPace { return all }

func steady(rate float64) Rate { return Rate{rate, rate, true} }

// TestTimeLeft: the time left is that of the slowest part, and where nothing
// says how long that takes, it is not known.
func TestTimeLeft(t *testing.T) {
	const big = "acme.example"
	at := func(n int64) map[string]int64 { return map[string]int64{big: n} }
	free := pace.Limits{SessionsPerMinute: pace.Unlimited, RecipientsPerMinute: pace.Unlimited,
		RecipientsPerSession: pace.Unlimited, RecipientsPerDay: pace.Unlimited}
	limited := free
	limited.RecipientsPerMinute = 800 // 700 for lists
	daily := free
	daily.RecipientsPerDay, daily.RecipientsPerMinute = 8000, 800 // 7000 for lists
	few := free
	few.SessionsPerMinute, few.RecipientsPerSession = 8, 10 // 7 for lists
	for _, c := range []struct {
		name string
		list List
		want time.Duration // less than zero: not known
	}{
		{"nothing is left", List{Rate: steady(0)}, 0},
		{"it goes on as it went", List{Left: 600, Rate: steady(10)}, time.Minute},
		{"nothing was measured", List{Left: 600}, -1},
		{"nothing has moved for ten seconds", List{Left: 600, Rate: Rate{0, 100, true}}, -1},
		{"a burst does not count for more than the minute", List{Left: 600, Rate: Rate{1000, 5, true}}, 2 * time.Minute},
		{"it has become slower", List{Left: 600, Rate: Rate{1, 100, true}}, 10 * time.Minute},
		{"slowed, at the pace of the last minute", List{Left: 29_000, At: at(29_000), Rate: Rate{1000, 2000, true},
			Paces: paces(of(big, free, pace.State{Slowed: pace.Harvesting, LastMinute: 1000}))}, 29 * time.Minute},
		{"slowed, and nothing has moved", List{Left: 29_000, At: at(29_000), Rate: Rate{0, 2000, true},
			Paces: paces(of(big, free, pace.State{Slowed: pace.Harvesting, LastMinute: 1000}))}, 29 * time.Minute},
		{"slowed, in steps of a minute", List{Left: 25_000, At: at(25_000), Rate: Rate{0, 2000, true},
			Paces: paces(of(big, free, pace.State{Slowed: pace.Harvesting, LastMinute: 9400, Next: now.Add(50 * time.Second)}))}, 170 * time.Second},
		{"the last step", List{Left: 8000, At: at(8000), Rate: Rate{0, 2000, true},
			Paces: paces(of(big, free, pace.State{Slowed: pace.Harvesting, LastMinute: 9400, Next: now.Add(50 * time.Second)}))}, 50 * time.Second},
		{"slowed, by another list", List{Left: 600, At: at(0), Rate: steady(10),
			Paces: paces(of(big, free, pace.State{Slowed: pace.Harvesting, LastMinute: 1}))}, time.Minute},
		{"slowed, and nothing says how slowly", List{Left: 600, At: at(10), Rate: steady(100),
			Paces: paces(of(big, free, pace.State{Slowed: pace.RateLimited}))}, -1},
		{"at its limit", List{Left: 7000, At: at(7000), Rate: Rate{0, 900, true},
			Paces: paces(of(big, limited, pace.State{LastMinute: 700}))}, 10 * time.Minute},
		{"at the limit of its sessions", List{Left: 700, At: at(700), Rate: steady(900),
			Paces: paces(of(big, few, pace.State{Opened: 7, LastMinute: 70}))}, 10 * time.Minute},
		{"at its limit since ten seconds", List{Left: 6000, At: at(6000), Rate: steady(10),
			Paces: paces(of(big, few, pace.State{Opened: 7, LastMinute: 10, Busy: 10 * time.Second}))}, 100 * time.Minute},
		{"within its limits", List{Left: 600, At: at(600), Rate: steady(10),
			Paces: paces(of(big, limited, pace.State{LastMinute: 300}))}, time.Minute},
		{"the others take longer", List{Left: 7700, At: at(700), Rate: steady(1),
			Paces: paces(of(big, limited, pace.State{LastMinute: 700}))}, 7000 * time.Second},
		{"by two egresses", List{Left: 7000, At: at(7000),
			Paces: paces(of(big, limited, pace.State{LastMinute: 700}), of(big, limited, pace.State{LastMinute: 700}))}, 5 * time.Minute},
		{"paused, then as its limits allow", List{Left: 700, At: at(700), Rate: steady(1),
			Paces: paces(of(big, limited, pace.State{Paused: pace.Blocked, PausedUntil: now.Add(5 * time.Minute), LastMinute: 1}))}, 6 * time.Minute},
		{"paused, and nothing says how fast then", List{Left: 700, At: at(700), Rate: steady(1),
			Paces: paces(of(big, free, pace.State{Paused: pace.Blocked, PausedUntil: now.Add(5 * time.Minute)}))}, -1},
		{"more than a day allows", List{Left: 14_000, At: at(14_000), Rate: steady(10),
			Paces: paces(of(big, daily, pace.State{LastDay: 7000, LastMinute: 700, Slowed: pace.BudgetSpent}))}, 48 * time.Hour},
		{"some are due later", List{Left: 700, Later: 100, First: now.Add(time.Minute), Last: now.Add(20 * time.Minute), Rate: steady(10)}, 20 * time.Minute},
		{"all are due later", List{Left: 100, Later: 100, Last: now.Add(20 * time.Minute), Rate: steady(0)}, 20 * time.Minute},
		{"our network is broken", List{Left: 700, Rate: steady(10), Network: NoResolver}, -1},
		{"a hundred years", List{Left: 1e9, Rate: steady(0.1)}, -1},
	} {
		got, known := c.list.TimeLeft(now)
		if !known {
			got = -1
		}
		if got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestWaiting: what addresses wait for, in words.
func TestWaiting(t *testing.T) {
	soon, later := now.Add(time.Minute), now.Add(time.Hour)
	for _, c := range []struct {
		name string
		list List
		want []Waiting
	}{
		{"nothing", List{Left: 5, At: map[string]int64{"a.example": 5}}, nil},
		{"slowed", List{Left: 30_000, At: map[string]int64{"acme.example": 29_000, "calm.example": 1000},
			Paces: paces(of("acme.example", pace.Limits{}, pace.State{Slowed: pace.Harvesting}), of("calm.example", pace.Limits{}, pace.State{}))},
			[]Waiting{{For: "acme.example", Addresses: 29_000, Reason: "harvesting",
				Message: "29,000 wait for acme.example: slowed down because most of its mailboxes do not exist"}}},
		{"slowed, of others", List{Left: 30_000, At: map[string]int64{"calm.example": 1000},
			Paces: paces(of("acme.example", pace.Limits{}, pace.State{Slowed: pace.Harvesting}))}, nil},
		{"the one with most comes first, and one that is asked by an egress does not hold up", List{
			At: map[string]int64{"a.example": 1, "b.example": 2, "c.example": 3},
			Paces: paces(of("a.example", pace.Limits{}, pace.State{Slowed: pace.RateLimited}),
				of("b.example", pace.Limits{}, pace.State{Paused: pace.Blocked, PausedUntil: later}), of("b.example", pace.Limits{}, pace.State{Paused: pace.Blocked, PausedUntil: soon}),
				of("c.example", pace.Limits{}, pace.State{Paused: pace.Blocked, PausedUntil: later}), of("c.example", pace.Limits{}, pace.State{}))},
			[]Waiting{
				{For: "b.example", Addresses: 2, Reason: "blocked", Until: soon, Message: "2 wait for b.example: paused because it refused this server"},
				{For: "a.example", Addresses: 1, Reason: "rate_limited", Message: "1 waits for a.example: slowed down because it found this server too fast"},
			}},
		{"a later try", List{Left: 3, Later: 1, First: soon, Last: later},
			[]Waiting{{For: "later", Addresses: 1, Reason: "temporary", Until: soon, Message: "1 is asked again later, after a temporary answer"}}},
		{"a later try at a provider that is paused", List{Left: 50, Later: 50, First: soon, Last: later, LaterAt: map[string]int64{"a.example": 30, "b.example": 20},
			Paces: paces(of("a.example", pace.Limits{}, pace.State{Paused: pace.Blocked, PausedUntil: later}), of("b.example", pace.Limits{}, pace.State{Slowed: pace.RateLimited}))},
			[]Waiting{
				{For: "a.example", Addresses: 30, Reason: "blocked", Until: later, Message: "30 wait for a.example: paused because it refused this server"},
				{For: "later", Addresses: 20, Reason: "temporary", Until: soon, Message: "20 are asked again later, after a temporary answer"},
			}},
		{"our network", List{Left: 47, Network: NoResolver},
			[]Waiting{{For: "network", Addresses: 47, Reason: "resolver", Message: "This server's DNS does not work: lists wait until it does"}}},
	} {
		if diff := cmp.Diff(c.want, c.list.Waiting(now)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestMeter: the rate is that of the last ten seconds, also if it was another
// before, and while nobody looks.
func TestMeter(t *testing.T) {
	var m Meter
	if r := m.Rate(5, now); r.Known {
		t.Errorf("without a mark: %+v", r)
	}
	at, done := now, int64(0)
	second := func(n int64) {
		m.Note(done, at)
		at, done = at.Add(time.Second), done+n
	}
	for range 5 {
		second(1000)
	}
	if r := m.Rate(done, at); r != (Rate{1000, 1000, true}) {
		t.Errorf("after five seconds: %+v", r)
	}
	for range 10 {
		second(0)
	}
	if r := m.Rate(done, at); r.Now != 0 || r.Lasting != 5000.0/15 {
		t.Errorf("after ten seconds without any: %+v", r)
	}
	for range 100 {
		second(2)
	}
	if r := m.Rate(done, at); r != (Rate{2, 2, true}) {
		t.Errorf("after a hundred: %+v", r)
	}
	if len(m.marks) > 65 {
		t.Errorf("%d marks are kept", len(m.marks))
	}
}
