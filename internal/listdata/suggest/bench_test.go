package suggest

import (
	"strings"
	"testing"
)

// manySuggester has as many targets as there are providers worth suggesting,
// national ones included.
func manySuggester() *Suggester {
	targets := parseTargets(someTargets)
	for name := range strings.FieldsSeq("yahoo hotmail outlook live gmx") {
		for tld := range strings.FieldsSeq("es it be nl at ch dk se no pl pt com.mx com.ar com.au") {
			targets = append(targets, Target{name + "." + tld, 1})
		}
	}
	return New(targets, nil)
}

func BenchmarkSuggest(b *testing.B) {
	s := manySuggester()
	for _, bm := range []struct{ name, domain string }{
		{"target", "gmail.com"},
		{"miss", "acme.com"},
		{"miss with a provider's letters", "hotelmail.com"},
		{"miss under a country", "acme.co.uk"},
		{"miss of a sub-domain", "mail.berlin.acme.de"},
		{"miss without such a TLD", "mail.acme.local"},
		{"slip", "gmial.com"},
		{"slip in name and TLD", "hotmial.con"},
		{"mended", "acme.con"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Suggest(bm.domain)
			}
		})
	}
}
