package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// NotAsked is a rule of [Config.NoAsk] that kept a verification from asking.
type NotAsked struct {
	Rule string `json:"rule"`           // "mx:mx.example.com"
	Host string `json:"host,omitempty"` // the mail exchanger that was left out; empty: the whole domain was
}

// The kinds of rules of [Config.NoAsk].
const (
	noAskDomain   = "domain"
	noAskMX       = "mx"
	noAskProvider = "provider"
)

// CheckNoAsk returns what is wrong with a rule of [Config.NoAsk], or nil.
func CheckNoAsk(rule string) error {
	_, _, err := parseNoAsk(rule)
	return err
}

// parseNoAsk returns the kind and the name of a rule, as they are looked up.
func parseNoAsk(rule string) (kind, name string, err error) {
	kind, name, found := strings.Cut(rule, ":")
	if !found || name == "" {
		return "", "", fmt.Errorf("%q is not domain:NAME, mx:NAME or provider:NAME", rule)
	}
	switch kind {
	case noAskDomain, noAskMX:
		const below = "x." // so that a top-level domain can be named, too
		domain, err := address.Domain(below + strings.TrimSuffix(name, "."))
		if err != nil {
			return "", "", fmt.Errorf("%q: %w", rule, err)
		}
		return kind, strings.TrimPrefix(domain, below), nil
	case noAskProvider:
		name = strings.ToLower(name)
		if !slices.Contains(provider.Names(), name) {
			return "", "", fmt.Errorf("%q: the provider is unknown; known are %s",
				rule, strings.Join(provider.Names(), ", "))
		}
		return kind, name, nil
	}
	return "", "", fmt.Errorf("%q is not a kind of rule: use domain, mx or provider", kind)
}

// MayAsk reports whether NoAsk allows contact with a mail host of a domain.
func (c Config) MayAsk(domain, host string) bool {
	rules, err := newNoAsk(c.NoAsk)
	return err == nil && rules.domain(domain) == "" && rules.host(host) == ""
}

// noAsk is whom not to ask: a set of rules.
type noAsk map[string]bool

func newNoAsk(rules []string) (noAsk, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	n := make(noAsk, len(rules))
	for _, rule := range rules {
		kind, name, err := parseNoAsk(rule)
		if err != nil {
			return nil, err
		}
		n[kind+":"+name] = true
	}
	return n, nil
}

// domain returns the rule that covers a domain of addresses; empty: none does.
func (n noAsk) domain(domain string) string { return n.covers(noAskDomain, domain) }

// host returns the rule that covers a mail exchanger; empty: none does.
func (n noAsk) host(name string) string {
	if len(n) == 0 {
		return ""
	}
	if rule := n.covers(noAskMX, name); rule != "" {
		return rule
	}
	if rule := noAskProvider + ":" + provider.Of(name).Name; n[rule] {
		return rule
	}
	return ""
}

// covers looks for a rule about a name or one above it.
func (n noAsk) covers(kind, name string) string {
	for more := len(n) > 0; more; {
		if rule := kind + ":" + name; n[rule] {
			return rule
		}
		_, name, more = strings.Cut(name, ".")
	}
	return ""
}

// leaveOut parts the mail exchangers that may be asked from those that may not.
func (n noAsk) leaveOut(hosts []dnsresolve.Host) (rest []dnsresolve.Host, left []NotAsked) {
	if len(n) == 0 {
		return hosts, nil
	}
	for _, host := range hosts {
		if rule := n.host(host.Name); rule != "" {
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
		return judgement{reason: ReasonSMTPSkipped}
	}
	var rules []string
	for _, l := range left {
		if !slices.Contains(rules, l.Rule) {
			rules = append(rules, l.Rule)
		}
	}
	rule := rulings[ReasonNotAsked]
	rule.message = fmt.Sprintf("The mail host was not asked: the settings exclude %s.", strings.Join(rules, " and "))
	return judgement{reason: ReasonNotAsked, special: &rule}
}
