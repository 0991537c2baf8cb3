package pace

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

var start = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)

// newProvider returns a provider of the table with these limits.
func newProvider(l Limits, s Settings) *Provider {
	s = s.WithDefaults()
	return NewProvider(s.Rules(Table{Provider: "p", Known: true, Limits: l}), s)
}

func domain(i int) string { return fmt.Sprintf("d%d.example", i) }

// TestPauses checks that a pause needs something that is about us at the
// provider, and not about customers of it.
func TestPauses(t *testing.T) {
	block := func(from, to int, early bool) func(*Provider) {
		return func(p *Provider) {
			for i := from; i < to; i++ {
				p.Blocked(domain(i), early, 550, start)
			}
		}
	}
	answer := func(from, to int) func(*Provider) {
		return func(p *Provider) {
			for i := from; i < to; i++ {
				p.Answered(domain(i))
			}
		}
	}
	for _, tt := range []struct {
		name   string
		events []func(*Provider)
		paused bool
	}{
		{"nothing", nil, false},
		{"four domains before RCPT", []func(*Provider){block(0, 4, true)}, false},
		{"five domains before RCPT", []func(*Provider){block(0, 5, true)}, true},
		{"five with an answer in between", []func(*Provider){block(0, 4, true), answer(9, 10), block(4, 5, true)}, false},
		{"five policies of customers", []func(*Provider){block(0, 5, false)}, false},
		{"nineteen domains at RCPT", []func(*Provider){block(0, 19, false)}, false},
		{"twenty domains at RCPT, and no answer", []func(*Provider){block(0, 20, false)}, true},
		{"twenty with an answer in between", []func(*Provider){block(0, 19, false), answer(30, 31), block(19, 20, false)}, false},
		{"two domains that answered before", []func(*Provider){answer(0, 2), block(0, 2, false)}, false},
		{"three domains that answered before", []func(*Provider){answer(0, 3), block(0, 3, false)}, true},
		{"one that answered, and ten others", []func(*Provider){answer(0, 1), block(0, 11, false)}, false},
		{"one domain at RCPT, many times", []func(*Provider){func(p *Provider) {
			for range 1000 {
				p.Blocked("d.example", false, 550, start)
			}
		}}, false},
		{"one domain before RCPT, a few times", []func(*Provider){func(p *Provider) {
			for range 20 {
				p.Blocked("d.example", true, 550, start)
			}
		}}, false},
		{"one domain before RCPT, many times", []func(*Provider){func(p *Provider) {
			for range 50 {
				p.Blocked("d.example", true, 550, start)
			}
		}}, true},
		{"too fast", []func(*Provider){func(p *Provider) {
			for range 100 {
				p.RateLimited(start, start)
			}
		}}, false},
	} {
		p := newProvider(Limits{}, Settings{})
		for _, event := range tt.events {
			event(p)
		}
		if until, paused := p.Paused(start.Add(time.Second)); paused != tt.paused || paused == until.IsZero() {
			t.Errorf("%s: paused %t until %v, want %t", tt.name, paused, until, tt.paused)
		}
	}
}

// TestPausesGrow checks that each pause is twice as long as the last up to the
// longest, that it ends with one session, and that an answer makes the next one
// short again.
func TestPausesGrow(t *testing.T) {
	p, now := newProvider(Limits{Sessions: 10}, Settings{}), start
	block := func() {
		for i := range 5 {
			p.Blocked(domain(i), true, 550, now)
		}
	}
	for i, want := range []time.Duration{5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute, time.Hour, time.Hour} {
		block()
		until, paused := p.Paused(now)
		if !paused || until.Sub(now) != want || p.State(now).Pauses != i+1 {
			t.Fatalf("pause %d lasts %v, want %v; %d pauses", i+1, until.Sub(now), want, p.State(now).Pauses)
		}
		if ok, at := p.MayOpen(now, false); ok || !at.Equal(until) {
			t.Fatalf("pause %d: a session may begin at %v", i+1, at)
		}
		now = until
		if _, paused := p.Paused(now); paused || p.Allowed(now) != 1 {
			t.Fatalf("pause %d does not end, or with %d sessions", i+1, p.Allowed(now))
		}
	}
	for range 100 { // a length that overflowed would be none
		block()
		until, paused := p.Paused(now)
		if !paused || until.Sub(now) != time.Hour {
			t.Fatalf("a later pause lasts %v", until.Sub(now))
		}
		now = until
	}
	p.Answered("d.example")
	block()
	if until, _ := p.Paused(now); until.Sub(now) != 5*time.Minute {
		t.Errorf("after an answer, a pause lasts %v", until.Sub(now))
	}
	long := newProvider(Limits{RefusedPause: 2 * time.Hour}, Settings{})
	never := newProvider(Limits{RefusedPause: Unlimited}, Settings{})
	for i := range 5 {
		long.Blocked(domain(i), true, 550, start)
		never.Blocked(domain(i), true, 550, start)
	}
	if until, _ := long.Paused(start); until.Sub(start) != 2*time.Hour {
		t.Errorf("a first pause of two hours lasts %v", until.Sub(start))
	}
	if _, paused := never.Paused(start); paused {
		t.Error("a pause that is not to be")
	}
}

// TestComplaints checks that a complaint halves the sessions, that they come
// back one a minute and stay below what was too many, and that an hour later
// all is forgotten.
// TestABlockThatStands checks that after a pause one refusal in a domain that
// led to it is enough for the next, but not one in another domain, nor after an
// answer.
func TestABlockThatStands(t *testing.T) {
	for _, tt := range []struct {
		domain   string
		answered bool
		want     bool
	}{{domain(0), false, true}, {"new.example", false, false}, {domain(0), true, false}} {
		p := newProvider(Limits{Sessions: 10}, Settings{})
		for i := range 5 {
			p.Blocked(domain(i), true, 554, start)
		}
		until, paused := p.Paused(start)
		if !paused {
			t.Fatal("five domains do not make a pause")
		}
		if tt.answered {
			p.Answered("good.example")
		}
		p.Blocked(tt.domain, true, 554, until)
		if _, paused := p.Paused(until); paused != tt.want {
			t.Errorf("%s, after an answer %t: paused %t", tt.domain, tt.answered, paused)
		}
	}
}

func TestComplaints(t *testing.T) {
	p, now := newProvider(Limits{Sessions: 10}, Settings{}), start
	for range 8 {
		p.Opened(now)
	}
	p.RateLimited(now, now)
	p.RateLimited(now, now.Add(time.Second)) // of another session that was open then
	for minutes, want := range map[int]int{0: 4, 1: 5, 2: 6, 3: 7, 4: 7, 30: 7, 60: 7, 61: 10} {
		if got := p.Allowed(now.Add(time.Duration(minutes) * time.Minute)); got != want {
			t.Errorf("%d minutes after a complaint with eight sessions, %d are allowed, want %d", minutes, got, want)
		}
	}
	p.RateLimited(now.Add(time.Second), now.Add(time.Minute))
	if got := p.Allowed(now.Add(time.Minute)); got != 2 {
		t.Errorf("after another complaint %d are allowed, want 2", got)
	}
	alone := newProvider(Limits{Sessions: 10}, Settings{})
	alone.Opened(now)
	alone.RateLimited(now, now)
	if got := alone.Allowed(now); got != 10 {
		t.Errorf("after a complaint in the only session %d are allowed", got)
	}
	for i, want := range []time.Duration{0, minInterval} {
		if _, at := alone.MayOpen(now, false); at.Sub(now) != want {
			t.Errorf("after it session %d may begin at %v", i+1, at)
		}
		alone.Opened(now)
	}
}

func TestIntervals(t *testing.T) {
	p, now := newProvider(Limits{}, Settings{}), start
	for _, want := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second,
		16 * time.Second, 30 * time.Second, 30 * time.Second} {
		p.RateLimited(now, now)
		p.RateLimited(now, now) // another mailbox of the same transaction
		if got := p.State(now).Interval; got != want {
			t.Fatalf("interval %v, want %v", got, want)
		}
		now = now.Add(want)
	}
	p.Opened(now)
	for at, want := range map[time.Duration]time.Duration{0: 30 * time.Second, 29 * time.Second: 30 * time.Second, time.Minute: time.Minute} {
		if _, next := p.MayOpen(now.Add(at), false); next.Sub(now) != want {
			t.Errorf("after %v: the next at %v, want %v", at, next.Sub(now), want)
		}
	}
	for range 6 {
		p.Answered("d.example")
	}
	if ok, _ := p.MayOpen(now, false); !ok || p.State(now).Slowed != "" || !p.State(now).Next.IsZero() {
		t.Errorf("after answers: %+v", p.State(now))
	}
}

// TestAloneHostIsLeftToItsWindow checks that a provider of nobody known is not
// limited by number before it has shown a second mail host.
func TestAloneHostIsLeftToItsWindow(t *testing.T) {
	for _, tt := range []struct {
		settings Settings
		several  bool
		want     int
	}{
		{Settings{}, false, Unlimited},
		{Settings{}, true, 10},
		{Settings{Preset: Careful}, false, 5},
		{Settings{Unknown: Limits{Sessions: 7}}, false, 7},
		{Settings{Providers: map[string]Limits{"a.example": {Sessions: 3}}}, false, 3},
		{Settings{Preset: Off}, true, Unlimited},
	} {
		s := tt.settings.WithDefaults()
		p := NewProvider(s.Rules(Table{Provider: "a.example"}), s)
		if tt.several {
			p.Several()
		}
		if got := p.Allowed(start); got != tt.want {
			t.Errorf("%+v, several %t: %d sessions, want %d", tt.settings, tt.several, got, tt.want)
		}
	}
}

func TestPausesOutlastARestart(t *testing.T) {
	p := newProvider(Limits{}, Settings{})
	if _, ok := p.Memory(start); ok {
		t.Error("something is worth keeping of a provider that was not asked")
	}
	for i := range 5 {
		p.Blocked(domain(i), true, 550, start)
	}
	m, ok := p.Memory(start)
	again := newProvider(Limits{}, Settings{})
	again.Remember(m)
	if until, paused := again.Paused(start); !ok || !paused || until.Sub(start) != 5*time.Minute {
		t.Errorf("after a restart paused %t until %v", paused, until)
	}
}

// TestLimitsHold has sessions begin, name recipients and end at random,
// whenever the provider says that they may, and checks every limit in every
// minute.
func TestLimitsHold(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		l := Limits{
			Sessions: 1 + random.IntN(8), SessionsPerMinute: 1 + random.IntN(40), RecipientsPerSession: LeastNamed + random.IntN(30),
			RecipientsPerMinute: LeastNamed + random.IntN(300), RecipientsPerDay: LeastNamed + random.IntN(3000),
		}
		checkLimits(t, newProvider(l, Settings{}), l, random)
	}
}

// event is something that counts against a limit.
type event struct {
	at time.Time
	n  int
}

func within(events []event, now time.Time, period time.Duration) (sum int) {
	for _, e := range events {
		if now.Sub(e.at) < period {
			sum += e.n
		}
	}
	return sum
}

func checkLimits(t *testing.T, p *Provider, l Limits, random *rand.Rand) {
	t.Helper()
	var open []int // what each session has named
	var begun, named []event
	now := start
	stuck := now
	for range 1000 {
		now = now.Add(time.Duration(random.IntN(3000)) * time.Millisecond)
		if ok, at := p.MayOpen(now, false); ok {
			p.Opened(now)
			open, begun, stuck = append(open, 0), append(begun, event{now, 1}), now
		} else if !at.IsZero() && !at.After(now) {
			t.Fatalf("%+v: no session, and the time to see again has passed", l)
		}
		if len(open) > 0 {
			i := random.IntN(len(open))
			if may := p.MayName(open[i], now, false); may >= LeastNamed && random.IntN(3) > 0 {
				n := LeastNamed + random.IntN(may-LeastNamed+1)
				p.Named(n, now)
				open[i] += n
				named, stuck = append(named, event{now, n}), now
				if open[i] > l.RecipientsPerSession {
					t.Fatalf("%+v: %d recipients in a session", l, open[i])
				}
			} else {
				p.Closed()
				open = append(open[:i], open[i+1:]...)
			}
		}
		switch {
		case len(open) > l.Sessions:
			t.Fatalf("%+v: %d sessions", l, len(open))
		case within(begun, now, time.Minute) > l.SessionsPerMinute:
			t.Fatalf("%+v: %d sessions in a minute", l, within(begun, now, time.Minute))
		case within(named, now, time.Minute) > l.RecipientsPerMinute:
			t.Fatalf("%+v: %d recipients in a minute", l, within(named, now, time.Minute))
		case within(named, now, day) > l.RecipientsPerDay:
			t.Fatalf("%+v: %d recipients in a day", l, within(named, now, day))
		case within(named, now, day) <= l.RecipientsPerDay-LeastNamed && now.Sub(stuck) > 3*time.Minute:
			t.Fatalf("%+v: nothing goes on, and it is not the day", l)
		}
	}
}

// TestStale sees when a provider can be forgotten.
func TestStale(t *testing.T) {
	asked := func(p *Provider) { p.Named(1, start) }
	for name, tt := range map[string]struct {
		limits  Limits
		happens func(*Provider)
		kept    time.Duration // not longer than a second more; zero: for ever
	}{
		"a session":            {Limits{}, func(p *Provider) { p.Opened(start); p.Closed() }, time.Hour},
		"a session is open":    {Limits{}, func(p *Provider) { p.Opened(start) }, 0},
		"a recipient":          {Limits{}, asked, time.Hour},
		"one of those a day":   {Limits{RecipientsPerDay: 100}, asked, 25*time.Hour - time.Second},
		"none of those a day":  {Limits{RecipientsPerDay: 100}, func(p *Provider) { p.Opened(start); p.Closed() }, time.Hour},
		"complaints last long": {Limits{SlowFor: 3 * time.Hour}, asked, 3 * time.Hour},
		"it is paused":         {Limits{}, func(p *Provider) { p.pause(2*time.Hour, Blocked, start) }, 2*time.Hour - time.Second},
	} {
		p := newProvider(tt.limits, Settings{})
		tt.happens(p)
		forever := tt.kept == 0
		if forever {
			tt.kept = 1000 * time.Hour
		}
		if p.Stale(start.Add(tt.kept)) {
			t.Errorf("%s: stale within %v", name, tt.kept)
		}
		if !forever && !p.Stale(start.Add(tt.kept+time.Second)) {
			t.Errorf("%s: kept for more than %v", name, tt.kept)
		}
	}
}
