package drive

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/lab/bench/world"
)

func TestTally(t *testing.T) {
	tests := []struct {
		truth   world.Truth
		verdict Verdict
		want    Tally
	}{
		{world.Exists, Deliverable, Tally{Answered: 1, Right: 1}},
		{world.Exists, Unknown, Tally{Answered: 1, Unsettled: 1}},
		{world.Exists, Undeliverable, Tally{Answered: 1, FalseUndeliverable: 1}},
		{world.Exists, AcceptAll, Tally{Answered: 1, Wrong: 1}},
		{world.NotExists, Undeliverable, Tally{Answered: 1, Right: 1}},
		{world.NotExists, Deliverable, Tally{Answered: 1, Wrong: 1}},
		{world.AcceptAll, AcceptAll, Tally{Answered: 1, Right: 1}},
		{world.AcceptAll, Undeliverable, Tally{Answered: 1, FalseUndeliverable: 1}},
		{world.Temporary, Unknown, Tally{Answered: 1, Right: 1}},
		{world.Temporary, Undeliverable, Tally{Answered: 1, FalseUndeliverable: 1}},
		{world.Temporary, Deliverable, Tally{Answered: 1, Wrong: 1}},
	}
	for _, test := range tests {
		var got Tally
		got.add(Answer{Verdict: test.verdict}, test.truth)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s where the truth is %s: %s", test.verdict, test.truth, diff)
		}
	}
	var failed Tally
	failed.add(Answer{Verdict: Unknown, Failed: true}, world.Exists)
	if diff := cmp.Diff(Tally{Answered: 1, Unsettled: 1, Failed: 1}, failed); diff != "" {
		t.Error(diff)
	}
}

func TestQueueEndsWithItsTime(t *testing.T) {
	addresses := []string{"a@d0.test", "b@d0.test"}
	if _, _, ok := newQueue(addresses, -time.Second).Next(); ok {
		t.Error("a queue whose time is over hands out an address")
	}
	queue := newQueue(addresses, time.Hour)
	for place, address := range addresses {
		gotPlace, got, ok := queue.Next()
		if gotPlace != place || got != address || !ok {
			t.Errorf("got %d %q %t, want %d %q", gotPlace, got, ok, place, address)
		}
	}
	if _, _, ok := queue.Next(); ok {
		t.Error("the queue hands out more than it has")
	}
}
