package lists

import (
	"testing"

	"github.com/rcpt/rcpt/lists/internal/listfile"
)

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	l := embeddedLists(b)
	for _, bm := range []struct{ name, local, domain string }{
		{"miss", "john.smith", "acme.example"},
		{"miss in upper case with a tag", "John.Smith+News", "acme.example"},
		{"miss under parents", "john.smith", "mail.berlin.de.acme.example"},
		{"free", "john.smith", "laposte.net"},
		{"disposable", "john.smith", "mailinator.com"},
		{"disposable parent", "john.smith", "a.b.mailinator.com"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.Match(bm.local, bm.domain)
			}
		})
	}
}

// The storage chosen beside the one not chosen: a map costs its making and some 8 MB of heap in each process.
func BenchmarkStorage(b *testing.B) {
	file, err := listfile.Parse(disposableText)
	if err != nil {
		b.Fatal(err)
	}
	asMap := func() map[string]string {
		m := make(map[string]string, file.Count)
		for e := range file.All() {
			m[e.Name] = e.Note
		}
		return m
	}
	b.Run("map/make", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			asMap()
		}
	})
	b.Run("table/make", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			listfile.Parse(disposableText)
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
				file.Find(key)
			}
		})
	}
}
