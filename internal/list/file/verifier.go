package file

import (
	"context"
	"strings"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/list"
)

// Verifier verifies the addresses of an [Input] with Engine. It answers those
// that need no verification itself.
type Verifier struct{ Engine bulk.GroupVerifier }

// Verify verifies an address.
func (v Verifier) Verify(ctx context.Context, email string) (engine.Result, error) {
	if result, found := withoutEngine(email); found {
		return result, nil
	}
	return v.Engine.Verify(ctx, email)
}

// VerifyGroup verifies addresses of one domain.
func (v Verifier) VerifyGroup(
	ctx context.Context, addresses []string, o engine.GroupOptions, done func(i int, result engine.Result, err error),
) {
	var others []string
	var indexes []int
	for i, email := range addresses {
		if result, found := withoutEngine(email); found {
			done(i, result, nil)
			continue
		}
		others, indexes = append(others, email), append(indexes, i)
	}
	v.Engine.VerifyGroup(ctx, others, o, func(i int, result engine.Result, err error) {
		done(indexes[i], result, err)
	})
}

// withoutEngine returns the result of a text that begins with a mark.
func withoutEngine(text string) (result engine.Result, found bool) {
	if result, is := knownResult(text); is {
		return result, true
	}
	for kind, mark := range marks {
		if cell, is := strings.CutPrefix(text, mark); is && mark != "" {
			return list.Kind(kind).Result(cell)
		}
	}
	return engine.Result{}, false
}
