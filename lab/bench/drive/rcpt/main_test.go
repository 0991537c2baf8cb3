package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/lab/bench/drive"
	"github.com/rcpt/rcpt/lab/bench/drive/drivetest"
	"github.com/rcpt/rcpt/lab/bench/world"
)

func TestRightAboutEverything(t *testing.T) {
	spec := drivetest.Spec(2525)
	spec.DomainMix = world.DomainMix{AcceptAll: 0.3, GreylistBefore: 0.2, GreylistAfter: 0.2}
	spec.MailboxMix = world.MailboxMix{Unknown: 0.2, Full: 0.1, Disabled: 0.1}
	report, counted := drivetest.Run(t, spec, newTool)
	if diff := cmp.Diff(drive.Tally{Answered: 60, Right: 60}, report.Tally); diff != "" {
		t.Error(diff)
	}
	if counted.Connections == 0 || counted.NoQUIT != 0 || counted.Commands["DATA"] != 0 || counted.PeakPerHost > 20 {
		t.Errorf("manners: %+v", counted)
	}
}
