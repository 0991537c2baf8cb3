package verdictcache

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rcpt/rcpt/engine"
)

// TestTogether: what was found out together is remembered as what was found out
// alone, and is not asked about again, unless it is to be fresh.
func TestTogether(t *testing.T) {
	addresses := []string{"alice@acme.example", "bob@acme.example", "no address"}
	f := &fake{says: always(engine.ReasonRecipientAccepted, nil)}
	c := newCache(t, Config{Engine: f})
	for _, tt := range []struct {
		options engine.VerifyOptions
		asked   []string
	}{
		{engine.VerifyOptions{}, addresses},
		{engine.VerifyOptions{}, addresses[2:]},
		{fresh, addresses},
	} {
		told, cached := make([]string, len(addresses)), 0
		c.VerifyTogether(t.Context(), addresses, tt.options, func(i int, result engine.Result, err error) {
			if told[i] = result.Email; err != nil {
				t.Errorf("%+v: %v", result, err)
			}
			if result.Details.Cached {
				cached++
			}
		})
		settle(c)
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

// TestOptionsArePassedOn: the engine tells the caller who waits, by the index
// that the caller knows, and knows its lane. Options that the cache cannot pass
// on are an error.
func TestOptionsArePassedOn(t *testing.T) {
	f := &fake{says: always(engine.ReasonRecipientAccepted, nil)}
	c := newCache(t, Config{Engine: f})
	verify(t, c, "known@acme.example")
	var waits []string
	o := engine.VerifyOptions{
		Waits: func(i int, yes bool) { waits = append(waits, fmt.Sprint(i, yes)) },
		Lane:  &engine.Lane{},
	}
	if _, err := c.VerifyWith(t.Context(), "alone@acme.example", o); err != nil || f.told.Lane != o.Lane || f.told.Waits == nil {
		t.Errorf("alone: %+v (%v)", f.told, err)
	}
	f.told.Waits(0, true)
	f.told = engine.VerifyOptions{}
	c.VerifyTogether(t.Context(), []string{"known@acme.example", "together@acme.example"}, o, func(_ int, _ engine.Result, err error) {
		if err != nil {
			t.Error(err)
		}
	})
	if f.told.Lane != o.Lane || f.told.Waits == nil {
		t.Fatalf("together: %+v", f.told)
	}
	f.told.Waits(0, true)
	if want := []string{"0 true", "1 true"}; !slices.Equal(waits, want) {
		t.Errorf("told of waits %q, want %q", waits, want)
	}
	for _, o := range []engine.VerifyOptions{{Level: engine.LevelDNS}, {Within: 1}} {
		told := 0
		c.VerifyTogether(t.Context(), []string{"a@b.example", "c@b.example"}, o, func(_ int, _ engine.Result, err error) {
			if told++; err == nil {
				t.Errorf("%+v: no error", o)
			}
		})
		if _, err := c.VerifyWith(t.Context(), "a@b.example", o); err == nil || told != 2 {
			t.Errorf("%+v: told of %d, %v", o, told, err)
		}
	}
}
