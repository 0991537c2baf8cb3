package lists

import "testing"

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen measures opening an edition, which a program does once.
func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := openBundle(embeddedText); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	l := embeddedLists(b)
	room := make([]Match, 0, 6)
	for _, bm := range []struct{ name, local, domain string }{
		{"miss", "john.smith", "acme.example"},
		{"miss in upper case with a tag", "John.Smith+News", "acme.example"},
		{"miss under parents", "john.smith", "mail.berlin.de.acme.example"},
		{"role", "sales", "acme.example"},
		{"role of two words", "sales-uk", "acme.example"},
		{"free", "john.smith", "laposte.net"},
		{"free, dots", "john.smith", "gmail.com"},
		{"disposable", "john.smith", "mailinator.com"},
		{"disposable parent", "john.smith", "a.b.mailinator.com"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.appendMatches(room, bm.local, bm.domain)
			}
		})
	}
}

func BenchmarkSuggest(b *testing.B) {
	l := embeddedLists(b)
	for name, domain := range map[string]string{"hit": "gmial.com", "miss": "acme-widgets.com", "known": "gmail.com"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.Suggest(domain)
			}
		})
	}
}

// BenchmarkStorage compares a look-up in the storage used with one in a map,
// which takes time to build and megabytes of heap.
func BenchmarkStorage(b *testing.B) {
	edition, err := Embedded()
	if err != nil {
		b.Fatal(err)
	}
	domains := edition.bundle.Domains
	asMap := func() map[string]uint16 {
		m := make(map[string]uint16)
		for e := range domains.All() {
			m[e.Name] = e.Value
		}
		return m
	}
	b.Run("map/make", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			asMap()
		}
	})
	m := asMap()
	for name, key := range map[string]string{"hit": "mailinator.com", "miss": "acme.example"} {
		b.Run("map/"+name, func(b *testing.B) {
			for b.Loop() {
				_ = m[key]
			}
		})
		b.Run("table/"+name, func(b *testing.B) {
			for b.Loop() {
				hits := domains.Find(key)
				hits.Next()
			}
		})
	}
}
