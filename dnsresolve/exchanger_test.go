package dnsresolve

import (
	"context"
	"testing"
)

// always is an Exchanger that returns the same each time, and no error.
type always []byte

func (a always) Exchange(context.Context, []byte, string, string) ([]byte, error) { return a, nil }

// TestBrokenExchanger checks that a fault of an Exchanger is a failure of the
// DNS, which says nothing about the domain.
func TestBrokenExchanger(t *testing.T) {
	for name, exchanger := range map[string]Exchanger{
		"nil": always(nil), "empty": always{}, "one octet": always{0}, "half a header": always(make([]byte, 6)),
		"a header": always(make([]byte, 12)), "text": always("<html><body>sign in to this network</body></html>"),
	} {
		found := find(t, newTest(t, exchanger), "example.test")
		if found.Status != StatusMalformed || !found.Status.Temporary() || len(found.Lookups) == 0 || found.Lookups[0].Error == "" {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
