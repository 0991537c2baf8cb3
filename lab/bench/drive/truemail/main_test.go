package main

import (
	"testing"

	"github.com/rcpt/rcpt/lab/bench/drive/drivetest"
)

// TestAgreesWithTheTruth is about what the library has an answer for.
func TestAgreesWithTheTruth(t *testing.T) {
	drivetest.AgreesWithTheTruth(t, drivetest.Spec(2526), newTool)
}
