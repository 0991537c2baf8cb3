// Package noask reads the rules for whom not to ask: those of engine.Config,
// and of the flags of the command.
package noask

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// The kinds of rules.
const (
	ofDomain   = "domain"
	ofMX       = "mx"
	ofProvider = "provider"
)

// Check returns what is wrong with a rule, or nil.
func Check(rule string) error {
	_, _, err := parse(rule)
	return err
}

// parse returns the kind and the name of a rule, as they are looked up.
func parse(rule string) (kind, name string, err error) {
	kind, name, found := strings.Cut(rule, ":")
	if !found || name == "" {
		return "", "", fmt.Errorf("%q is not domain:NAME, mx:NAME or provider:NAME", rule)
	}
	switch kind {
	case ofDomain, ofMX:
		const below = "x." // so that a top-level domain can be named, too
		mailbox, err := address.Read("x@" + below + strings.TrimSuffix(name, "."))
		if err != nil {
			return "", "", fmt.Errorf("%q: %w", rule, err)
		}
		return kind, strings.TrimPrefix(mailbox.Domain, below), nil
	case ofProvider:
		name = strings.ToLower(name)
		if !slices.Contains(provider.Names(), name) {
			return "", "", fmt.Errorf("%q: the provider is unknown; known are %s",
				rule, strings.Join(provider.Names(), ", "))
		}
		return kind, name, nil
	}
	return "", "", fmt.Errorf("%q is not a kind of rule: use domain, mx or provider", kind)
}

// Rules are a set of rules.
type Rules map[string]bool

// New returns a set of rules. An error names the rule that cannot be used.
func New(rules []string) (Rules, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	n := make(Rules, len(rules))
	for _, rule := range rules {
		kind, name, err := parse(rule)
		if err != nil {
			return nil, err
		}
		n[kind+":"+name] = true
	}
	return n, nil
}

// Domain returns the rule that covers a domain of addresses; empty: none does.
func (n Rules) Domain(domain string) string { return n.covers(ofDomain, domain) }

// Host returns the rule that covers a mail exchanger; empty: none does.
func (n Rules) Host(name string) string {
	if len(n) == 0 {
		return ""
	}
	if rule := n.covers(ofMX, name); rule != "" {
		return rule
	}
	if rule := ofProvider + ":" + provider.Of(name).Name; n[rule] {
		return rule
	}
	return ""
}

// covers looks for a rule about a name or one above it.
func (n Rules) covers(kind, name string) string {
	for more := len(n) > 0; more; {
		if rule := kind + ":" + name; n[rule] {
			return rule
		}
		_, name, more = strings.Cut(name, ".")
	}
	return ""
}
