//go:build unix

package jobs

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/pace"
)

// TestPlanIsRemembered: a list is read once for each column. The file is closed
// after that, so that it cannot be read again.
func TestPlanIsRemembered(t *testing.T) {
	n := alone(t, &hosts{})
	s := n.receive("a,b,c\nx@a.example,y@b.example,v@c.example w@c.example\nx@a.example,z@b.example,v@c.example w@c.example\n")
	plan := func(column string) (Plan, error) {
		return n.Plan(t.Context(), s, Request{Format: Format{Columns: []string{column}}})
	}
	first, err := plan("1")
	if check(t, err); first.Addresses != 1 || first.Duplicates != 1 {
		t.Errorf("the first column: %+v", first)
	}
	if _, err := plan("3"); !errors.Is(err, ErrNoAddress) {
		t.Errorf("a column with two addresses in each cell: %v", err)
	}
	check(t, s.file.Close())
	again, err := plan("1")
	if check(t, err); again != first {
		t.Errorf("the first column again: %+v", again)
	}
	if _, err := plan("3"); !errors.Is(err, ErrNoAddress) {
		t.Errorf("the third column again: %v", err)
	}
	if _, err := plan("2"); err == nil {
		t.Error("a column that was not read has the plan of another")
	}
}

// TestPlanHasARange: a list takes at least what the limits of its providers
// allow, and at most as long as temporary answers are asked again, too.
func TestPlanHasARange(t *testing.T) {
	limited := smtpprobe.ProviderPace{Rules: pace.Rules{Provider: "host.example", Limits: pace.Limits{RecipientsPerMinute: 80}}} // 70 for lists
	limited.LastMinute = 1                                                                                                       // which says nothing of what is allowed
	for name, c := range map[string]struct {
		domain      string
		retry       time.Duration
		least, most time.Duration
	}{
		"a provider with limits": {"limited.example", 0, 20 * time.Minute, 50 * time.Minute},
		"another":                {"free.example", 0, 28 * time.Second, 30*time.Minute + 28*time.Second},
		"without retries":        {"free.example", -1, 28 * time.Second, 28 * time.Second},
	} {
		n := newNode(t, openStore(t, store.Options{DataDir: t.TempDir()}), Config{
			Verifier: &hosts{}, RetryWindow: c.retry, Pacing: func() []smtpprobe.ProviderPace { return []smtpprobe.ProviderPace{limited} },
			Paced: func(domain string) string {
				if domain == "limited.example" {
					return "host.example"
				}
				return ""
			},
		})
		list := manyAddresses(1400, func(int) string { return c.domain })
		list += list // repeated addresses are asked about once
		plan, err := n.Plan(t.Context(), n.receive(list), Request{})
		if check(t, err); plan.Addresses != 1400 || plan.Least != c.least || plan.Most != c.most {
			t.Errorf("%s: %d addresses, %v to %v", name, plan.Addresses, plan.Least, plan.Most)
		}
	}
}

// TestOften: a domain with many addresses is counted wherever it stands among
// many with one.
func TestOften(t *testing.T) {
	o := often{make(map[string]int64)}
	for i := range 20 * mostDomains {
		o.add(strconv.Itoa(i))
		if i%10 == 0 {
			o.add("large")
		}
	}
	if n := o.counts["large"]; n < 2*mostDomains-22 || n > 2*mostDomains || len(o.counts) > mostDomains {
		t.Errorf("%d of %d, and %d domains", n, 2*mostDomains, len(o.counts))
	}
}
