package pace

import (
	"testing"
	"time"
)

// TestForLists sees how much of a limit lists may use.
func TestForLists(t *testing.T) {
	for limit, want := range map[int]int{
		Unlimited: Unlimited, 0: 0, 1: 1, 2: 1, 4: 3, 5: 4, 8: 7, 10: 9, 16: 14, 50: 44, 600: 525, 3000: 2625,
	} {
		if got := ForLists(limit); got != want {
			t.Errorf("%d of %d, want %d", got, limit, want)
		}
	}
}

// TestShare sees that a part of each limit of a provider is kept for single
// checks, and that lists do not take all of a minute's sessions at once.
func TestShare(t *testing.T) {
	settings := Settings{Egress: EgressLimits{Sessions: 8, FirstDay: 800}}.WithDefaults()
	for name, limits := range map[string]Limits{
		"sessions":              {Sessions: 8, SessionsPerMinute: Unlimited},
		"sessions a minute":     {Sessions: Unlimited, SessionsPerMinute: 24},
		"recipients a minute":   {Sessions: Unlimited, SessionsPerMinute: Unlimited, RecipientsPerMinute: 80},
		"recipients a day":      {Sessions: Unlimited, SessionsPerMinute: Unlimited, RecipientsPerDay: 80},
		"recipients of a first": {Sessions: Unlimited, SessionsPerMinute: Unlimited},
	} {
		t.Run(name, func(t *testing.T) {
			p := NewProvider(settings.Rules(Table{Provider: "a.example", Limits: limits}), settings)
			p.Several()
			now, began := start, start
			opens := func(list bool) (n int) {
				for range 1000 {
					if ok, _ := p.MayOpen(now, list); !ok || p.MayName(0, now, list) < LeastNamed {
						return n
					}
					p.Opened(now)
					p.Named(LeastNamed, now)
					n++
				}
				return n
			}
			lists := opens(true)
			for limits.SessionsPerMinute > 0 && now.Sub(began) < 2*time.Minute {
				now = now.Add(5 * time.Second)
				if n := opens(true); n > 2 {
					t.Errorf("%d sessions for lists at once", n)
				} else {
					lists += n
				}
			}
			singles := opens(false)
			if lists == 0 || singles == 0 || singles*3 > lists+singles {
				t.Errorf("%d for lists, then %d for single checks", lists, singles)
			}
		})
	}
}
