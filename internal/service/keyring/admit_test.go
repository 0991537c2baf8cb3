package keyring

import (
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

// TestRefusedKeys: callers that show a good key learn what it is not good for;
// all others get the same error.
func TestRefusedKeys(t *testing.T) {
	k := open(t, Config{Store: newFakeStore(), Fixed: "a-key-of-the-operator"})
	home := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")}
	good, _ := create(t, k, store.Key{})
	usage, _ := create(t, k, store.Key{Scopes: []store.Scope{store.ScopeUsage}})
	none, _ := create(t, k, store.Key{Scopes: []store.Scope{}})
	expired, _ := create(t, k, store.Key{Expires: time.Now().Add(-time.Second)})
	later, _ := create(t, k, store.Key{Expires: time.Now().Add(time.Hour)})
	bound, _ := create(t, k, store.Key{Networks: home})
	over, _ := create(t, k, store.Key{Networks: home, Scopes: []store.Scope{}, Expires: time.Now().Add(-time.Second)})
	revoked, id := create(t, k, store.Key{})
	if err := k.Revoke(t.Context(), store.ByCommand("test"), id); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		text  string
		scope store.Scope
		from  string
		want  error
	}{
		"good":                            {good, store.ScopeVerify, "192.0.2.1", nil},
		"not yet expired":                 {later, store.ScopeVerify, "192.0.2.1", nil},
		"its scope":                       {usage, store.ScopeUsage, "192.0.2.1", nil},
		"in its network":                  {bound, store.ScopeVerify, "192.0.2.1", nil},
		"in its network, mapped":          {bound, store.ScopeVerify, "::ffff:192.0.2.1", nil},
		"in its network, with a zone":     {bound, store.ScopeVerify, "2001:db8::1%eth0", nil},
		"fixed":                           {"a-key-of-the-operator", store.ScopeBulk, "192.0.2.1", nil},
		"none":                            {"", store.ScopeVerify, "192.0.2.1", ErrUnauthorized},
		"unknown":                         {NewText(false), store.ScopeVerify, "192.0.2.1", ErrUnauthorized},
		"another case":                    {strings.ToUpper(good), store.ScopeVerify, "192.0.2.1", ErrUnauthorized},
		"a blank more":                    {good + " ", store.ScopeVerify, "192.0.2.1", ErrUnauthorized},
		"endless":                         {strings.Repeat("x", 1<<20), store.ScopeVerify, "192.0.2.1", ErrUnauthorized},
		"its hash":                        {string(hashOf(good)), store.ScopeVerify, "192.0.2.1", ErrUnauthorized},
		"another scope":                   {usage, store.ScopeVerify, "192.0.2.1", ErrScope},
		"no scope":                        {none, store.ScopeVerify, "192.0.2.1", ErrScope},
		"expired":                         {expired, store.ScopeVerify, "192.0.2.1", ErrUnauthorized},
		"revoked":                         {revoked, store.ScopeVerify, "192.0.2.1", ErrUnauthorized},
		"expired, and not good for it":    {over, store.ScopeVerify, "198.51.100.1", ErrUnauthorized},
		"out of its networks":             {bound, store.ScopeVerify, "198.51.100.1", ErrNetwork},
		"out of its networks, mapped":     {bound, store.ScopeVerify, "::ffff:198.51.100.1", ErrNetwork},
		"bound, and from who knows where": {bound, store.ScopeVerify, "", ErrNetwork},
	} {
		from, _ := netip.ParseAddr(test.from)
		grant, err := k.Admit(t.Context(), test.text, test.scope, from)
		switch {
		case err != test.want || (grant == nil) != (err != nil):
			t.Errorf("%s: %v, %v, want %v", name, grant, err, test.want)
		case err == nil:
			grant.Done(true)
		}
	}
}

func hashOf(text string) []byte { h := store.HashOf(text); return h[:] }

func TestFixedKey(t *testing.T) {
	if _, err := Open(t.Context(), Config{}); err == nil {
		t.Error("a keyring that nobody can have a key of was opened")
	}
	for name, config := range map[string]Config{
		"beside others": {Store: newFakeStore(), Fixed: "a-key-of-the-operator"},
		"alone":         {Fixed: "a-key-of-the-operator"},
	} {
		t.Run(name, func(t *testing.T) { testFixedKey(t, open(t, config)) })
	}
}

func testFixedKey(t *testing.T, k *Keyring) {
	for range 100 {
		grant, err := verify(t, k, "a-key-of-the-operator")
		if err != nil {
			t.Fatal(err)
		}
		if grant.ID != FixedID || grant.Rate().Limited() {
			t.Errorf("%+v with %+v", grant, grant.Rate())
		}
	}
	if keys := k.List(); len(keys) != 0 {
		t.Errorf("it is listed: %v", keys)
	}
}

func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := open(t, Config{Store: newFakeStore()})
		text, id := create(t, k, store.Key{Name: "n", RatePerSecond: 2, Burst: 2, Concurrency: 2})
		time.Sleep(time.Minute)
		for i := range int64(2) {
			grant, err := verify(t, k, text)
			if err != nil {
				t.Fatal(err)
			}
			want := Rate{Limit: 2, Remaining: 1 - i, Reset: time.Duration(i+1) * 500 * time.Millisecond, Policy: "2;w=1;burst=2"}
			if grant.ID != id || grant.Name != "n" || grant.Rate() != want {
				t.Errorf("%+v with %+v, want %+v", grant, grant.Rate(), want)
			}
			grant.Done(true)
		}
		var limit *LimitError
		if _, err := verify(t, k, text); !errors.As(err, &limit) || limit.Kind != RateLimit || limit.RetryAfter != 500*time.Millisecond ||
			limit.Rate.Limit != 2 || limit.Rate.Remaining != 0 {
			t.Fatalf("%+v", err)
		}
		time.Sleep(limit.RetryAfter)
		if _, err := verify(t, k, text); err != nil {
			t.Error(err)
		}
		if _, err := verify(t, k, text); !errors.As(err, &limit) || limit.Kind != RateLimit {
			t.Errorf("%v", err)
		}
	})
}

// TestCached: remembered answers cost a tenth.
func TestCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := open(t, Config{Store: newFakeStore()})
		text, _ := create(t, k, store.Key{RatePerSecond: 1, Burst: 10})
		answered := 0
		for {
			grant, err := verify(t, k, text)
			if err != nil {
				break
			}
			grant.Cached()
			grant.Cached() // once only
			grant.Done(true)
			answered++
		}
		if answered != 91 { // with less than a token left nobody gets in: who knows whether the answer will be remembered
			t.Errorf("%d remembered answers for ten tokens", answered)
		}
	})
}

func TestConcurrency(t *testing.T) {
	k := open(t, Config{Store: newFakeStore()})
	text, _ := create(t, k, store.Key{Concurrency: 3, RatePerSecond: 0.001, Burst: 4})
	var grants []*Grant
	for range 3 {
		grant, err := verify(t, k, text)
		if err != nil {
			t.Fatal(err)
		}
		grants = append(grants, grant)
	}
	var limit *LimitError
	for range 10 { // which costs no tokens
		if _, err := verify(t, k, text); !errors.As(err, &limit) || limit.Kind != ConcurrencyLimit || limit.RetryAfter <= 0 {
			t.Fatalf("%v", err)
		}
	}
	grants[0].Done(true)
	grants[0].Done(true) // once only
	if _, err := verify(t, k, text); err != nil {
		t.Error(err)
	}
	if _, err := verify(t, k, text); !errors.As(err, &limit) {
		t.Errorf("%v", err)
	}
}

// TestFair: many at once get exactly the tokens that there are.
func TestFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := open(t, Config{Store: newFakeStore()})
		text, _ := create(t, k, store.Key{RatePerSecond: 1, Burst: 100})
		var mu sync.Mutex
		admitted := 0
		var clients sync.WaitGroup
		for range 50 {
			clients.Go(func() {
				for range 10 {
					if _, err := verify(t, k, text); err == nil {
						mu.Lock()
						admitted++
						mu.Unlock()
					}
				}
			})
		}
		clients.Wait()
		if admitted != 100 {
			t.Errorf("%d of 100 tokens", admitted)
		}
	})
}

// TestLastUse: the store hears of a use at most once a second, whatever comes
// of the request; the list knows at once.
func TestLastUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeStore()
		k := open(t, Config{Store: s})
		text, _ := create(t, k, store.Key{RatePerSecond: 1, Burst: 2})
		if used := k.List()[0].LastUsed; !used.IsZero() {
			t.Errorf("a new key was used at %v", used)
		}
		time.Sleep(time.Hour)
		for range 30 { // ten a second
			_, _ = verify(t, k, text)
			time.Sleep(100 * time.Millisecond)
		}
		if s.touches != 3 {
			t.Errorf("the store was told %d times in three seconds", s.touches)
		}
		if since := time.Since(k.List()[0].LastUsed); since > 2*time.Second {
			t.Errorf("listed as used %v ago", since)
		}
	})
}
