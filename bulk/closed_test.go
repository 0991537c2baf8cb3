package bulk_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// TestVerifierIsClosed checks that a verifier which is closed under a run ends
// it with an error: nothing is written of what was not verified.
func TestVerifierIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := smtptest.NewNetwork()
		defer network.Close()
		network.Add("192.0.2.1", &smtptest.Host{CatchAll: true, ReplyDelay: time.Second})
		verifier, err := engine.New(engine.Config{
			Resolvers: []string{"192.0.2.53"}, Exchanger: dnstest.New("example.test. MX 10 mx.test.\nmx.test. A 192.0.2.1\n"),
			Dialer: network, AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
		})
		if err != nil {
			t.Fatal(err)
		}
		closing := time.AfterFunc(5*time.Second, func() { _ = verifier.Close() })
		defer func() {
			if closing.Stop() {
				_ = verifier.Close()
			}
		}()
		out := &file{}
		started := time.Now()
		summary, err := bulk.Run(t.Context(), listOf(numbered(2000, "example.test")...), out, bulk.Options{Verifier: verifier})
		if !errors.Is(err, engine.ErrClosed) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(started); took > 20*time.Second { // Close gives sessions a few seconds
			t.Errorf("took %v", took)
		}
		if n := len(out.lines); n == 0 || n == 2000 || summary.Written != int64(n) || summary.Failed != 0 {
			t.Errorf("%d lines, %+v", n, summary)
		}
		for _, line := range out.lines {
			if !strings.HasSuffix(line, " accept-all") {
				t.Errorf("written: %s", line)
			}
		}
	})
}

// TestFailuresAreCounted checks that the summary says how many verifications
// could not be carried out.
func TestFailuresAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier := &answers{reply: func(address string, _ int) (rcpt.Result, error) {
			if address == "user2@one.example" {
				return failed(address), errors.New("no descriptors")
			}
			return deliverable(address), nil
		}}
		emails := append(numbered(3, "one.example"), "user2@one.example")
		summary, err := bulk.Run(context.Background(), listOf(emails...), &file{}, bulk.Options{Verifier: bulk.OneByOne(verifier.Verify), Trim: rcpt.Result.WithoutDetails})
		if err != nil {
			t.Fatal(err)
		}
		got := []int64{summary.Done, summary.Failed, summary.Verdicts[rcpt.VerdictUnknown]}
		if diff := cmp.Diff([]int64{4, 2, 2}, got); diff != "" {
			t.Errorf("done, failed, unknown (-want +got):\n%s", diff)
		}
	})
}
