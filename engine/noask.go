package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// The kinds of rules of [Config.NoAsk].
const (
	ofDomain   = "domain"
	ofMX       = "mx"
	ofProvider = "provider"
)

// NoAskRules are rules of [Config.NoAsk] as a set, for programs that ask by
// themselves, too, and for those that check what somebody has written.
type NoAskRules struct{ rules map[string]bool }

// ReadNoAsk reads rules as [Config.NoAsk] has them. An error names the rule
// that cannot be used.
func ReadNoAsk(rules ...string) (NoAskRules, error) {
	n := NoAskRules{make(map[string]bool, len(rules))}
	for _, rule := range rules {
		kind, name, err := readNoAsk(rule)
		if err != nil {
			return NoAskRules{}, err
		}
		n.rules[kind+":"+name] = true
	}
	return n, nil
}

// readNoAsk returns the kind and the name of a rule, as they are looked up.
func readNoAsk(rule string) (kind, name string, err error) {
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
		return kind, strings.TrimPrefix(mailbox.Domain(), below), nil
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

// Domain returns the rule that covers a domain of addresses; empty: none does.
func (n NoAskRules) Domain(domain string) string { return n.covers(ofDomain, domain) }

// Host returns the rule that covers a mail exchanger; empty: none does.
func (n NoAskRules) Host(name string) string {
	if len(n.rules) == 0 {
		return ""
	}
	if rule := n.covers(ofMX, name); rule != "" {
		return rule
	}
	if rule := ofProvider + ":" + provider.Of(name).Name; n.rules[rule] {
		return rule
	}
	return ""
}

// covers looks for a rule about a name or one above it.
func (n NoAskRules) covers(kind, name string) string {
	for more := len(n.rules) > 0; more; {
		if rule := kind + ":" + name; n.rules[rule] {
			return rule
		}
		_, name, more = strings.Cut(name, ".")
	}
	return ""
}

// NotAsked is a rule of [Config.NoAsk] that kept a verification from asking.
type NotAsked struct {
	Rule string `json:"rule"`           // "mx:mx.example.com"
	Host string `json:"host,omitempty"` // the mail exchanger that was left out; empty: the whole domain was
}

// leaveOut parts the mail exchangers that may be asked from those that may not.
func leaveOut(n NoAskRules, hosts []dnsresolve.Host) (rest []dnsresolve.Host, left []NotAsked) {
	if len(n.rules) == 0 {
		return hosts, nil
	}
	for _, host := range hosts {
		if rule := n.Host(host.Name); rule != "" {
			left = append(left, NotAsked{Rule: rule, Host: host.Name})
			continue
		}
		rest = append(rest, host)
	}
	return rest, left
}

// judgeSkipped judges an address whose mail hosts were not asked: by the rules
// of [Config.NoAsk] if they are the cause.
func judgeSkipped(left []NotAsked) judgement {
	if len(left) == 0 {
		return judgement{reason: rcpt.ReasonLevelReached}
	}
	var rules []string
	for _, l := range left {
		if !slices.Contains(rules, l.Rule) {
			rules = append(rules, l.Rule)
		}
	}
	rule := rulingOf(rcpt.ReasonNotAsked)
	rule.message = fmt.Sprintf("The mail host was not asked: the settings exclude %s.", strings.Join(rules, " and "))
	return judgement{reason: rcpt.ReasonNotAsked, special: &rule}
}
