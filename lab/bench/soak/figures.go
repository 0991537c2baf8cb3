package soak

import (
	"bytes"
	"fmt"
	"os"
	"runtime/metrics"
	"slices"
	"strconv"
)

// figures is what a process takes up.
type figures struct {
	Goroutines uint64 `json:"goroutines"`
	HeapLive   uint64 `json:"heap_live_bytes"` // what the last collection found in use
	fds        uint64
	rss        uint64
}

// outside adds what the system knows of a process.
func (f *figures) outside(pid int) error {
	process := "/proc/" + strconv.Itoa(pid)
	open, err := os.ReadDir(process + "/fd")
	if err != nil {
		return err
	}
	statm, err := os.ReadFile(process + "/statm") // in pages: all, resident, …
	if err != nil {
		return err
	}
	fields := bytes.Fields(statm)
	if len(fields) < 2 {
		return fmt.Errorf("%s/statm is %q", process, statm)
	}
	resident, err := strconv.ParseUint(string(fields[1]), 10, 64)
	f.fds, f.rss = uint64(len(open)), resident*uint64(os.Getpagesize())
	return err
}

// inside is what this process takes up.
func inside() (figures, error) {
	samples := []metrics.Sample{{Name: "/sched/goroutines:goroutines"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	f := figures{Goroutines: samples[0].Value.Uint64(), HeapLive: samples[1].Value.Uint64()}
	return f, f.outside(os.Getpid())
}

// most is the most of each.
func (f figures) most(g figures) figures {
	return figures{max(f.Goroutines, g.Goroutines), max(f.HeapLive, g.HeapLive), max(f.fds, g.fds), max(f.rss, g.rss)}
}

// growth is the history of what a process takes up.
type growth struct{ history []figures }

func (g *growth) add(f figures) { g.history = append(g.history, f) }

// warmUp is the part of the history that does not count: caches fill, and the
// runtime takes what it needs.
const warmUp = 1.0 / 3

// slack is by how much a figure may be higher in the last third than in the one
// before: by 15 in a hundred, and by these.
var slack = figures{Goroutines: 100, HeapLive: 6 << 20, fds: 80, rss: 12 << 20}

// leastHistory is how many figures are needed to speak of growth.
const leastHistory = 9

// check compares the two halves of what follows the warm-up, by what sums each
// of them up.
func (g *growth) check(name string, sum func([]figures) figures, wrong *faults) {
	if len(g.history) < leastHistory {
		return
	}
	rest := g.history[int(warmUp*float64(len(g.history))):]
	before, after := sum(rest[:len(rest)/2]), sum(rest[len(rest)/2:])
	for _, c := range []struct {
		what                 string
		before, after, slack uint64
	}{
		{"goroutines", before.Goroutines, after.Goroutines, slack.Goroutines},
		{"file descriptors", before.fds, after.fds, slack.fds},
		{"octets of live heap", before.HeapLive, after.HeapLive, slack.HeapLive},
		{"octets of resident memory", before.rss, after.rss, slack.rss},
	} {
		if c.after > c.before+c.before*15/100+c.slack {
			wrong.add("growth: %s has up to %d %s in the last third, and had up to %d in the one before",
				name, c.after, c.what, c.before)
		}
	}
}

// highest is the most of each: what a process that goes on has ever taken up.
func highest(all []figures) (f figures) {
	for _, g := range all {
		f = f.most(g)
	}
	return f
}

// usual is the median of each. Processes that begin anew with another list
// differ, and one of them says little.
func usual(all []figures) figures {
	median := func(of func(figures) uint64) uint64 {
		var values []uint64
		for _, f := range all {
			values = append(values, of(f))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return figures{
		median(func(f figures) uint64 { return f.Goroutines }), median(func(f figures) uint64 { return f.HeapLive }),
		median(func(f figures) uint64 { return f.fds }), median(func(f figures) uint64 { return f.rss }),
	}
}

// restSlack is by how much a process at rest may have more than before the
// load: connections kept alive, a timer's goroutine.
var restSlack = figures{Goroutines: 20, fds: 20}

// atRest reports whether what there is now is what there was at the start.
func (f figures) atRest(start figures) bool {
	return f.Goroutines <= start.Goroutines+restSlack.Goroutines && f.fds <= start.fds+restSlack.fds
}
