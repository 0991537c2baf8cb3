package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
)

// pair is the model and a real store, to which the same is done.
type pair struct {
	t     *testing.T
	dice  *rand.Rand
	now   time.Time
	model *model
	real  *store.Store
	alone bool // the engine is for one process
	lists []string
	log   strings.Builder
	held  map[string][]rows.Batch // leased, by node
}

func (p *pair) same(what string, got, want any) {
	p.t.Helper()
	fmt.Fprintf(&p.log, "%s: %v\n", what, want)
	if !reflect.DeepEqual(got, want) {
		p.t.Fatalf("%s: the model says %v, the store %v\n%s", what, got, want, p.log.String())
	}
}

func (p *pair) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("%v\n%s", err, p.log.String())
	}
}

// TestModel does the same to the model and to the store, at random: they answer
// the same. TEST_MODEL is how many steps there are on each engine.
func TestModel(t *testing.T) {
	steps := number(t, "TEST_MODEL", 300)
	t.Run("sqlite", func(t *testing.T) {
		modelOn(t, store.Options{DataDir: t.TempDir()}, steps)
	})
	cluster, err := storetest.New()
	if err != nil {
		t.Fatal(err)
	}
	if cluster == nil {
		return
	}
	defer cluster.Close()
	t.Run("postgresql", func(t *testing.T) {
		modelOn(t, store.Options{DatabaseURL: cluster.Database(t)}, steps)
	})
}

func modelOn(t *testing.T, o store.Options, steps int) {
	p := &pair{
		t: t, dice: rand.New(rand.NewPCG(uint64(number(t, "TEST_SEED", 0)), 3)), now: epoch,
		held: make(map[string][]rows.Batch), alone: o.DataDir != "",
	}
	o.Now = func() time.Time { return p.now }
	p.model = newModel(o.Now)
	s, err := store.Open(t.Context(), o)
	p.check(err)
	defer s.Close()
	p.real = s
	for range steps {
		p.step()
	}
}

func (p *pair) step() {
	ctx := p.t.Context()
	if len(p.lists) == 0 || len(p.lists) < 12 && p.dice.IntN(20) == 0 {
		p.create()
		return
	}
	node := fmt.Sprintf("node%d", p.dice.IntN(3))
	egress := []string{"", "one", "two"}[p.dice.IntN(3)]
	job := p.lists[p.dice.IntN(len(p.lists))]
	switch p.dice.IntN(14) {
	case 0:
		p.now = p.now.Add(time.Duration(p.dice.IntN(20_000)) * time.Millisecond)
	case 1:
		until := p.now.Add(10 * time.Second)
		p.check(p.real.JoinJobs(ctx, node, egress, until))
		p.model.join(node, egress, until, p.alone)
	case 2:
		p.check(p.real.LeaveJobs(ctx, node))
		p.model.leave(node)
	case 3:
		p.free(node, job)
	case 4:
		p.change(job)
	case 5, 6, 7, 8:
		p.lease(rows.BatchQuery{
			Job: job, Node: node, Egress: egress, Limit: 1 + p.dice.IntN(4), Held: p.dice.IntN(3) * 40,
			Small: p.dice.IntN(4) == 0, Except: [][]string{nil, {"d0.example"}, {"d1.example", "d2.example"}}[p.dice.IntN(3)],
		})
	case 9, 10, 11:
		p.settle(node)
	default:
		p.look(job, egress)
	}
}

func (p *pair) create() {
	l := newList(p.dice, len(p.lists))
	l.damaged = false
	batches := l.stored()
	ctx := p.t.Context()
	p.now = p.now.Add(time.Millisecond) // so that no two are as old
	j, err := p.real.BeginJob(ctx, "node0", rows.Job{Owner: l.owner, Name: l.id, Created: p.now}, 0, nil)
	p.check(err)
	p.check(p.real.AddSegment(ctx, j.ID, 0, 0, []byte{1}, batches))
	made := p.model.create(j.ID, l.owner, batches)
	_, err = p.real.StartJob(ctx, store.ByCommand("test"), j.ID, rows.JobTotals{Rows: made.Addresses, Addresses: made.Addresses, Segments: 1}, nil)
	p.check(err)
	p.lists = append(p.lists, j.ID)
}

func (p *pair) free(node, job string) {
	held := make(map[int64]int64)
	for _, b := range p.held[node] {
		if p.dice.IntN(2) == 0 {
			held[b.ID] = b.Claim
		}
	}
	p.check(p.real.FreeBatches(p.t.Context(), node, job, held))
	p.model.free(node, job, held)
}

// change does what users do.
func (p *pair) change(job string) {
	ctx := p.t.Context()
	what := []string{"pause", "resume", "resume", "resume", "cancel", "delete"}[p.dice.IntN(6)]
	if (what == "cancel" || what == "delete") && p.dice.IntN(5) > 0 {
		return
	}
	switch what {
	case "pause":
		_, _ = p.real.PauseJob(ctx, store.ByCommand("test"), job)
	case "resume":
		_, _ = p.real.ResumeJob(ctx, store.ByCommand("test"), job)
	case "cancel":
		_, _ = p.real.CancelJob(ctx, store.ByCommand("test"), job)
	case "delete":
		_ = p.real.DeleteJob(ctx, store.ByCommand("test"), job)
	}
	p.model.change(job, what)
	fmt.Fprintln(&p.log, what, job)
}

func (p *pair) lease(q rows.BatchQuery) {
	want, errStore := p.real.LeaseBatches(p.t.Context(), q)
	got, errModel := p.model.lease(q)
	p.same(fmt.Sprintf("lease %+v fails", q), errModel != nil, errStore != nil)
	p.same(fmt.Sprintf("lease %+v", q), brief(got), brief(want))
	p.held[q.Node] = append(p.held[q.Node], want...)
}

// brief is what matters of batches.
func brief(all []rows.Batch) (texts []string) {
	for _, b := range all {
		texts = append(texts, fmt.Sprint(b.Job, b.ID, b.Domain, b.Egress, b.Retry, b.Addresses, b.Data, b.Claim))
	}
	return texts
}

// settle settles some batches, also of leases that are lost, and twice.
func (p *pair) settle(node string) {
	var all []rows.Settlement
	seen := make(map[string]bool)
	for i := len(p.held[node]) - 1; i >= 0 && len(all) < 3; i-- {
		b := p.held[node][i]
		if key := fmt.Sprint(b.Job, b.ID); seen[key] || p.dice.IntN(3) == 0 {
			continue
		} else {
			seen[key] = true
		}
		one, left := p.settlement(b)
		all = append(all, one)
		if p.dice.IntN(4) == 0 {
			continue // it will be tried again
		}
		if left != nil && !one.Release {
			p.held[node][i] = *left
		} else {
			p.held[node] = append(p.held[node][:i:i], p.held[node][i+1:]...)
		}
	}
	if len(all) == 0 {
		return
	}
	want, err := p.real.SettleBatches(p.t.Context(), node, all)
	p.check(err)
	p.same(fmt.Sprintf("%s settles %d", node, len(all)), p.model.settle(node, all), want)
}

func (p *pair) settlement(b rows.Batch) (one rows.Settlement, left *rows.Batch) {
	one = rows.Settlement{Batch: b, Release: p.dice.IntN(3) == 0}
	done := p.dice.IntN(b.Addresses + 1)
	later := p.dice.IntN(b.Addresses - done + 1)
	if rest := b.Addresses - done - later; rest > 0 {
		stays := b
		stays.Addresses, stays.Data = rest, b.Data[:3*rest]
		one.Left, left = &stays, &stays
	}
	if later > 0 {
		one.Later = []rows.Batch{{
			Segment: b.Segment, Domain: b.Domain, Egress: []string{"", "one"}[p.dice.IntN(2)], Retry: true,
			RunAfter: p.now.Add(time.Duration(p.dice.IntN(20)) * time.Second), Addresses: later, Data: b.Data[:3*later],
		}}
	}
	if done > 0 {
		one.Counts = []rows.ResultCount{{Result: "deliverable", Reason: "recipient_accepted", Addresses: int64(done)}}
		one.Results = []byte{byte(done)}
	}
	if p.dice.IntN(60) == 0 {
		one.Failed = "damaged"
	}
	return one, left
}

// look compares what nodes and users see.
func (p *pair) look(job, egress string) {
	ctx := p.t.Context()
	active, err := p.real.JobStates(ctx, nil)
	p.check(err)
	seen := func(all []rows.Job) (texts []string) {
		for _, j := range all {
			texts = append(texts, fmt.Sprint(j.ID, j.State, j.Addresses, j.Done))
		}
		return texts
	}
	p.same("the lists", seen(p.model.states()), seen(active))
	due, err := p.real.NextBatch(ctx, job, egress)
	p.check(err)
	p.same("the next batch of "+job, p.model.next(job, egress).UTC(), due.UTC())
	l := p.model.of[job]
	if l.deleted {
		return
	}
	j, err := p.real.Job(ctx, job)
	p.check(err)
	p.same("list "+job, fmt.Sprint(l.State, l.Done, l.Addresses), fmt.Sprint(j.State, j.Done, j.Addresses))
}
