//go:build unix

package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func benchEngines(b *testing.B, bench func(b *testing.B, s *Store)) {
	for _, engine := range []engine{sqliteEngine, postgresEngine} {
		b.Run(engine.name, func(b *testing.B) { bench(b, open(b, engine.empty(b))) })
	}
}

// BenchmarkReserveQuota commits each reservation; a server asks for a second's
// worth at once.
func BenchmarkReserveQuota(b *testing.B) {
	benchEngines(b, func(b *testing.B, s *Store) {
		at := time.Now()
		for b.Loop() {
			if _, err := s.ReserveQuota(b.Context(), "key", at, 1, 1<<40); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkVerdict puts, commits and gets verdicts of a usual size; ns/op is of
// one.
func BenchmarkVerdict(b *testing.B) {
	const many = 5000
	v := Verdict{Result: []byte(strings.Repeat("x", 1200)), Reason: "recipient_accepted", Checked: time.Now(), Expires: time.Now().Add(time.Hour)}
	benchEngines(b, func(b *testing.B, s *Store) {
		b.Run("put", func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				s.PutVerdict(fmt.Sprint(i), v)
				if i%many == many-1 {
					check(b, s.Flush(b.Context()))
				}
			}
			check(b, s.Flush(b.Context()))
		})
		b.Run("get", func(b *testing.B) {
			for i := range many {
				s.PutVerdict(fmt.Sprint(i), v)
			}
			check(b, s.Flush(b.Context()))
			for i := 0; b.Loop(); i++ {
				if _, err := s.Verdict(b.Context(), fmt.Sprint(i%many)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("miss", func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Verdict(b.Context(), "nobody"); !errors.Is(err, ErrNotFound) {
					b.Fatal(err)
				}
			}
		})
	})
}

// BenchmarkUsageRows commits uses that each have a row of their own, the worst
// case.
func BenchmarkUsageRows(b *testing.B) {
	const many = 5000
	benchEngines(b, func(b *testing.B, s *Store) {
		at := time.Now()
		b.ResetTimer()
		for i := 0; i < b.N; i++ {
			s.RecordUse(Use{Key: fmt.Sprint(i % 20_000), At: at, Result: "deliverable", Reason: "recipient_accepted", Duration: time.Second})
			if i%many == many-1 {
				check(b, s.Flush(b.Context()))
			}
		}
		check(b, s.Flush(b.Context()))
	})
}

// BenchmarkRecordUse is what a request pays.
func BenchmarkRecordUse(b *testing.B) {
	s := open(b, sqliteEngine.empty(b))
	at := time.Now()
	for b.Loop() {
		s.RecordUse(Use{Key: "key", At: at, Result: "deliverable", Reason: "recipient_accepted", Cached: true, Duration: time.Millisecond})
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		s, err := Open(b.Context(), sqliteEngine.empty(b))
		check(b, err)
		check(b, s.Close())
	}
}
