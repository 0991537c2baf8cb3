package dnsresolve

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEqualPreferencesAreShuffled(t *testing.T) {
	named := []exchanger{{"d", 20}, {"c", 10}, {"b", 10}, {"a", 10}, {"e", 30}}
	reverse := func(n int, swap func(i, j int)) {
		for i := range n / 2 {
			swap(i, n-1-i)
		}
	}
	want := []exchanger{{"c", 10}, {"b", 10}, {"a", 10}, {"d", 20}, {"e", 30}}
	if diff := cmp.Diff(want, inOrder(named, reverse), cmp.AllowUnexported(exchanger{})); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestShuffleIsRandom(t *testing.T) {
	var named []exchanger
	for i := range 20 {
		named = append(named, exchanger{string(rune('a' + i)), 10})
	}
	if slices.Equal(inOrder(named, rand.Shuffle), inOrder(named, rand.Shuffle)) { // once in 20! runs
		t.Error("twice the same order")
	}
}

func TestInOrderLeavesItsArgument(t *testing.T) {
	named := []exchanger{{"b", 20}, {"", 0}, {"a", 10}}
	before := slices.Clone(named)
	inOrder(named, rand.Shuffle)
	if !slices.Equal(named, before) {
		t.Errorf("changed to %v", named)
	}
}
