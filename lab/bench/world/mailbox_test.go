package world

import (
	"strings"
	"testing"
)

func TestMailboxesAnswerAsTheTruthSays(t *testing.T) {
	spec := testSpec()
	spec.DomainMix = DomainMix{AcceptAll: 0.3, GreylistBefore: 0.2, GreylistAfter: 0.2}
	spec.MailboxMix = MailboxMix{Unknown: 0.3, Full: 0.2, Disabled: 0.2}
	w := start(t, spec)
	tests := []struct {
		policy policy
		state  state
		reply  string
		truth  Truth
	}{
		{checks, exists, "250 2.1.5", Exists},
		{checks, unknown, "550 5.1.1", NotExists},
		{checks, full, "452 4.2.2", Temporary},
		{checks, disabled, "550 5.2.1", NotExists},
		{acceptsAll, exists, "250 2.1.5", AcceptAll},
		{acceptsAll, unknown, "250 2.1.5", AcceptAll},
		{greylistsBefore, exists, "450 4.2.0", Temporary},
		{greylistsBefore, unknown, "450 4.2.0", Temporary},
		{greylistsAfter, exists, "450 4.2.0", Temporary},
		{greylistsAfter, full, "450 4.2.0", Temporary},
		{greylistsAfter, unknown, "550 5.1.1", NotExists},
	}
	for _, test := range tests {
		address, domain := addressWith(t, spec, test.policy, test.state)
		if got := spec.Truth(address); got != test.truth {
			t.Errorf("policy %d, state %d: truth %q, want %q", test.policy, test.state, got, test.truth)
		}
		c, _ := dial(t, w, domain)
		c.mail()
		if got := c.say("RCPT TO:<" + address + ">"); !strings.HasPrefix(got, test.reply) {
			t.Errorf("policy %d, state %d: reply %q, want %q", test.policy, test.state, got, test.reply)
		}
		c.say("QUIT")
	}
}

func TestRandomRecipients(t *testing.T) {
	spec := testSpec()
	spec.DomainMix = DomainMix{AcceptAll: 0.3, GreylistBefore: 0.2, GreylistAfter: 0.2}
	tests := []struct {
		policy policy
		reply  string
	}{
		{checks, "550 5.1.1"}, {acceptsAll, "250 2.1.5"}, {greylistsBefore, "450 4.2.0"}, {greylistsAfter, "550 5.1.1"},
	}
	for _, test := range tests {
		address, _ := addressWith(t, spec, test.policy, exists)
		_, domain, _ := strings.Cut(address, "@")
		if got, _ := spec.answer("boxer.somebody@" + domain); !strings.HasPrefix(got, test.reply) {
			t.Errorf("policy %d: reply %q, want %q", test.policy, got, test.reply)
		}
	}
	if got, _ := spec.answer("box1@elsewhere.test"); !strings.HasPrefix(got, "550 5.7.1") {
		t.Errorf("a domain that is not the world's: reply %q, want 550 5.7.1", got)
	}
}

func TestListIsSkewed(t *testing.T) {
	spec := testSpec()
	count := make(map[string]int)
	for _, address := range spec.List() {
		_, domain, _ := strings.Cut(address, "@")
		count[domain]++
	}
	if first, last := count[domainName(0)], count[domainName(spec.Domains-1)]; first < 10*last {
		t.Errorf("%d addresses in the largest domain, %d in the smallest: want ten times as many or more", first, last)
	}
}

func TestDistinctDomains(t *testing.T) {
	spec := Spec{Addresses: 50, Domains: 50}
	seen := make(map[string]bool)
	for _, address := range spec.List() {
		_, domain, _ := strings.Cut(address, "@")
		seen[domain] = true
	}
	if len(seen) != spec.Domains {
		t.Errorf("%d domains, want %d", len(seen), spec.Domains)
	}
}
