package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/list/file"
)

func TestEstimate(t *testing.T) {
	hundred := file.Total{Rows: 100}
	for _, c := range []struct {
		name  string
		p     bulk.Progress
		total file.Total
		want  estimate
	}{
		{"nothing is known", bulk.Progress{Done: 5, Rate: 2}, file.Total{}, estimate{}},
		{"a quarter is done", bulk.Progress{Done: 25, Rate: 5}, hundred, estimate{total: hundred, fraction: 0.25, left: 15 * time.Second}},
		{"nothing has come yet", bulk.Progress{}, hundred, estimate{total: hundred}},
		{"the rest waits", bulk.Progress{Done: 70, Waiting: 30, Rate: 0.0001, NextRetry: time.Minute, LastRetry: 5 * time.Minute}, hundred,
			estimate{total: hundred, fraction: 0.7, left: 5 * time.Minute}},
		{"some wait longer than the others take", bulk.Progress{Done: 50, Waiting: 30, Rate: 20, LastRetry: 5 * time.Minute}, hundred,
			estimate{total: hundred, fraction: 0.5, left: 5 * time.Minute}},
		{"the others take longer", bulk.Progress{Done: 50, Waiting: 30, Rate: 0.05, LastRetry: 5 * time.Minute}, hundred,
			estimate{total: hundred, fraction: 0.5, left: 400 * time.Second}},
		{"the rate says nothing", bulk.Progress{Done: 50, Rate: 0.0001}, hundred, estimate{total: hundred, fraction: 0.5}},
	} {
		if diff := cmp.Diff(c.want, estimateFor(c.p, c.total), cmp.AllowUnexported(estimate{})); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestLine: the most important parts fit into 80 columns, and no word is cut.
func TestLine(t *testing.T) {
	now := time.Date(2026, 1, 2, 20, 43, 10, 0, time.Local)
	waiting := bulk.Progress{Done: 148_134, Waiting: 7620, Rate: 1234.4, NextRetry: 5 * time.Minute,
		Verdicts: map[engine.Verdict]int64{engine.VerdictDeliverable: 120_000, engine.VerdictUnknown: 90, engine.VerdictUndeliverable: 28_044}}
	asking := bulk.Progress{Done: 1500, Rate: 99.6, Verdicts: map[engine.Verdict]int64{engine.VerdictDeliverable: 1200, engine.VerdictUnknown: 300}}
	about, exact := file.Total{Rows: 200_000}, file.Total{Rows: 2000, Exact: true}
	for _, c := range []struct {
		p     bulk.Progress
		held  heldUp
		rest  estimate
		width int
		want  string
	}{
		{waiting, heldUp{}, estimate{about, 0.74, 340 * time.Second}, 80, " 74%  148,134/~200,000  1234/s  ~6m left  7,620 wait, next at 20:48  unknown 90"},
		{waiting, heldUp{}, estimate{about, 0.74, 2 * time.Hour}, 140,
			"[#######...]  74%  148,134/~200,000  1234/s  ~2h00m left  7,620 wait, next at 20:48  unknown 90  deliverable 120,000  undeliverable 28,044"},
		{waiting, heldUp{}, estimate{about, 0.74, 340 * time.Second}, 40, " 74%  148,134/~200,000  1234/s"},
		{waiting, heldUp{}, estimate{about, 0.74, 340 * time.Second}, 20, " 74%  148,134/~200,"},
		{asking, heldUp{}, estimate{exact, 0.75, 5 * time.Second}, 80, " 75%  1,500/2,000  100/s  ~5s left  unknown 300  deliverable 1,200"},
		{asking, heldUp{"google", 3201, time.Time{}}, estimate{exact, 0.75, 5 * time.Second}, 80, " 75%  1,500/2,000  100/s  ~5s left  3,201 wait for google  unknown 300"},
		{waiting, heldUp{"google", 3201, now.Add(5 * time.Minute)}, estimate{about, 0.74, 340 * time.Second}, 80, " 74%  148,134/~200,000  1234/s  ~6m left  3,201 wait for google until 20:48"},
		{waiting, heldUp{"microsoft", 0, now.Add(5 * time.Minute)}, estimate{about, 0.74, 340 * time.Second}, 80, " 74%  148,134/~200,000  1234/s  ~6m left  microsoft is paused until 20:48"},
		{asking, heldUp{}, estimate{}, 80, "  -%  1,500  100/s  unknown 300  deliverable 1,200"},
	} {
		got := liveText(c.p, c.held, c.rest, now, c.width)
		if got != c.want {
			t.Errorf("%d columns: %q, want %q", c.width, got, c.want)
		}
		if len(got) >= c.width {
			t.Errorf("%q takes %d of %d columns", got, len(got), c.width)
		}
	}
}

// TestProgressLog: a line every ten seconds of the run.
func TestProgressLog(t *testing.T) {
	var log bytes.Buffer
	total := func() file.Total { return file.Total{Rows: 100, Exact: true} }
	view := &progressLog{logger: slog.New(slog.NewTextHandler(&log, nil)), total: total}
	for second := range 25 {
		held := heldUp{}
		if second >= 15 {
			held = heldUp{"google", 60, time.Date(2026, 1, 2, 20, 43, 10, 7, time.UTC)}
		}
		view.show(bulk.Progress{Elapsed: time.Duration(second) * time.Second, Done: int64(second), Read: 100, Rate: 1, Waiting: 3, Exhausted: true,
			NextRetry: time.Minute, LastRetry: 2 * time.Minute, Verdicts: map[engine.Verdict]int64{engine.VerdictAcceptAll: 1}}, held)
	}
	if got := log.String(); strings.Count(got, "\n") != 2 ||
		!strings.Contains(got, "msg=progress done=10 read=100 waiting=3 rate=1.0/s deliverable=0 accept_all=1 undeliverable=0 unknown=0 next_retry=1m0s left=2m0s\n") ||
		!strings.Contains(got, "left=2m0s held_up_by=google held_up=60 paused_until=2026-01-02T20:43:10.000Z\n") ||
		!strings.Contains(got, "done=20") {
		t.Errorf("log:\n%s", got)
	}
}
