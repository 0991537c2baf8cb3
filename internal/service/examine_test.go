package service

import (
	"fmt"
	"testing"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
)

// TestExaminationOf: faults come before warnings, with what to do.
func TestExaminationOf(t *testing.T) {
	if examinationOf(nil, engine.NetworkStatus{}) != nil {
		t.Error("an examination that was not made")
	}
	e := examinationOf(&doctor.Report{Checks: []doctor.Check{
		{Name: doctor.NameClock, State: doctor.StateWarning, Found: "w"}, {Name: doctor.NamePort, State: doctor.StateOK},
		{Name: doctor.NamePTR, Egress: "direct", Subject: "192.0.2.1", State: doctor.StateFault, Found: "f", Do: "d"},
	}}, engine.NetworkStatus{})
	if e.Passed != 1 || len(e.Findings) != 2 || !e.Findings[0].Fault || e.Findings[0].Where != "PTR record 192.0.2.1, direct" {
		t.Errorf("%+v", e)
	}
}

// TestOneFaultOnce: what a check of the network says is no finding beside it,
// and a dead resolver is one finding where the check has not seen it.
func TestOneFaultOnce(t *testing.T) {
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	dead := &doctor.Report{At: at, Checks: []doctor.Check{
		{Name: doctor.NameResolverHonest, State: doctor.StateFault, Found: "f"}, {Name: doctor.NameResolver, Subject: "127.0.0.1:53", State: doctor.StateFault, Found: "f"},
		{Name: doctor.NamePTR, State: doctor.StateFault, Found: "f"},
	}}
	closed := &doctor.Report{At: at, Checks: []doctor.Check{{Name: doctor.NamePort, State: doctor.StateFault, Found: "f"}}}
	oneOf := &doctor.Report{At: at, Checks: []doctor.Check{
		{Name: doctor.NameResolverHonest, State: doctor.StateOK}, {Name: doctor.NameResolver, Subject: "127.0.0.1:53", State: doctor.StateFault, Found: "f"},
		{Name: doctor.NamePort, Egress: "a", State: doctor.StateFault, Found: "f"}, {Name: doctor.NamePort, Egress: "b", State: doctor.StateOK},
	}}
	failed, passed := engine.Check{State: engine.CheckFailed}, engine.Check{State: engine.CheckPassed}
	for _, c := range []struct {
		name   string
		report *doctor.Report
		status engine.NetworkStatus
		want   string
	}{
		{"the check says so, too", dead, engine.NetworkStatus{Resolver: failed}, "[PTR record]"},
		{"it works again", dead, engine.NetworkStatus{Resolver: passed}, "[PTR record]"},
		{"only the examination knows", dead, engine.NetworkStatus{}, "[resolver, honesty PTR record]"},
		{"port 25", closed, engine.NetworkStatus{Port: failed}, "[]"},
		{"port 25, only the examination knows", closed, engine.NetworkStatus{}, "[port]"},
		{"one server, and one egress", oneOf, engine.NetworkStatus{Resolver: passed, Port: passed}, "[resolver 127.0.0.1:53 port, a]"},
	} {
		got := []string{}
		for _, f := range examinationOf(c.report, c.status).Findings {
			got = append(got, f.Where)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
