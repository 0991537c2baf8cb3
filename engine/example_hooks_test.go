package engine_test

import (
	"context"
	"expvar"
	"fmt"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
)

// traceID is the key of the trace ID in the contexts of this program.
type traceID struct{}

// observe returns hooks that count verifications and log each with the trace ID
// of its caller. With Prometheus, "verified" is a CounterVec with the labels
// "verdict" and "reason", and "resolving" a Histogram. Labels are words of
// closed sets: never an address, and never a domain.
func observe(counts *expvar.Map, logger *slog.Logger) engine.Hooks {
	return engine.Hooks{
		Resolved: func(_ context.Context, _ dnsresolve.Findings, took time.Duration) {
			counts.Add("resolving", 1)
			counts.AddFloat("resolving seconds", took.Seconds())
		},
		Verified: func(ctx context.Context, r rcpt.Result, err error) {
			counts.Add(fmt.Sprintf("verified %s %s", r.Verdict, r.Reason), 1)
			logger.InfoContext(ctx, "address verified", "domain", r.Domain, "reason", r.Reason,
				"trace", ctx.Value(traceID{}), "error", err)
		},
	}
}

// Hooks connect the engine with metrics, logs and traces of the program.
func ExampleHooks() {
	counts := new(expvar.Map)
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{} // so that the output is always the same
			}
			return a
		},
	}))
	verifier, err := engine.New(engine.Config{Hooks: observe(counts, logger), Exchanger: dnstest.New("example.org. MX 0 .")})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()
	ctx := context.WithValue(context.Background(), traceID{}, "4bf92f35")
	for _, address := range []string{"alice@example.org", "bob@example.org"} {
		if _, err := verifier.Verify(ctx, address); err != nil {
			log.Fatal(err)
		}
	}

	fmt.Println("looked up:", counts.Get("resolving"))
	fmt.Println("undeliverable:", counts.Get("verified undeliverable null_mx"))
	// Output:
	// level=INFO msg="address verified" domain=example.org reason=null_mx trace=4bf92f35 error=<nil>
	// level=INFO msg="address verified" domain=example.org reason=null_mx trace=4bf92f35 error=<nil>
	// looked up: 2
	// undeliverable: 2
}
