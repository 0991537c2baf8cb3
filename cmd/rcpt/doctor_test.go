package main

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/internal/service"
)

// TestDoctorCommand: faults end in exit code 1, in text and JSON.
func TestDoctorCommand(t *testing.T) {
	settings := brokenNetworks(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/doctor", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(append(env.Vars, quickExit), settings...)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// healthAt asks the server whose metrics are at an address for its health.
func healthAt(t *testing.T, metrics string) (h service.Health) {
	t.Helper()
	status, body := get(t, strings.TrimSuffix(metrics, "/metrics")+"/health", "")
	if err := json.Unmarshal([]byte(body), &h); err != nil || status != http.StatusOK {
		t.Fatalf("status %d, %v: %s", status, err, body)
	}
	return h
}

// TestServeExamines: the server examines its network at start, and shows it.
func TestServeExamines(t *testing.T) {
	settings := brokenNetworks(t)
	works := ""
	for _, setting := range settings {
		if found, ok := strings.CutPrefix(setting, "WORKS="); ok {
			works = found
		}
	}
	p := start(t, append(settings, "RCPT_API_KEY=a-key-of-the-user", "RCPT_DATA="+t.TempDir(), "RCPT_RESOLVER="+works),
		"serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0")
	lines := p.awaitAll(p.stderr, `^Metrics are at (http://.*)$`, `level=WARN msg="doctor: no mail host can be reached at port .*check=port egress=direct .*do=`)
	if _, body := get(t, lines[0][1], ""); !strings.Contains(body, `rcpt_doctor_checks{state="fault"} 1`) {
		t.Error("the fault is not in the metrics")
	}
	h := healthAt(t, lines[0][1])
	isPort := func(c doctor.Check) bool {
		return c.Name == doctor.NamePort && c.State == doctor.StateFault && c.Do != ""
	}
	if h.OK || h.Network.Port.State != engine.CheckFailed || h.Doctor == nil || h.Doctor.OK || !slices.ContainsFunc(h.Doctor.Checks, isPort) {
		t.Errorf("/health says %+v", h)
	}
	if code, _, _ := p.end(os.Interrupt); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}
