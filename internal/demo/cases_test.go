package demo_test

import (
	"testing"
	"testing/synctest"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/demo"
)

// TestCases: the engine gives the verdict and the reason of the table for every
// address.
func TestCases(t *testing.T) {
	for _, c := range demo.Cases() {
		t.Run(c.Address, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				result := verify(t, c.Address)
				if result.Verdict != c.Verdict || result.Reason != c.Reason {
					t.Errorf("got %s, %s; want %s, %s\ntranscript: %v", result.Verdict, result.Reason, c.Verdict, c.Reason, result.Details.Transcript)
				}
			})
		})
	}
}

// TestFlags checks the addresses that demonstrate a flag.
func TestFlags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for address, set := range map[string]func(rcpt.Result) bool{
			"info@acme.example":    func(r rcpt.Result) bool { return r.Role },
			"me@throwaway.example": func(r rcpt.Result) bool { return r.Disposable },
			"alice@intl.example":   func(r rcpt.Result) bool { return r.Free },
			"trap@acme.example":    func(r rcpt.Result) bool { return r.SpamTrap },
			"who@anything.example": func(r rcpt.Result) bool { return r.AcceptAll },
		} {
			if !set(verify(t, address)) {
				t.Errorf("%s: flag is not set", address)
			}
		}
	})
}

func verify(t *testing.T, address string) rcpt.Result {
	t.Helper()
	world, err := demo.New()
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	verifier, err := engine.New(world.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer verifier.Close()
	result, err := verifier.Verify(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	return result
}
