// Package drivetest holds tools to the truth of a little world.
package drivetest

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/lab/bench/drive"
	"github.com/rcpt/rcpt/lab/bench/world"
)

// limit is more time than any tool needs for a little world.
const limit = 30 * time.Second

// Spec is a little world that listens on port. Its mailboxes exist or do not;
// nothing else.
func Spec(port uint16) world.Spec {
	return world.Spec{
		Seed: 1, Subnet: 79, Port: port, Addresses: 60, Domains: 12, Skew: 1, Providers: 1, Hosted: 0.3,
		DomainMix:  world.DomainMix{SecondMailHosts: 0.3},
		MailboxMix: world.MailboxMix{Unknown: 0.4},
	}
}

// Run runs a tool over the list of a world. Where the world's port needs a
// privilege that the process does not have, the test is skipped.
func Run(
	t *testing.T, spec world.Spec, newTool func(drive.Setting) (drive.Tool, error),
) (drive.Report, world.Counters) {
	t.Helper()
	w, err := world.Start(spec)
	if errors.Is(err, fs.ErrPermission) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	report, err := drive.Run(t.Context(), drive.Setting{Spec: spec, DNS: w.DNS(), Concurrency: 10}, limit, newTool)
	if err != nil {
		t.Fatal(err)
	}
	return report, w.Take(t.Context())
}

// AgreesWithTheTruth runs a tool that asks anew about each address, and has an
// answer for all that is in the world: it reaches the world, and its answers
// are read as it means them.
func AgreesWithTheTruth(t *testing.T, spec world.Spec, newTool func(drive.Setting) (drive.Tool, error)) {
	t.Helper()
	report, counted := Run(t, spec, newTool)
	if diff := cmp.Diff(drive.Tally{Answered: spec.Addresses, Right: spec.Addresses}, report.Tally); diff != "" {
		t.Error(diff)
	}
	if least := int64(spec.Addresses); counted.Connections < least || counted.DNS["MX"] < least {
		t.Errorf("%d connections and %d MX queries for %d addresses",
			counted.Connections, counted.DNS["MX"], spec.Addresses)
	}
}
