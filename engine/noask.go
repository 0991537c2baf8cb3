package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/internal/noask"
)

// NotAsked is a rule of [Config.NoAsk] that kept a verification from asking.
type NotAsked struct {
	Rule string `json:"rule"`           // "mx:mx.example.com"
	Host string `json:"host,omitempty"` // the mail exchanger that was left out; empty: the whole domain was
}

// leaveOut parts the mail exchangers that may be asked from those that may not.
func leaveOut(n noask.Rules, hosts []dnsresolve.Host) (rest []dnsresolve.Host, left []NotAsked) {
	if len(n) == 0 {
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
