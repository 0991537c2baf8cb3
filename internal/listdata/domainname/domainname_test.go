package domainname

import (
	"strings"
	"testing"
)

func TestNormalize(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"Acme.Example", "acme.example"},
		{" acme.example. ", "acme.example"},
		{"Bücher.example", "xn--bcher-kva.example"},
		{"bu\u0308cher.example", "xn--bcher-kva.example"},
		{"straße.example", "xn--strae-oqa.example"},
		{"ａｃｍｅ。example", "acme.example"},
		{"r3---sn.example", "r3---sn.example"},
		{"xn--bcher-kva.example", "xn--bcher-kva.example"},

		{"", ""},
		{"localhost", ""},
		{"404:", ""},
		{"ywoe@mailed.example", ""},
		{"a..example", ""},
		{"a_b.example", ""},
		{"*.example.org", ""},
		{"xn--a.example", ""},
		{"192.0.2.1", ""},
		{strings.Repeat("a", 64) + ".example", ""},
	} {
		got, err := Normalize(tt.name)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("Normalize(%q) = %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestSuffixes(t *testing.T) {
	for _, tt := range []struct {
		name          string
		icann, either bool
	}{
		{"com", true, true},
		{"co.uk", true, true},
		{"eu.org", false, true},
		{"acme.co.uk", false, false},
		{"acme.example", false, false},
	} {
		if icann, either := IsICANNSuffix(tt.name), IsSuffix(tt.name); icann != tt.icann || either != tt.either {
			t.Errorf("%s: ICANN suffix %t, suffix %t", tt.name, icann, either)
		}
	}
}

func TestParentsOfOneRegistrant(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"a.b.acme.com", "b.acme.com acme.com"},
		{"a.acme.co.uk", "acme.co.uk"},
		{"acme.co.uk", ""},
		{"a.acme.eu.org", "acme.eu.org"},
		{"acme.com", ""},
		{"com", ""},
		{"", ""},
	} {
		var got []string
		for name, ok := Parent(tt.name); ok; name, ok = Parent(name) {
			if SameRegistrant(name, tt.name) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
