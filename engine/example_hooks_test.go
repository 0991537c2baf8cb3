package engine_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
)

// traceID is the key of the trace ID in the contexts of this program.
type traceID struct{}

// observe returns hooks that count verifications for Prometheus and log each
// with the trace ID of its caller. Labels are words of closed sets: never an
// address, and never a domain.
func observe(registry prometheus.Registerer, logger *slog.Logger) (engine.Hooks, error) {
	verified := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "signup_verified_total", Help: "Verified addresses, by verdict and reason.",
	}, []string{"verdict", "reason"})
	resolving := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "signup_resolving_seconds", Help: "Time to find the mail hosts of a domain.",
	})
	for _, c := range []prometheus.Collector{verified, resolving} {
		if err := registry.Register(c); err != nil {
			return engine.Hooks{}, err
		}
	}
	return engine.Hooks{
		Resolved: func(_ context.Context, _ dnsresolve.Findings, took time.Duration) {
			resolving.Observe(took.Seconds())
		},
		Verified: func(ctx context.Context, r engine.Result, err error) {
			verified.WithLabelValues(string(r.Verdict), string(r.Reason)).Inc()
			logger.InfoContext(ctx, "address verified", "domain", r.Domain, "reason", r.Reason,
				"trace", ctx.Value(traceID{}), "error", err)
		},
	}, nil
}

// Hooks connect the engine with metrics, logs and traces of the program.
func ExampleHooks() {
	registry := prometheus.NewRegistry()
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{} // so that the output is always the same
			}
			return a
		},
	}))
	hooks, err := observe(registry, logger)
	if err != nil {
		log.Fatal(err)
	}
	verifier, err := engine.New(engine.Config{Hooks: hooks, Exchanger: dnstest.New("example.org. MX 0 .")})
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

	families, err := registry.Gather()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(families[0].GetName(), "looked up:", families[0].GetMetric()[0].GetHistogram().GetSampleCount())
	fmt.Println(families[1].GetName(), families[1].GetMetric()[0].GetCounter().GetValue())
	// Output:
	// level=INFO msg="address verified" domain=example.org reason=null_mx trace=4bf92f35 error=<nil>
	// level=INFO msg="address verified" domain=example.org reason=null_mx trace=4bf92f35 error=<nil>
	// signup_resolving_seconds looked up: 2
	// signup_verified_total 2
}
