package service

import (
	"testing"

	"github.com/rcpt/rcpt/internal/doctor"
)

// TestExaminationOf: faults come before warnings, with what to do.
func TestExaminationOf(t *testing.T) {
	if examinationOf(nil) != nil {
		t.Error("an examination that was not made")
	}
	e := examinationOf(&doctor.Report{Checks: []doctor.Check{
		{Name: doctor.NameClock, State: doctor.StateWarning, Found: "w"}, {Name: doctor.NamePort, State: doctor.StateOK},
		{Name: doctor.NamePTR, Egress: "direct", Subject: "192.0.2.1", State: doctor.StateFault, Found: "f", Do: "d"},
	}})
	if e.Passed != 1 || len(e.Findings) != 2 || !e.Findings[0].Fault || e.Findings[0].Where != "PTR record 192.0.2.1, direct" {
		t.Errorf("%+v", e)
	}
}
