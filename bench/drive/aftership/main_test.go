package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/bench/drive"
	"github.com/rcpt/rcpt/bench/drive/drivetest"
)

// What the library has an answer for, it answers: it reaches the world, and its answers are read as it means them.
func TestAgreesWithTheTruth(t *testing.T) {
	spec := drivetest.Spec(25)
	spec.DomainMix.AcceptAll = 0.3
	report, counted := drivetest.Run(t, spec, newTool)
	if diff := cmp.Diff(drive.Tally{Answered: 60, Right: 60}, report.Tally); diff != "" {
		t.Error(diff)
	}
	if counted.Connections < 60 || counted.DNS["MX"] < 60 {
		t.Errorf("%d connections and %d MX queries for 60 addresses", counted.Connections, counted.DNS["MX"])
	}
}
