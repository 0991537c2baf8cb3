package verdictcache

import (
	"slices"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
)

// TestTogether: what was found out together is remembered as what was found out
// alone, and is not asked about again, unless it is to be fresh.
func TestTogether(t *testing.T) {
	addresses := []string{"alice@acme.example", "bob@acme.example", "no address"}
	f := &fake{says: always(rcpt.ReasonRecipientAccepted, nil)}
	c := newCache(t, Config{Engine: f})
	for _, tt := range []struct {
		options engine.GroupOptions
		asked   []string
	}{
		{engine.GroupOptions{}, addresses},
		{engine.GroupOptions{}, addresses[2:]},
		{engine.GroupOptions{Fresh: true}, addresses},
	} {
		told, cached := make([]string, len(addresses)), 0
		c.VerifyGroup(t.Context(), addresses, tt.options, func(i int, result rcpt.Result, err error) {
			if told[i] = result.Email; err != nil {
				t.Errorf("%+v: %v", result, err)
			}
			if result.Details.Cached {
				cached++
			}
		})
		asked := f.groups[len(f.groups)-1]
		if !slices.Equal(told, addresses) || !slices.Equal(asked, tt.asked) || cached != len(addresses)-len(asked) {
			t.Errorf("%+v: told %q, %d remembered; asked %q", tt.options, told, cached, asked)
		}
		for i, address := range addresses {
			if _, known := c.Recall(t.Context(), address); known != (i < 2) {
				t.Errorf("%s is remembered: %v", address, known)
			}
		}
	}
	if f.times() != 0 {
		t.Errorf("asked %d times alone", f.times())
	}
}

// TestOptionsArePassedOn: the engine knows the list. Options that a cache
// cannot pass on are an error.
func TestOptionsArePassedOn(t *testing.T) {
	f := &fake{says: always(rcpt.ReasonRecipientAccepted, nil)}
	c := newCache(t, Config{Engine: f})
	verify(t, c, "known@acme.example")
	o := engine.GroupOptions{Caller: new(engine.Caller)}
	c.VerifyGroup(t.Context(), []string{"known@acme.example", "together@acme.example"}, o, func(_ int, _ rcpt.Result, err error) {
		if err != nil {
			t.Error(err)
		}
	})
	if f.told.Caller != o.Caller {
		t.Errorf("together: %+v", f.told)
	}
	for _, o := range []engine.VerifyOptions{{Level: engine.LevelDNS}, {Clean: true}, {Detach: true}} {
		if _, err := c.VerifyWith(t.Context(), "a@b.example", o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	for _, o := range []engine.GroupOptions{{Level: engine.LevelDNS}, {Clean: true}} {
		told := 0
		c.VerifyGroup(t.Context(), []string{"a@b.example", "c@b.example"}, o, func(_ int, _ rcpt.Result, err error) {
			if told++; err == nil {
				t.Errorf("%+v: no error", o)
			}
		})
		if told != 2 {
			t.Errorf("%+v: told of %d", o, told)
		}
	}
}
