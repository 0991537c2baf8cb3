package engine_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// What a closed Verifier does not find is no word on the domain.
func TestVerifyAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier, _, _ := inMemory(t, engine.Config{MaxRemembered: 10}, &smtptest.Host{CatchAll: true})
		if _, err := verifier.Verify(t.Context(), "user@example.test"); err != nil {
			t.Fatal(err)
		}
		if err := verifier.Close(); err != nil {
			t.Fatal(err)
		}
		for _, email := range []string{"user@example.test", "user@elsewhere.test"} {
			result, err := verifier.Verify(t.Context(), email)
			notCarriedOut(t, result, err)
		}
		if result, err := verifier.Verify(t.Context(), "nonsense"); err != nil || result.Verdict != rcpt.VerdictUndeliverable {
			t.Errorf("what needs no network: %s, %v", result.Verdict, err)
		}
	})
}

func TestCloseDuringTheSearchForHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone := dnstest.New(oneHostZone)
		zone.Break(dnstest.Fault{Delay: time.Second})
		verifier, _, _ := inMemory(t, engine.Config{Exchanger: zone}, &smtptest.Host{CatchAll: true})
		done := make(chan struct{})
		go func() {
			defer close(done)
			result, err := verifier.Verify(t.Context(), "user@example.test")
			notCarriedOut(t, result, err)
		}()
		synctest.Wait()
		if err := verifier.Close(); err != nil {
			t.Error(err)
		}
		<-done
	})
}

func notCarriedOut(t *testing.T, result rcpt.Result, err error) {
	t.Helper()
	if !errors.Is(err, engine.ErrClosed) || !result.Reason.Failed() || result.Verdict != rcpt.VerdictUnknown {
		t.Errorf("%s: %s, success %v, error %v; want %v", result.Email, result.Verdict, !result.Reason.Failed(), err, engine.ErrClosed)
	}
	if result.Reason != rcpt.ReasonClosed || !strings.HasPrefix(err.Error(), "engine: ") {
		t.Errorf("%s: %s, %q; want %s, in the name of the engine", result.Email, result.Reason, err, rcpt.ReasonClosed)
	}
}
