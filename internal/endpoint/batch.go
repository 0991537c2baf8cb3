package endpoint

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/answered"
	"github.com/rcpt/rcpt/internal/exchange"
)

// verifyAll answers with the records of several addresses, in their order. The
// timeout applies to all of them together.
func (e *Endpoint) verifyAll(
	x *exchange.Exchange, r *http.Request, grant Grant, asked posted, started time.Time,
) (answered bool) {
	x.Note(slog.Int("addresses", len(asked.questions)))
	err := grant.More(len(asked.questions) - 1)
	if err == nil {
		err = e.fails(asked.questions...)
	}
	if err != nil {
		grant.Free()
		e.config.Refuse(x, r, err)
		return false
	}
	x.NoteVerification()
	b := e.newBatch(r.Context(), grant, asked)
	if r.Context().Err() != nil {
		e.leaving(x)
		return false
	}
	if err := e.payAll(r.Context(), grant, b); err != nil {
		grant.Free()
		e.config.Refuse(x, r, err)
		return false
	}
	if len(b.groups) > 0 {
		if goesOn, ok := e.askAll(x, r, grant, b, started); !ok {
			return goesOn
		}
	}
	text := []byte(`{"results":[`)
	for i, question := range asked.questions {
		result := b.results[b.first[question.address]]
		e.settle(r.Context(), grant, result, b.paid[i], started)
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, recordOf(asked.shown(question.answered(result)))...)
	}
	grant.Describe(x.Header())
	x.Encoded(http.StatusOK, append(text, "]}\n"...))
	return true
}

// batch is several addresses in progress.
type batch struct {
	how      options
	deadline time.Time
	asked    []question
	first    map[string]int // where an address is asked about: the same one twice is asked about once
	results  []rcpt.Result  // by the number of their question
	known    []bool         // which results were there
	paid     []bool         // by which an orphan has paid
	groups   [][]int        // questions without a result, by what is verified together
}

// newBatch finds the results that are there. The wait for those of orphans is a
// part of the batch's time.
func (e *Endpoint) newBatch(ctx context.Context, grant Grant, asked posted) *batch {
	n := len(asked.questions)
	b := &batch{
		how: asked.options, deadline: time.Now().Add(e.timeout(asked.options)),
		asked: asked.questions, first: make(map[string]int, n),
		results: make([]rcpt.Result, n), known: make([]bool, n), paid: make([]bool, n),
	}
	groups := make(map[string]int)
	for i, question := range asked.questions {
		if _, again := b.first[question.address]; again {
			continue
		}
		b.first[question.address] = i
		if b.results[i], b.known[i] = e.known(ctx, grant, question, b.how, b.deadline); b.known[i] {
			continue
		}
		b.results[i] = noAnswer
		together := e.together(question.address)
		group, begun := groups[together]
		if !begun {
			group = len(b.groups)
			groups[together] = group
			b.groups = append(b.groups, nil)
		}
		b.groups[group] = append(b.groups[group], i)
	}
	return b
}

// together is what addresses have in common that are verified together: their
// domain.
func (e *Endpoint) together(address string) string {
	if e.plain {
		return address
	}
	return strings.ToLower(address[strings.LastIndexByte(address, '@')+1:])
}

// payAll takes a unit of the quota for each question that no orphan has paid
// for, or none.
func (e *Endpoint) payAll(ctx context.Context, grant Grant, b *batch) error {
	units := len(b.asked)
	for i, question := range b.asked {
		if b.known[i] && e.orphans.claim(orphanID(grant.ID(), question.address)) {
			b.paid[i] = true
			units--
		}
	}
	err := grant.Pay(ctx, units)
	if err != nil {
		e.disclaim(grant, b)
	}
	return err
}

// disclaim keeps for the next try what orphans have paid for.
func (e *Endpoint) disclaim(grant Grant, b *batch) {
	for i, question := range b.asked {
		if b.paid[i] {
			e.orphans.pay(orphanID(grant.ID(), question.address))
		}
	}
}

// askAll verifies the groups: in the request's own slot, and concurrently in as
// many slots as are free at the moment. If that cannot be done, it answers the
// request itself; the verifications may go on without the client.
func (e *Endpoint) askAll(
	x *exchange.Exchange, r *http.Request, grant Grant, b *batch, started time.Time,
) (goesOn, ok bool) {
	if !e.slots.take(r.Context()) {
		e.tooBusy(x)
		return false, false
	}
	slots := 1
	for slots < len(b.groups) && e.slots.tryTake() {
		slots++
	}
	defer func() {
		for range slots {
			e.slots.give()
		}
	}()
	t := startTask(r, time.Until(b.deadline), func(ctx context.Context) { e.askGroups(ctx, b, slots) })
	if t.await(r) {
		return false, true
	}
	some := b.orphans(grant.ID())
	e.disclaim(grant, b)
	_ = grant.Pay(r.Context(), len(some)) // gives back what those cost that were known, or are there twice
	goesOn = e.abandon(x, grant, t, some, started)
	e.leaving(x)
	return goesOn, false
}

// askGroups verifies the groups of a batch, so many at a time.
func (e *Endpoint) askGroups(ctx context.Context, b *batch, atATime int) {
	groups := make(chan []int, len(b.groups))
	for _, group := range b.groups {
		groups <- group
	}
	close(groups)
	var all sync.WaitGroup
	faults := make(chan *exchange.Panic, atATime)
	for range atATime {
		all.Go(func() {
			faults <- exchange.Guarded(func() {
				for group := range groups {
					e.askGroup(ctx, b, group)
				}
			})
		})
	}
	all.Wait()
	close(faults)
	for fault := range faults {
		if fault != nil {
			panic(fault)
		}
	}
}

// orphans are the addresses of a batch that were asked about.
func (b *batch) orphans(key string) (some []*orphan) {
	for _, group := range b.groups {
		for _, i := range group {
			some = append(some, newOrphan(key, b.asked[i].address, &b.results[i]))
		}
	}
	return some
}

// left is the time that the batch has left; a little when it has none.
func (b *batch) left() time.Duration { return max(time.Until(b.deadline), time.Nanosecond) }

// askGroup verifies the addresses of one domain.
func (e *Endpoint) askGroup(ctx context.Context, b *batch, group []int) {
	addresses := make([]string, len(group))
	for n, i := range group {
		addresses[n] = b.asked[i].address
	}
	how := engine.GroupOptions{Fresh: b.how.fresh, Timeout: b.left()}
	e.config.Verifier.VerifyGroup(ctx, addresses, how, func(n int, result rcpt.Result, err error) {
		b.results[group[n]] = answered.Result(b.asked[group[n]].address, result, err)
	})
}
