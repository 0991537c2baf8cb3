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
	for _, scout := range scoutAhead(t, p, "giant", "other giant", "middle", "small") {
		p.Done(scout)
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
			p.Found(one(p, 5))
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

// scoutAhead has the first address of each domain started, and holds that
// nothing else is until these have found their mail hosts.
func scoutAhead(t *testing.T, p *Plan[string], domains ...string) (scouts []*Address[string]) {
	t.Helper()
	var order []string
	for batch := p.Next(160); len(batch) > 0; batch = p.Next(160) {
		if len(batch) > 1 || !batch[0].Scouts {
			t.Errorf("%d begin with the scout of %s", len(batch)-1, batch[0].Domain())
		}
		order, scouts = append(order, batch[0].Domain()), append(scouts, batch[0])
	}
	if !slices.Equal(order, domains) {
		t.Errorf("%q began before their scouts had found anything, want %q", order, domains)
	}
	return scouts
}

// TestOthersFollowTheirScout checks that a domain whose mail hosts were found
// goes before those that have no scout under way, without waiting for company,
// with as many as may be in progress; and that one whose scout is done without
// a mail host needs no other.
func TestOthersFollowTheirScout(t *testing.T) {
	p := New[string](Limits{PerDomain: 70})
	p.Growing = true
	for name, n := range map[string]int{"large": 200, "middle": 40, "small": 3} {
		for range n {
			p.Add("", name, 0, false)
		}
	}
	scouts := scoutAhead(t, p, "large", "middle", "small")
	for range 300 {
		p.Add("", "new", 0, false)
	}
	p.Found(scouts[0])
	p.Found(scouts[2])
	next := func(domain string, n int) []*Address[string] {
		t.Helper()
		batch := p.Next(1000)
		if len(batch) != n || n > 0 && (batch[0].Domain() != domain || batch[0].Scouts != (domain == "new")) {
			t.Fatalf("%d begin, and want %d of %s", len(batch), n, domain)
		}
		return batch
	}
	batch := next("large", batchSize)
	next("new", 1)
	next("large", 70-1-batchSize)
	next("small", 2)
	next("", 0)
	p.Done(batch[7])
	next("large", 1)
	p.Done(scouts[1])
	next("middle", 39)
	next("", 0)
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

// TestDrop checks that the addresses that were not started are taken, and
// nothing is kept of their domains.
func TestDrop(t *testing.T) {
	p := New[string](Limits{PerDomain: 2})
	for _, domain := range []string{"begun", "begun", "begun", "waits"} {
		p.Add(domain, domain, 10, true)
	}
	batch := p.Next(2)
	dropped := p.Drop()
	slices.Sort(dropped)
	if want := []string{"begun", "waits"}; !slices.Equal(dropped, want) || p.Octets() != 20 || p.Planned() != 2 {
		t.Errorf("%q were dropped, %d octets of %d are left", dropped, p.Octets(), p.Planned())
	}
	if all := p.ByDomain(); len(all) != 1 || all["begun"] != 2 {
		t.Errorf("%v are left", all)
	}
	for _, a := range batch {
		p.Done(a)
	}
	if n := len(p.Next(10)); n > 0 || len(p.ByDomain()) > 0 {
		t.Errorf("%d begin, and %v are left", n, p.ByDomain())
	}
}
