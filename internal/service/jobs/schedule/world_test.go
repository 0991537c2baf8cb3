package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// world is what a simulation is made of. It is data, so that one that fails can
// be made smaller.
type world struct {
	seed    uint64
	nodes   []nodeSpec
	lists   []listSpec
	weather []weatherSpec
	acts    []act

	runs   int           // places for runs
	lease  time.Duration // of nodes
	latest time.Duration // of the acts and the weather
}

type nodeSpec struct{ egress string }

type listSpec struct {
	id, owner string
	at        time.Duration
	batches   []batchSpec
	// of a thousand addresses
	temporary, slow, stuck int
	damaged                bool // its first batch
}

type batchSpec struct {
	domain    string
	addresses int
}

// weatherSpec is what the store does for some time besides its work.
type weatherSpec struct {
	from, to time.Duration
	what     weather
	node     int // -1: for all
}

type weather int

const (
	slow    weather = iota // calls take up to half a second more
	failing                // some calls fail, before or after the commit
	away                   // all fail
	unheard                // nodes are not heard
	hanging                // some calls come back after a minute
	poison                 // calls for one list fail, and commits with a settlement of it
	offline                // the node's own network does not work
	ahead                  // the node's clock is, so that it takes others for lost
	broken                 // verifications of a run end by themselves now and then
	weathers
	none
)

// act is something that is done to the nodes and the lists.
type act struct {
	at   time.Duration
	what string // pause, resume, cancel, delete a list; stop, kill, freeze a node
	list string
	node int
}

func (w *world) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, %d nodes %v, places for %d runs, lease %v\n", w.seed, len(w.nodes), w.nodes, w.runs, w.lease)
	for _, l := range w.lists {
		fmt.Fprintf(&b, "  list %+v\n", l)
	}
	for _, x := range w.weather {
		fmt.Fprintf(&b, "  weather %+v\n", x)
	}
	for _, a := range w.acts {
		fmt.Fprintf(&b, "  act %+v\n", a)
	}
	return b.String()
}

// newWorld makes a world of a seed.
func newWorld(seed uint64) *world {
	d := rand.New(rand.NewPCG(seed, 1))
	w := &world{seed: seed, runs: 1 + d.IntN(4), lease: 6 * time.Second}
	if d.IntN(4) == 0 {
		w.lease = 30 * time.Second
	}
	for range 1 + d.IntN(3) {
		w.nodes = append(w.nodes, nodeSpec{[]string{"", "one", "two"}[d.IntN(3)]})
	}
	for i := range 1 + d.IntN(6) {
		w.lists = append(w.lists, newList(d, i))
	}
	w.latest = time.Duration(5+d.IntN(40)) * time.Second
	for range d.IntN(4) {
		from, most := time.Duration(d.Int64N(int64(w.latest))), 15*time.Second
		if d.IntN(4) == 0 {
			most = time.Minute
		}
		w.weather = append(w.weather, weatherSpec{
			from, from + time.Duration(d.Int64N(int64(most))), weather(d.IntN(int(weathers))), d.IntN(len(w.nodes)+1) - 1,
		})
	}
	if d.IntN(4) == 0 { // only the store fails: nothing is asked about twice
		w.lease = 30 * time.Second
		for i := range w.weather {
			x := &w.weather[i]
			x.what %= away + 1
			x.to = min(x.to, x.from+6*time.Second)
		}
		return w
	}
	whats := []string{"pause", "pause", "resume", "resume", "cancel", "delete", "stop", "kill", "freeze"}
	for range d.IntN(8) {
		w.acts = append(w.acts, act{
			time.Duration(d.Int64N(int64(w.latest))), whats[d.IntN(len(whats))], w.lists[d.IntN(len(w.lists))].id, d.IntN(len(w.nodes)),
		})
	}
	return w
}

func newList(d *rand.Rand, i int) listSpec {
	l := listSpec{id: fmt.Sprintf("L%d", i), owner: fmt.Sprintf("owner%d", d.IntN(3)), at: time.Duration(d.IntN(3000)) * time.Millisecond}
	for range 1 + d.IntN(12) {
		b := batchSpec{addresses: min(50, d.IntN(52))}
		if d.IntN(2) == 0 {
			b.domain = fmt.Sprintf("d%d.example", d.IntN(3))
		}
		l.batches = append(l.batches, b)
	}
	l.temporary = []int{0, 50, 500, 1000}[d.IntN(4)]
	l.slow = []int{0, 0, 30, 300}[d.IntN(4)]
	l.stuck = []int{0, 0, 0, 0, 5}[d.IntN(5)]
	l.damaged = d.IntN(40) == 0
	return l
}

// batch makes the batches of a list: an address is two octets, and one for its
// answers.
func (l listSpec) stored() (all []rows.Batch) {
	n := 0
	for i, spec := range l.batches {
		b := rows.Batch{Domain: spec.domain, Addresses: spec.addresses, Data: []byte{}}
		for range spec.addresses {
			b.Data = append(b.Data, byte(n>>8), byte(n), 0)
			n++
		}
		if l.damaged && i == 0 {
			b.Data = []byte{1}
		}
		all = append(all, b)
	}
	return all
}

// smaller are worlds with a part of a world.
func (w *world) smaller(yield func(*world) bool) {
	halves(w.lists, func(part []listSpec) bool {
		c := *w
		c.lists = part
		return len(part) == 0 || yield(&c)
	})
	halves(w.acts, func(part []act) bool {
		c := *w
		c.acts = part
		return yield(&c)
	})
	halves(w.weather, func(part []weatherSpec) bool {
		c := *w
		c.weather = part
		return yield(&c)
	})
	for i := range w.lists {
		halves(w.lists[i].batches, func(part []batchSpec) bool {
			c := *w
			c.lists = slices.Clone(w.lists)
			c.lists[i].batches = part
			return len(part) == 0 || yield(&c)
		})
	}
	for i := range w.lists {
		for _, simpler := range []func(*listSpec){
			func(l *listSpec) { l.temporary = 0 }, func(l *listSpec) { l.slow = 0 }, func(l *listSpec) { l.stuck = 0 },
		} {
			c := *w
			c.lists = slices.Clone(w.lists)
			simpler(&c.lists[i])
			if c.lists[i].temporary != w.lists[i].temporary || c.lists[i].slow != w.lists[i].slow || c.lists[i].stuck != w.lists[i].stuck {
				if !yield(&c) {
					return
				}
			}
		}
	}
}

// halves yields a slice without its parts, large ones first.
func halves[T any](all []T, yield func([]T) bool) {
	for size := (len(all) + 1) / 2; size > 0; size /= 2 {
		for from := 0; from < len(all); from += size {
			part := append(slices.Clone(all[:from]), all[min(from+size, len(all)):]...)
			if !yield(part) {
				return
			}
		}
	}
}

// shrink makes a world smaller as long as it fails.
func shrink(w *world, fails func(*world) bool) *world {
	for tries := 0; tries < 2000; {
		next := (*world)(nil)
		w.smaller(func(c *world) bool {
			tries++
			if next == nil && tries < 2000 && fails(c) {
				next = c
			}
			return next == nil && tries < 2000
		})
		if next == nil {
			break
		}
		w = next
	}
	return w
}
