package demo_test

import (
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/demo"
	"github.com/rcpt/rcpt/internal/service/store"
)

func TestSeedUsage(t *testing.T) {
	folder, now := t.TempDir(), time.Now()
	if err := demo.SeedUsage(t.Context(), folder, now); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Options{DataDir: folder})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	keys, err := s.Keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.Usage(t.Context(), store.UsageQuery{From: now.AddDate(0, 0, -30)})
	if err != nil {
		t.Fatal(err)
	}
	days, results, count := map[time.Time]bool{}, map[string]bool{}, int64(0)
	for _, row := range rows {
		days[row.Day], results[row.Result], count = true, true, count+row.Count
	}
	if len(keys) != 3 || len(days) != 14 || len(results) != 4 || count < 5000 || s.Stats().Dropped > 0 {
		t.Errorf("%d keys, %d days, results %v, %d verifications", len(keys), len(days), results, count)
	}
	for _, key := range keys {
		if !key.LastUsed.After(key.Created) || key.LastUsed.After(now) {
			t.Errorf("key %s was made at %v and used last at %v", key.Name, key.Created, key.LastUsed)
		}
	}
}
