package dnsresolve

import (
	"context"
	"testing"

	"github.com/miekg/dns"
)

// nothing is an Exchanger that returns neither an answer nor an error.
type nothing struct{}

func (nothing) Exchange(context.Context, *dns.Msg, string, string) (*dns.Msg, error) { return nil, nil }

// TestNilAnswer checks that a fault of an Exchanger is a failure of the DNS,
// which says nothing about the domain.
func TestNilAnswer(t *testing.T) {
	found := find(t, newTest(t, nothing{}), "example.test")
	if found.Status != StatusMalformed || !found.Status.Temporary() || len(found.Lookups) == 0 || found.Lookups[0].Error == "" {
		t.Errorf("%+v", found)
	}
}
