package suite

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/lab/bench/drive"
	"github.com/rcpt/rcpt/lab/bench/world"
)

func TestTables(t *testing.T) {
	took := func(wall time.Duration, answered int) sample {
		return sample{Report: drive.Report{Wall: wall, Addresses: 10, Tally: drive.Tally{Answered: answered, Right: answered}}}
	}
	rude := took(time.Second, 10)
	rude.World = world.Counters{NoQUIT: 1, Open: 2, TurnedAway: 3, PeakPerHost: 4, Commands: map[string]int64{"DATA": 5}}
	rude.Tally = drive.Tally{Answered: 10, Right: 4, Unsettled: 3, FalseUndeliverable: 2, Wrong: 1, Failed: 3}
	all := results{
		ours:       {took(time.Second, 10), took(2*time.Second, 10), took(3*time.Second, 10)},
		yardstick:  {took(time.Second, 10), took(4*time.Second, 10), took(6*time.Second, 10)},
		"truemail": {took(time.Second, 5), rude, rude},
	}
	s := scenario{name: "little", figures: []figure{
		wallMillis(atMost(1999)), wallMillis(atMost(0.5).of(yardstickTitle)), perSecond(atLeast(3).of(yardstickTitle)), perSecond(goal{}),
	}}
	figures, harm := figuresTable(tools()), harmTable()
	figures.addFigures(s, tools(), all)
	harm.addHarm(s, tools(), all)
	partly := " (of 5 addresses)"
	wantFigures := [][]string{
		{"little", "time to the verdict, ms", "2000", "4000", "1000" + partly, "0.5", "≤ 1999", "**no**"},
		{"little", "time to the verdict, ms", "2000", "4000", "1000" + partly, "0.5", "≤ 0.5 × AfterShip", "yes"},
		{"little", "addresses per second", "5.00", "2.50", "10.0" + partly, "2.00", "≥ 3.00 × AfterShip", "**no**"},
		{"little", "addresses per second", "5.00", "2.50", "10.0" + partly, "2.00", "", ""},
	}
	if diff := cmp.Diff(wantFigures, figures.rows); diff != "" {
		t.Error(diff)
	}
	wantHarm := [][]string{
		{"little", "rcpt", "10", "10", "0", "0", "0", "0", "0", "0", "0", "0"},
		{"little", "AfterShip", "10", "10", "0", "0", "0", "0", "0", "0", "0", "0"},
		{"little", "truemail-go", "10", "4", "3", "2", "1", "3", "5", "3", "3", "4"},
	}
	if diff := cmp.Diff(wantHarm, harm.rows); diff != "" {
		t.Error(diff)
	}
	for _, table := range []*table{figures, harm} {
		for _, row := range table.rows {
			if len(row) != len(table.header) {
				t.Errorf("%s: %d cells under %d heads", table.title, len(row), len(table.header))
			}
		}
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		numbers []float64
		want    float64
	}{{nil, 0}, {[]float64{3, 1, 2}, 2}, {[]float64{4, 1, 2, 3}, 2.5}} {
		if got := median(test.numbers); got != test.want {
			t.Errorf("median of %v: %v, want %v", test.numbers, got, test.want)
		}
	}
}

func TestOnlyKnownScenarios(t *testing.T) {
	tests := []struct {
		command Command
		ok      bool
	}{
		{Command{Runs: 1}, true},
		{Command{Runs: 1, Only: []string{"single", "service"}}, true},
		{Command{Runs: 1, Only: []string{"singel"}}, false},
		{Command{Runs: 1, Only: []string{"bulk"}}, false},
		{Command{Runs: 1, Only: []string{"bulk"}, Rcpt: "rcpt"}, true},
		{Command{}, false},
	}
	for _, test := range tests {
		if err := test.command.check(); (err == nil) != test.ok {
			t.Errorf("%+v: error %v", test.command, err)
		}
	}
}
