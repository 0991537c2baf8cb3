package server

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/keyring"
	"github.com/rcpt/rcpt/internal/store/rows"
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
	if err := grant.More(r.Context(), len(asked.questions)-1); err != nil {
		grant.Free()
		s.refuse(x, r, rows.ScopeVerify, err)
		return false
	}
	x.noteVerification()
	b := s.newBatch(r.Context(), asked)
	if len(b.groups) > 0 && !s.askAll(x, r, b) {
		return false
	}
	text := []byte(`{"results":[`)
	for i, question := range asked.questions {
		result := b.results[b.first[question.address]]
		s.settle(grant, result, started)
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, recordOf(asked.shown(question.answered(result)))...)
	}
	rateFields(x.Header(), grant.Rate())
	writeEncoded(x, http.StatusOK, append(text, "]}\n"...))
	return true
}

// settle counts one of several verifications, or gives its units back.
func (s *Server) settle(grant *keyring.Grant, result engine.Result, started time.Time) {
	if !result.Success {
		grant.Unanswered(1)
		return
	}
	if result.Details != nil && result.Details.Cached {
		grant.Cached()
	}
	s.count(grant.ID, result, started)
}

// batch is several addresses in progress.
type batch struct {
	how     options
	asked   []question
	first   map[string]int  // where an address is asked about: the same one twice is asked about once
	results []engine.Result // by the number of their question
	groups  [][]int         // questions without a remembered answer, by domain
}

// newBatch finds the remembered results.
func (s *Server) newBatch(ctx context.Context, asked posted) *batch {
	n := len(asked.questions)
	b := &batch{
		how: asked.options, asked: asked.questions, first: make(map[string]int, n),
		results: make([]engine.Result, n),
	}
	byDomain := make(map[string]int)
	for i, question := range asked.questions {
		if _, again := b.first[question.address]; again {
			continue
		}
		b.first[question.address] = i
		var known bool
		if b.results[i], known = s.recall(ctx, question, asked.options); known {
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

// askAll verifies the groups: one after the other in the request's own slot,
// and concurrently in as many slots as are free at the moment. If that cannot
// be done, it answers the request itself.
func (s *Server) askAll(x *exchange, r *http.Request, b *batch) bool {
	if !s.slots.take(r.Context()) {
		s.tooBusy(x)
		return false
	}
	defer s.slots.give()
	ctx, cancel := context.WithTimeout(r.Context(), s.timeout(b.how))
	defer cancel()
	groups := make(chan []int, len(b.groups))
	for _, group := range b.groups {
		groups <- group
	}
	close(groups)

	var others sync.WaitGroup
	panics := make(chan any, len(b.groups))
	work := func() {
		defer func() {
			if fault := recover(); fault != nil {
				panics <- fault
			}
		}()
		for group := range groups {
			s.askGroup(ctx, b, group)
		}
	}
	for range len(b.groups) - 1 {
		if !s.slots.tryTake() {
			break
		}
		others.Go(func() {
			defer s.slots.give()
			work()
		})
	}
	work()
	others.Wait()
	select {
	case fault := <-panics:
		panic(fault) // on the request's goroutine, where panics are handled
	default:
	}
	if r.Context().Err() != nil {
		s.leaving(x)
		return false
	}
	return true
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
