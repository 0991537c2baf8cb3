package main

import (
	"testing"

	"github.com/rcpt/rcpt/lab/bench/drive/drivetest"
)

// TestAgreesWithTheTruth is about what the library has an answer for.
func TestAgreesWithTheTruth(t *testing.T) {
	spec := drivetest.Spec(25)
	spec.DomainMix.AcceptAll = 0.3
	drivetest.AgreesWithTheTruth(t, spec, newTool)
}
