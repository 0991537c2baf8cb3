package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
	"github.com/rcpt/rcpt/testdata"
)

// TestServices asks the mail services of testdata/worlds/services.txt, in
// memory, what lab/e2e asks them over the network: each question is put to a
// host that has not heard another.
func TestServices(t *testing.T) {
	text, err := testdata.Files.ReadFile("worlds/services.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n== ")
	blocks := strings.Split(rest, "\n== ")
	if len(blocks) < 100 {
		t.Errorf("%d services", len(blocks))
	}
	for _, block := range blocks {
		slug, _, _ := strings.Cut(block, ":")
		domain := slug + ".services.example"
		all, err := smtptest.ReadSituations("box alice\n== "+strings.ReplaceAll(block, "DOMAIN", domain), "mx")
		if err != nil {
			t.Fatalf("%s: %v", slug, err)
		}
		for _, q := range all[0].Asked {
			t.Run(slug+" "+q.Address, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { askService(t, all[0], domain, q) })
			})
		}
	}
}

func askService(t *testing.T, s smtptest.Situation, domain string, q smtptest.Question) {
	mx := "mx." + domain
	for _, line := range s.Rest {
		mx = strings.TrimPrefix(line, "mx ")
	}
	zone := dnstest.New(fmt.Sprintf("%s. MX 10 %s.\n*.%s. MX 10 %s.\n%s. A 192.0.2.1\n", domain, mx, domain, mx, mx))
	config := engine.Config{Exchanger: zone}
	for _, option := range q.Options {
		if length, ok := strings.CutPrefix(option, "timeout="); ok {
			var err error
			if config.Timeout, err = time.ParseDuration(length); err != nil {
				t.Fatal(err)
			}
		}
	}
	verifier, _, _ := inMemory(t, config, s.Host())
	address := q.Address
	if local, sub, ok := strings.Cut(address, "@"); !ok {
		address = local + "@" + domain
	} else if !strings.HasSuffix(strings.ToLower(sub), ".example") {
		address += "." + domain
	}
	r, err := verifier.Verify(t.Context(), address)
	if err != nil || !slices.Contains(q.Allowed, string(r.Verdict)) && !slices.Contains(q.Allowed, string(r.Reason)) {
		t.Errorf("%s: %s, %s (%v), want %s\n%s", address, r.Verdict, r.Reason, err, strings.Join(q.Allowed, " or "), transcriptOf(r))
	}
}
