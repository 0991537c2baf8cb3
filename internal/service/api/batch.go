package api

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// Together is a [Verifier] that verifies addresses of one domain together at
// less cost. Done is called for each, perhaps from several goroutines at a
// time; VerifyTogether returns after the last call. It uses no remembered
// results.
type Together interface {
	VerifyTogether(ctx context.Context, addresses []string, done func(i int, result engine.Result, err error))
}

// verifyAll answers with the records of several addresses, in their order. The
// timeout applies to all of them together.
func (s *Server) verifyAll(
	x *exchange, r *http.Request, grant *keyring.Grant, asked posted, started time.Time,
) (answered bool) {
	x.note(slog.Int("addresses", len(asked.questions)))
	if err := grant.More(len(asked.questions) - 1); err != nil {
		grant.Free()
		s.refuse(x, r, rows.ScopeVerify, err)
		return false
	}
	x.noteVerification()
	b := s.newBatch(r.Context(), grant, asked)
	if r.Context().Err() != nil {
		s.leaving(x)
		return false
	}
	if err := s.payAll(r.Context(), grant, b); err != nil {
		grant.Free()
		s.refuse(x, r, rows.ScopeVerify, err)
		return false
	}
	if len(b.groups) > 0 {
		if goesOn, ok := s.askAll(x, r, grant, b, started); !ok {
			return goesOn
		}
	}
	text := []byte(`{"results":[`)
	for i, question := range asked.questions {
		result := b.results[b.first[question.address]]
		s.settle(grant, result, b.paid[i], started)
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, recordOf(asked.shown(question.answered(result)))...)
	}
	rateFields(x.Header(), grant.Rate())
	writeEncoded(x, http.StatusOK, append(text, "]}\n"...))
	return true
}

// batch is several addresses in progress.
type batch struct {
	how      options
	deadline time.Time
	asked    []question
	first    map[string]int  // where an address is asked about: the same one twice is asked about once
	results  []engine.Result // by the number of their question
	known    []bool          // which results were there
	paid     []bool          // by which an orphan has paid
	groups   [][]int         // questions without a result, by domain
}

// newBatch finds the results that are there. The wait for those of orphans is a
// part of the batch's time.
func (s *Server) newBatch(ctx context.Context, grant *keyring.Grant, asked posted) *batch {
	n := len(asked.questions)
	b := &batch{
		how: asked.options, deadline: time.Now().Add(s.timeout(asked.options)),
		asked: asked.questions, first: make(map[string]int, n),
		results: make([]engine.Result, n), known: make([]bool, n), paid: make([]bool, n),
	}
	byDomain := make(map[string]int)
	for i, question := range asked.questions {
		if _, again := b.first[question.address]; again {
			continue
		}
		b.first[question.address] = i
		if b.results[i], b.known[i] = s.known(ctx, grant, question, b.how, b.deadline); b.known[i] {
			continue
		}
		domain := strings.ToLower(question.address[strings.LastIndexByte(question.address, '@')+1:])
		group, begun := byDomain[domain]
		if !begun {
			group = len(b.groups)
			byDomain[domain] = group
			b.groups = append(b.groups, nil)
		}
		b.groups[group] = append(b.groups[group], i)
	}
	return b
}

// payAll takes a unit of the quota for each question that no orphan has paid
// for, or none.
func (s *Server) payAll(ctx context.Context, grant *keyring.Grant, b *batch) error {
	units := len(b.asked)
	for i, question := range b.asked {
		if b.known[i] && s.orphans.claim(orphanID(grant.ID, question.address)) {
			b.paid[i] = true
			units--
		}
	}
	err := grant.Pay(ctx, units)
	if err != nil {
		s.disclaim(grant, b)
	}
	return err
}

// disclaim keeps for the next try what orphans have paid for.
func (s *Server) disclaim(grant *keyring.Grant, b *batch) {
	for i, question := range b.asked {
		if b.paid[i] {
			s.orphans.pay(orphanID(grant.ID, question.address))
		}
	}
}

// askAll verifies the groups: in the request's own slot, and concurrently in as
// many slots as are free at the moment. If that cannot be done, it answers the
// request itself; the verifications may go on without the client.
func (s *Server) askAll(
	x *exchange, r *http.Request, grant *keyring.Grant, b *batch, started time.Time,
) (goesOn, ok bool) {
	if !s.slots.take(r.Context()) {
		s.tooBusy(x)
		return false, false
	}
	slots := 1
	for slots < len(b.groups) && s.slots.tryTake() {
		slots++
	}
	defer func() {
		for range slots {
			s.slots.give()
		}
	}()
	t := startTask(r, time.Until(b.deadline), func(ctx context.Context) { s.askGroups(ctx, b, slots) })
	if t.await(r) {
		return false, true
	}
	some := b.orphans(grant.ID)
	s.disclaim(grant, b)
	_ = grant.Pay(r.Context(), len(some)) // gives back what those cost that were known, or are there twice
	goesOn = s.abandon(x, grant, t, some, started)
	s.leaving(x)
	return goesOn, false
}

// askGroups verifies the groups of a batch, so many at a time.
func (s *Server) askGroups(ctx context.Context, b *batch, atATime int) {
	groups := make(chan []int, len(b.groups))
	for _, group := range b.groups {
		groups <- group
	}
	close(groups)
	var all sync.WaitGroup
	faults := make(chan *taskFault, atATime)
	for range atATime {
		all.Go(func() {
			faults <- guarded(func() {
				for group := range groups {
					s.askGroup(ctx, b, group)
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

// askGroup verifies the addresses of one domain.
func (s *Server) askGroup(ctx context.Context, b *batch, group []int) {
	together, able := s.config.Verifier.(Together)
	if len(group) == 1 || !able {
		for _, i := range group {
			b.results[i], _ = s.verifier(b.how)(ctx, b.asked[i].address) // the record shows an error
		}
		return
	}
	addresses := make([]string, len(group))
	for n, i := range group {
		addresses[n] = b.asked[i].address
	}
	together.VerifyTogether(ctx, addresses, func(n int, result engine.Result, _ error) { b.results[group[n]] = result })
}
