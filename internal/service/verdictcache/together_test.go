package verdictcache

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/rcpt/rcpt/engine"
)

// joint is a fake that verifies addresses together.
type joint struct {
	fake
	groups [][]string
}

func (j *joint) VerifyTogether(ctx context.Context, addresses []string, done func(i int, result engine.Result, err error)) {
	j.groups = append(j.groups, addresses)
	for i, address := range addresses {
		result, err := j.says(ctx, address)
		done(i, result, err)
	}
}

// TestTogether: what was found out together is remembered as what was found out
// alone; an engine that cannot do that is asked about each.
func TestTogether(t *testing.T) {
	addresses := []string{"alice@acme.example", "bob@acme.example", "no address"}
	for _, able := range []bool{true, false} {
		j := &joint{fake: fake{says: always(engine.ReasonRecipientAccepted, nil)}}
		config := Config{Engine: j}
		if !able {
			config.Engine = &j.fake
		}
		c := newCache(t, config)
		var mu sync.Mutex
		told := make([]string, len(addresses))
		c.VerifyTogether(t.Context(), addresses, func(i int, result engine.Result, err error) {
			mu.Lock()
			defer mu.Unlock()
			if told[i] = result.Email; err != nil || result.Details.Cached {
				t.Errorf("%+v: %v", result, err)
			}
		})
		settle(c)
		if !slices.Equal(told, addresses) || (len(j.groups) == 1) != able || (j.times() == len(addresses)) == able {
			t.Errorf("able %v: told %q; asked together %q, alone %d times", able, told, j.groups, j.times())
		}
		for i, address := range addresses {
			if _, known := c.Recall(t.Context(), address); known != (i < 2) {
				t.Errorf("able %v: %s is remembered: %v", able, address, known)
			}
		}
	}
}
