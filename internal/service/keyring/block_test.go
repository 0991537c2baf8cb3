package keyring

import (
	"testing"
	"time"
)

func TestBlockSize(t *testing.T) {
	const large = 1_000_000
	for name, test := range map[string]struct {
		traffic traffic
		quota   int64
		want    int64
	}{
		"the first":                      {traffic{}, large, 1},
		"one every three seconds":        {traffic{1, 3 * time.Second, 1, 0}, large, 1},
		"a second's worth":               {traffic{50, 500 * time.Millisecond, 100, 0}, large, 101},
		"growing":                        {traffic{1000, 100 * time.Millisecond, 64, 0}, large, 128},
		"shrinking at once":              {traffic{10, time.Second, 5000, 0}, large, 11},
		"many wait":                      {traffic{1, time.Millisecond, 1, 300}, large, 300},
		"no time has passed":             {traffic{1, 0, 1, 0}, large, 2},
		"a hundredth of the quota":       {traffic{1e6, time.Second, 1e6, 1e6}, large, large / 100},
		"a small quota":                  {traffic{1e6, time.Second, 1e6, 1e6}, 100, smallBlock},
		"so many that sums would wrap":   {traffic{1 << 62, 1, 1 << 61, 0}, large, large / 100},
		"the clock has gone back a week": {traffic{5, -7 * 24 * time.Hour, 4, 0}, large, 8},
	} {
		if got := blockSize(test.traffic, test.quota); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

func TestShareOf(t *testing.T) {
	for left, want := range map[int64]int64{1: 1, 9: 1, 10: 1, 25: 2, 1000: 100} {
		if got := shareOf(left); got != want {
			t.Errorf("shareOf(%d) = %d, want %d", left, got, want)
		}
	}
}

func TestMonth(t *testing.T) {
	tokyo := time.FixedZone("", 9*3600)
	for _, test := range []struct {
		at    time.Time
		begin string
	}{
		{time.Date(2026, 12, 31, 23, 59, 59, 1, time.UTC), "2026-12-01"},
		{time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), "2027-01-01"},
		{time.Date(2027, 1, 1, 8, 59, 59, 0, tokyo), "2026-12-01"},
	} {
		if got := monthOf(test.at).begin(); got.Format(time.DateOnly) != test.begin || got.Location() != time.UTC {
			t.Errorf("%v is in the month from %v", test.at, got)
		}
	}
}
