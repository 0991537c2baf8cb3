package feed

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// one starts the next address alone, if so many may be in progress, and two of
// them before; nil: none may be started.
func one(p *Plan[string], room int) *Address[string] {
	d, large := p.choose(room)
	if d == nil {
		return nil
	}
	return p.start(d, large)
}

// TestForgets checks that nothing stays of what is done, also of addresses that
// come a second time.
func TestForgets(t *testing.T) {
	p := New[string](Limits{PerDomain: 5})
	for round, domains := range []int{7, 100} {
		for i := range 100 {
			p.Add("", fmt.Sprint(i%domains), 10, false)
		}
		done := 0
		for batch := p.Next(10); len(batch) > 0; batch = p.Next(10) {
			for _, a := range batch {
				p.Done(a)
				done++
			}
		}
		if done != 100 || len(p.domains) != 0 || p.planned != 0 || p.started != 0 || p.ofLarge != 0 || p.octets != 0 {
			t.Errorf("round %d: done %d, left %+v", round, done, p)
		}
	}
}

// TestBatches checks that a batch has addresses of one domain, in the order in
// which they came, no more than a batch and no more than there is room for.
func TestBatches(t *testing.T) {
	p := New[string](Limits{PerDomain: 1000})
	for i := range 120 {
		p.Add(fmt.Sprint(i), "large", 0, true)
	}
	for i := range smallDomain {
		p.Add(fmt.Sprint(i), "small", 0, true)
	}
	var got []string
	for batch := p.Next(160); len(batch) > 0; batch = p.Next(160) {
		got = append(got, fmt.Sprintf("%s from %s: %d", batch[0].Domain(), batch[0].Of, len(batch)))
	}
	if want := []string{"large from 0: 50", "large from 50: 50", "large from 100: 20", "small from 0: 4"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for range 30 {
		p.Add("", "large", 0, true)
	}
	if n := len(p.Next(p.Started() + 7)); n != 7 {
		t.Errorf("a batch of %d where there is room for 7", n)
	}
}

// TestLargestFirst checks that domains with most to do begin first, up to their
// share, and that those with about as much take turns.
func TestLargestFirst(t *testing.T) {
	p := New[string](Limits{PerDomain: 1000})
	for range 300 {
		p.Add("", "giant", 0, false)
	}
	for range 10 {
		p.Add("", "middle", 0, false)
	}
	for range 290 {
		p.Add("", "other giant", 0, false)
	}
	for range smallDomain {
		p.Add("", "small", 0, false)
	}
	answerFirst(t, p, "giant", "other giant", "middle", "small")
	for range smallDomain {
		p.Add("", "small", 0, false)
	}
	var order []string // of the domains, each turn once
	for range 160 {
		if domain := one(p, 160).Domain(); len(order) == 0 || order[len(order)-1] != domain {
			order = append(order, domain)
		}
	}
	if want := []string{"giant", "other giant", "giant", "small", "giant", "other giant"}; !slices.Equal(order, want) {
		t.Errorf("began with %q, want %q", order, want)
	}
}

// TestSmallWaitForCompany checks that a small domain waits for more of its
// addresses, but not for long, nor where nothing else is to do or nothing more
// comes.
func TestSmallWaitForCompany(t *testing.T) {
	tests := []struct {
		name    string
		large   int // addresses
		read    bool
		waited  time.Duration
		started string
	}{
		{"at first", 100, false, 0, "large"},
		{"not for long", 100, false, growthWait, "small"},
		{"all of the list is read", 100, true, 0, "small"},
		{"nothing else is to do", smallDomain + 1, false, 0, "small"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := New[string](Limits{PerDomain: 1000})
			p.Growing = true
			for range tt.large {
				p.Add("", "large", 0, false)
			}
			p.Add("", "small", 0, false)
			one(p, 5)
			for range smallDomain {
				one(p, 5) // beyond the share of large ones
			}
			p.Growing, p.Now = !tt.read, tt.waited
			if got := one(p, 5).Domain(); got != tt.started {
				t.Errorf("%s begins, want %s", got, tt.started)
			}
		})
	}
}

// answerFirst has the first addresses of each domain started, sees that these
// are no more than a batch, and has them done.
func answerFirst(t *testing.T, p *Plan[string], domains ...string) {
	t.Helper()
	var order []string
	var started []*Address[string]
	for batch := p.Next(160); len(batch) > 0; batch = p.Next(160) {
		order, started = append(order, batch[0].Domain()), append(started, batch...)
	}
	if !slices.Equal(order, domains) {
		t.Errorf("began with %q, want a batch of each of %q", order, domains)
	}
	for _, a := range started {
		p.Done(a)
	}
}

// TestOthersFollowAnAnswer checks that a domain has no more than a batch in
// progress until one of its addresses is done, and then as many as it may.
func TestOthersFollowAnAnswer(t *testing.T) {
	p := New[string](Limits{PerDomain: 100})
	for range 200 {
		p.Add("", "one.example", 0, false)
	}
	start := func() (all []*Address[string]) {
		for batch := p.Next(1000); len(batch) > 0; batch = p.Next(1000) {
			all = append(all, batch...)
		}
		return all
	}
	first := start()
	if len(first) != batchSize {
		t.Fatalf("%d began before any was done, want %d", len(first), batchSize)
	}
	p.Done(first[7])
	if n := len(start()); n != 100-batchSize+1 {
		t.Errorf("%d began after one was done", n)
	}
}

// TestGrownAndShrunk checks that a domain that was large for a while goes to
// the end of the small ones. Where it was before, it would wait for company
// anew, and hold up those that have waited for longer.
func TestGrownAndShrunk(t *testing.T) {
	p := New[string](Limits{PerDomain: 1000})
	for _, domain := range []string{"first", "grows", "waits"} {
		p.Add("", domain, 0, true)
	}
	for range smallDomain {
		p.Add("", "grows", 0, true)
	}
	grown := one(p, 4)
	p.Done(grown)
	began := []string{grown.Domain(), one(p, 4).Domain(), one(p, 4).Domain()}
	if want := []string{"grows", "first", "waits"}; !slices.Equal(began, want) {
		t.Errorf("%q began, want %q", began, want)
	}
}
