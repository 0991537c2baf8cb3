package bulk_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// generated yields addresses spread over domains.
type generated struct{ next, items, domains int }

func (g *generated) Next(context.Context) (bulk.Item, error) {
	if g.next == g.items {
		return bulk.Item{}, io.EOF
	}
	g.next++
	return bulk.Item{Email: fmt.Sprintf("user%d@domain%d.example", g.next, g.next%g.domains)}, nil
}

// instant answers at once.
type instant struct{}

func (instant) VerifyGroup(
	_ context.Context, addresses []string, _ engine.GroupOptions, done func(int, rcpt.Result, error),
) {
	for i, address := range addresses {
		done(i, rcpt.Result{Email: address, Verdict: rcpt.VerdictDeliverable}, nil)
	}
}

type discard struct{}

func (discard) Write(context.Context, bulk.Item, rcpt.Result) error { return nil }

func (discard) Flush(context.Context) error { return nil }

// BenchmarkRun tells what a million items cost besides their verification; an
// operation is an item.
func BenchmarkRun(b *testing.B) {
	const million = 1_000_000
	b.ReportAllocs()
	for b.Loop() {
		_, err := bulk.Run(b.Context(), &generated{items: million, domains: 1000}, discard{}, bulk.Options{Verifier: instant{}})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/million, "ns/item")
}
