package main

import (
	"context"
	"net"
	"strings"
	"testing"
)

func TestCheckResolvers(t *testing.T) {
	asked := ""
	lookUp := func(_ context.Context, name string) ([]string, error) {
		asked += name + " "
		switch name {
		case "nowhere.example":
			return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
		case "later.example":
			return nil, &net.DNSError{Err: "server misbehaving", Name: name, IsTemporary: true}
		}
		return []string{"192.0.2.53"}, nil
	}
	check(t, checkResolvers([]string{"192.0.2.53", "[2001:db8::53]:53", "2001:db8::53", "dns.example:5353", "later.example"}, lookUp))
	if want := "dns.example later.example "; asked != want {
		t.Errorf("asked about %q, want %q", asked, want)
	}
	err := checkResolvers([]string{"dns.example", "nowhere.example:53"}, lookUp)
	if err == nil || !strings.Contains(err.Error(), "--resolver nowhere.example:53: there is no host nowhere.example") {
		t.Error(err)
	}
}

func TestWantsColour(t *testing.T) {
	for _, c := range []struct {
		environment map[string]string
		want        bool
	}{
		{map[string]string{"TERM": "xterm"}, true},
		{map[string]string{"TERM": "dumb"}, false},
		{map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, false},
		{map[string]string{}, true},
	} {
		if got := wantsColour(func(name string) string { return c.environment[name] }); got != c.want {
			t.Errorf("%v: %t", c.environment, got)
		}
	}
}
