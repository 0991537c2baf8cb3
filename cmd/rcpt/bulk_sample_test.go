package main

import (
	"math"
	"testing"
)

// TestWilson: intervals as in published tables.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		count, of int64
		low, high float64
	}{
		{0, 10, 0, 0.2775}, {10, 10, 0.7225, 1}, {5, 10, 0.2366, 0.7634}, {81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}, {500, 1000, 0.4691, 0.5309}, {0, 0, 0, 1},
	} {
		low, high := wilson(c.count, c.of)
		if math.Abs(low-c.low) > 0.00006 || math.Abs(high-c.high) > 0.00006 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.count, c.of, low, high, c.low, c.high)
		}
	}
}
