package main

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/list/file"
)

// TestLine: the most important parts fit into 80 columns, and no word is cut.
func TestLine(t *testing.T) {
	now := time.Date(2026, 1, 2, 20, 43, 10, 0, time.Local)
	waiting := bulk.Progress{Done: 148_134, Waiting: 7620, NextRetry: 5 * time.Minute,
		Verdicts: map[rcpt.Verdict]int64{rcpt.VerdictDeliverable: 120_000, rcpt.VerdictUnknown: 90, rcpt.VerdictUndeliverable: 28_044}}
	asking := bulk.Progress{Done: 1500, Verdicts: map[rcpt.Verdict]int64{rcpt.VerdictDeliverable: 1200, rcpt.VerdictUnknown: 300}}
	about, exact := file.Total{Rows: 200_000}, file.Total{Rows: 2000, Exact: true}
	fast := standing{total: about, fraction: 0.74, rate: 1234.4, left: 340 * time.Second}
	for _, c := range []struct {
		p     bulk.Progress
		s     standing
		width int
		want  string
	}{
		{waiting, fast, 80, " 74%  148,134/~200,000  1234/s  ~6m left  7,620 wait, next at 20:48  unknown 90"},
		{waiting, standing{total: about, fraction: 0.74, rate: 1234.4, left: 2 * time.Hour}, 140,
			"[#######...]  74%  148,134/~200,000  1234/s  ~2h00m left  7,620 wait, next at 20:48  unknown 90  deliverable 120,000  undeliverable 28,044"},
		{waiting, fast, 40, " 74%  148,134/~200,000  1234/s"},
		{waiting, fast, 20, " 74%  148,134/~200,"},
		{asking, standing{total: exact, fraction: 0.75, rate: 99.6, left: 5 * time.Second}, 80, " 75%  1,500/2,000  100/s  ~5s left  unknown 300  deliverable 1,200"},
		{asking, standing{total: exact, fraction: 0.75, left: -1}, 80, " 75%  1,500/2,000  0/s  unknown 300  deliverable 1,200"},
		{asking, standing{rate: 99.6, left: -1}, 80, "  -%  1,500  100/s  unknown 300  deliverable 1,200"},
	} {
		got := liveText(c.p, c.s, now, c.width)
		if got != c.want {
			t.Errorf("%d columns: %q, want %q", c.width, got, c.want)
		}
		if len(got) >= c.width {
			t.Errorf("%q takes %d of %d columns", got, len(got), c.width)
		}
	}
}

// TestWaitingLines: what most of the list waits for stands below, in whole
// words.
func TestWaitingLines(t *testing.T) {
	slowed := headway.Waiting{For: "acme.example", Addresses: 29_000, Reason: "harvesting", Message: "29,000 wait for acme.example: slowed down because most of its mailboxes do not exist"}
	few := slowed
	few.Addresses = 10
	paused := headway.Waiting{For: "google", Addresses: 5, Message: "5 wait for google: paused", Until: time.Date(2026, 1, 2, 20, 48, 0, 0, time.Local)}
	later := headway.Waiting{For: headway.ForLater, Addresses: 1000, Message: "1,000 are asked again later"}
	network := headway.Waiting{For: headway.ForNetwork, Addresses: 5, Message: headway.NoPort.Sentence()}
	for _, c := range []struct {
		waiting []headway.Waiting
		width   int
		want    []string
	}{
		{nil, 80, nil},
		{[]headway.Waiting{slowed, later}, 100, []string{"      29,000 wait for acme.example: slowed down because most of its mailboxes do not exist"}},
		{[]headway.Waiting{slowed}, 80, []string{"      29,000 wait for acme.example: slowed down because most of its mailboxes", "      do not exist"}},
		{[]headway.Waiting{few, later}, 80, nil},
		{[]headway.Waiting{later}, 80, nil},
		{[]headway.Waiting{paused}, 80, []string{"      5 wait for google: paused, until 20:48"}},
		{[]headway.Waiting{network}, 40, []string{"      This server reaches no mail host:", "      lists wait until it does"}},
		{[]headway.Waiting{paused}, 10, []string{"      5", "      wai", "      for", "      goo", "      pau", "      unt", "      20:"}},
	} {
		if got := waitingLines(standing{waiting: c.waiting}, c.width); !slices.Equal(got, c.want) {
			t.Errorf("%d columns: %q, want %q", c.width, got, c.want)
		}
	}
}

// TestProgressLog: a line every ten seconds of the run.
func TestProgressLog(t *testing.T) {
	var log bytes.Buffer
	view := &progressLog{logger: slog.New(slog.NewTextHandler(&log, nil))}
	for second := range 25 {
		s := standing{rate: 1, left: 2 * time.Minute}
		if second >= 15 {
			s.waiting = []headway.Waiting{{For: "google", Addresses: 60, Reason: "blocked", Until: time.Date(2026, 1, 2, 20, 43, 10, 7, time.UTC)}}
		}
		view.show(bulk.Progress{Elapsed: time.Duration(second) * time.Second, Done: int64(second), Read: 100, Waiting: 3, Exhausted: true,
			NextRetry: time.Minute, LastRetry: 2 * time.Minute, Verdicts: map[rcpt.Verdict]int64{rcpt.VerdictAcceptAll: 1}}, s)
	}
	if got := log.String(); strings.Count(got, "\n") != 2 ||
		!strings.Contains(got, "msg=progress done=10 read=100 waiting=3 rate=1.0/s deliverable=0 accept_all=1 undeliverable=0 unknown=0 next_retry=1m0s left=2m0s\n") ||
		!strings.Contains(got, "left=2m0s held_up_by=google held_up=60 why=blocked paused_until=2026-01-02T20:43:10.000Z\n") ||
		!strings.Contains(got, "done=20") {
		t.Errorf("log:\n%s", got)
	}
}
