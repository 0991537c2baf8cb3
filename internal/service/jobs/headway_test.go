//go:build unix

package jobs

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// TestHeadway: the rate is that of the last seconds although nobody looks, and
// the addresses are the job's own, not all for which this server waits.
func TestHeadway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hosts{answer: func(ctx context.Context, email string, _ int) rcpt.Result {
			if strings.HasSuffix(email, "@slow.example") {
				select {
				case <-time.After(time.Hour):
				case <-ctx.Done():
				}
			}
			return fine(email)
		}}
		slowed := smtpprobe.ProviderPace{Rules: pace.Rules{Provider: "host.example"}, State: pace.State{Slowed: pace.Harvesting, LastMinute: 10}, Waiting: 70_000}
		n := newNode(t, openStore(t, store.Options{DataDir: t.TempDir()}), Config{
			Verifier: h, Pacing: func() []smtpprobe.ProviderPace { return []smtpprobe.ProviderPace{slowed} },
			Paced: func(domain string) string {
				if domain == "slow.example" {
					return "host.example"
				}
				return ""
			},
		})
		j := n.create(manyAddresses(2000, func(i int) string {
			if i%2 == 0 {
				return "slow.example"
			}
			return "fast.example"
		}), Request{})
		time.Sleep(5 * time.Second)
		way, err := n.Headway(t.Context(), n.job(j.ID))
		check(t, err)
		if way.Rate < 100 {
			t.Errorf("while it is fast: %+v", way)
		}
		time.Sleep(time.Minute)
		now := n.job(j.ID)
		way, err = n.Headway(t.Context(), now)
		check(t, err)
		const want = "1,000 wait for host.example: slowed down because most of its mailboxes do not exist"
		if now.Done != 1000 || way.Rate != 0 || len(way.Waiting) != 1 || way.Waiting[0].Message != want {
			t.Errorf("%d done, %+v", now.Done, way)
		}
		if way.Left != 100*time.Minute { // as ten in the last minute
			t.Errorf("it takes %v", way.Left)
		}
		_, err = n.Change(t.Context(), store.ByCommand("test"), j.ID, nil, Pause)
		check(t, err)
		if way, err := n.Headway(t.Context(), n.job(j.ID)); err != nil || way.Left >= 0 || len(way.Waiting) > 0 {
			t.Errorf("paused: %+v %v", way, err)
		}
	})
}
