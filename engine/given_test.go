package engine_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestClean checks that with the option Clean every call cleans its text,
// that what it returns has the text, and that what is remembered has not.
func TestClean(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string // the texts of the results that the hook has got
		hooks := engine.Hooks{Verified: func(_ context.Context, r rcpt.Result, _ error) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, r.Details.Given)
		}}
		type call func(*engine.Verifier, string) (rcpt.Result, error)
		calls := map[string]call{
			"VerifyWith": func(v *engine.Verifier, text string) (rcpt.Result, error) {
				return v.VerifyWith(t.Context(), text, engine.VerifyOptions{Clean: true})
			},
			"With": func(v *engine.Verifier, text string) (rcpt.Result, error) {
				return v.With(engine.VerifyOptions{Clean: true}).Verify(t.Context(), text)
			},
			"Detach": func(v *engine.Verifier, text string) (rcpt.Result, error) {
				return v.VerifyWith(t.Context(), text, engine.VerifyOptions{Clean: true, Detach: true, Timeout: time.Minute})
			},
			"VerifyAll": func(v *engine.Verifier, text string) (r rcpt.Result, err error) {
				for _, o := range v.VerifyAll(t.Context(), []string{text}, engine.VerifyOptions{Clean: true}) {
					r, err = o.Result, o.Err
				}
				return r, err
			},
			"VerifyGroup": func(v *engine.Verifier, text string) (r rcpt.Result, err error) {
				v.VerifyGroup(t.Context(), []string{text}, engine.GroupOptions{Clean: true}, func(_ int, got rcpt.Result, e error) { r, err = got, e })
				return r, err
			},
		}
		for name, verify := range calls {
			for _, remember := range []int{0, 10} {
				v, network, _ := inMemory(t, engine.Config{MaxRemembered: remember, Hooks: hooks}, &smtptest.Host{CatchAll: true})
				for _, tt := range []struct {
					text, email, given string
					reason             rcpt.Reason
				}{
					{"jane@example.test", "jane@example.test", "", rcpt.ReasonCatchAll},
					{"Jane <jane@example.test>", "jane@example.test", "Jane <jane@example.test>", rcpt.ReasonCatchAll},
					{"jane", "jane", "", rcpt.ReasonInvalidSyntax},
					{"a@b.example; c@d.example", "a@b.example; c@d.example", "", rcpt.ReasonSeveralAddresses},
					{" n/a", " n/a", "", rcpt.ReasonNoAddress},
				} {
					told = nil
					r, err := verify(v, tt.text)
					if err != nil || r.Email != tt.email || r.Details.Given != tt.given || r.Reason != tt.reason {
						t.Errorf("%s %q: %+v, %+v, %v", name, tt.text, r, r.Details, err)
					}
					if want := []string{tt.given}; !slices.Equal(told, want) {
						t.Errorf("%s %q: the hook has %q, want %q", name, tt.text, told, want)
					}
					synctest.Wait()
				}
				if r, known := v.Recall(t.Context(), "jane@example.test"); known != (remember > 0) || known && r.Details.Given != "" {
					t.Errorf("%s: remembered: %v, %+v", name, known, r.Details)
				}
				if n := len(network.Dials()); remember > 0 && n != 1 {
					t.Errorf("%s: %d connections, want 1: the text is that of a remembered address", name, n)
				}
			}
		}
	})
}

// TestCleanAll checks that texts of one domain are verified together whatever
// stands around the address.
func TestCleanAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		texts := []string{"a@example.test", "B <b@example.test>", "N/A", "<mailto:c@EXAMPLE.test>"}
		zone := dnstest.New(oneHostZone)
		v, _, _ := inMemory(t, engine.Config{Exchanger: zone}, &smtptest.Host{CatchAll: true})
		reasons := make([]rcpt.Reason, len(texts))
		for i, o := range v.VerifyAll(t.Context(), texts, engine.VerifyOptions{Clean: true}) {
			if reasons[i] = o.Result.Reason; o.Err != nil {
				t.Error(o.Err)
			}
		}
		if want := []rcpt.Reason{rcpt.ReasonCatchAll, rcpt.ReasonCatchAll, rcpt.ReasonNoAddress, rcpt.ReasonCatchAll}; !slices.Equal(reasons, want) {
			t.Errorf("%v, want %v", reasons, want)
		}
		if n := zone.Count("example.test.", "MX"); n != 1 {
			t.Errorf("%d queries for the domain, want 1", n)
		}
	})
}
