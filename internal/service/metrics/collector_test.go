package metrics_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/metrics"
)

// TestCollector checks that the metrics fit into the registry of a program, and
// are the same there.
func TestCollector(t *testing.T) {
	m, err := metrics.New(metrics.Config{Version: "1.2.3", Engine: func() engine.Stats { return engine.Stats{} }})
	if err != nil {
		t.Fatal(err)
	}
	m.Verified(rcpt.Result{Verdict: rcpt.VerdictDeliverable, Reason: rcpt.ReasonRecipientAccepted, Details: &rcpt.Details{}}, 0)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(collectors.NewGoCollector(), m)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, family := range families {
		if !strings.HasPrefix(family.GetName(), "go_") {
			names = append(names, family.GetName())
		}
	}
	for _, want := range []string{"rcpt_build_info", "rcpt_verifications_total"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is missing in %v", want, names)
		}
	}
	if i := slices.IndexFunc(names, func(n string) bool { return !strings.HasPrefix(n, "rcpt_") }); i >= 0 {
		t.Errorf("%s is not ours", names[i])
	}
}
