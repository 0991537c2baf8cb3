package engine

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/engine/internal/netcheck"
)

// NetworkCheck says whether a [Verifier] proves that its own network works
// before it blames a domain.
//
// A resolver that denies everything (a captive portal, a split DNS, a filter)
// makes every domain look dead, and a network that blocks port 25 every mail
// host. So nothing that speaks against a domain is believed before the network
// has passed a check:
//
//   - The resolver: [Config.CheckDomains] have mail hosts, and a random name
//     does not exist. See internal/netcheck/resolver.go for the rule.
//   - Port 25: one of the mail hosts of these domains can be reached. It is
//     checked when those of the addresses cannot. If it fails, mail hosts that
//     have not greeted before are not asked for a minute, and one connection at
//     a time is tried beside: the first host that greets ends this. See
//     internal/netcheck/closed.go for the rule.
//
// Neither is checked while the answers speak for the domains, so an ordinary
// verification costs nothing more. Results that are not believed are
// [rcpt.VerdictUnknown] with the reason [rcpt.ReasonResolverUnreliable] or
// [rcpt.ReasonPortBlocked].
type NetworkCheck string

// The settings.
const (
	// NetworkCheckAuto is "on", but "off" if the configuration has AllowNets,
	// an Exchanger or a Dialer: such a world has no well-known domains.
	NetworkCheckAuto NetworkCheck = "auto"
	NetworkCheckOn   NetworkCheck = "on"
	NetworkCheckOff  NetworkCheck = "off"
)

// defaultCheckDomains are domains that have had mail hosts for decades. They
// belong to different companies, so that a fault of one is not taken for the
// resolver's.
var defaultCheckDomains = []string{"gmail.com", "outlook.com", "yahoo.com", "icloud.com", "gmx.net"}

// leastCheckDomains is the number of domains that a check needs: one of them
// may be out of order.
const leastCheckDomains = 3

// networkCheck reports whether the network check is to be made where the
// network is used.
func (c Config) networkCheck() bool {
	switch c.NetworkCheck {
	case NetworkCheckOn:
		return true
	case NetworkCheckOff:
		return false
	}
	return len(c.AllowNets) == 0 && c.Exchanger == nil && c.Dialer == nil
}

// checkDomains brings the domains of the check into the form the DNS knows.
func checkDomains(given []string) ([]string, error) {
	if len(given) == 0 {
		return defaultCheckDomains, nil
	}
	var domains []string
	for _, name := range given {
		domain, err := address.Domain(name)
		if err != nil {
			return nil, fmt.Errorf("domain %q for the network check: %w", name, err)
		}
		if !slices.Contains(domains, domain) {
			domains = append(domains, domain)
		}
	}
	if len(domains) < leastCheckDomains {
		const text = "%d domains for the network check: name at least %d, which belong to different companies"
		return nil, fmt.Errorf(text, len(domains), leastCheckDomains)
	}
	return domains, nil
}

// NetworkFacts is what the checks of our own network found, in an [Evidence]:
// why the answers cannot be held against the address. Empty strings: the check
// was passed, or there was no reason for one.
type NetworkFacts struct {
	ResolverFault string `json:"resolver_fault,omitempty"`
	PortFault     string `json:"port_fault,omitempty"`
}

// CheckState is how a check of our own network stands.
type CheckState string

// The states.
const (
	CheckOff      CheckState = "off"      // is not made
	CheckUntested CheckState = "untested" // there was no cause for one yet
	CheckPassed   CheckState = "passed"
	CheckFailed   CheckState = "failed"
)

// Check is the latest outcome of a check.
type Check struct {
	State CheckState `json:"state"`
	// Fault says what does not work, for people; empty unless the check failed.
	Fault string `json:"fault,omitempty"`
	// Since is when the state began, CheckedAt when it was last confirmed.
	Since     time.Time `json:"since,omitzero"`
	CheckedAt time.Time `json:"checked_at,omitzero"`
	// EverWorked is set once the check was passed, or a verification succeeded
	// without one.
	EverWorked bool `json:"ever_worked"`
}

// checkOf is what a check found, in the words of this package.
func checkOf(c netcheck.Check) Check {
	state := map[netcheck.Outcome]CheckState{
		netcheck.Untested: CheckUntested, netcheck.Passed: CheckPassed, netcheck.Failed: CheckFailed,
	}[c.Outcome]
	return Check{State: state, Fault: c.Fault, Since: c.Since, CheckedAt: c.CheckedAt, EverWorked: c.EverWorked}
}

// NetworkStatus is how our own network does.
type NetworkStatus struct {
	Resolver Check `json:"resolver"`
	Port     Check `json:"port"`
}

// Network returns the state of our own network, as far as verifications have
// found out. It is quick. A check that failed a while ago is made again in the
// background, so that a program that asks nobody while its network does not
// work sees when it works again.
func (v *Verifier) Network() NetworkStatus {
	status := NetworkStatus{Resolver: Check{State: CheckOff}, Port: Check{State: CheckOff}}
	if v.resolverCheck != nil {
		status.Resolver = checkOf(v.resolverCheck.Status())
	}
	if v.portCheck != nil {
		status.Port = checkOf(v.portCheck.Status())
	}
	return status
}

// Resolvers returns the DNS servers that are asked, HOST:PORT.
//
// Experimental: it may change in any minor version.
func (v *Verifier) Resolvers() []string {
	if v.resolver == nil {
		return nil
	}
	return v.resolver.Servers()
}

// networkChanged reports a check whose state has changed.
func (v *Verifier) networkChanged(what string, changed netcheck.Check) {
	check := checkOf(changed)
	v.config.Logger.LogAttrs(v.base, slog.LevelInfo, "network check",
		slog.String("check", what), slog.String("state", string(check.State)),
		slog.String("fault", check.Fault))
	if v.config.Hooks.Network != nil {
		v.config.Hooks.Network(v.Network())
	}
}

// notePort notes why no mail host could be reached; empty: that is not known.
func (e *Evidence) notePort(fault string) {
	if fault != "" {
		e.Network = &NetworkFacts{PortFault: fault}
	}
}

// addNetworkCheck makes the checks that the configuration wants.
func (v *Verifier) addNetworkCheck() {
	v.resolverCheck = &netcheck.Resolver{
		Resolver: v.resolver, Domains: v.config.CheckDomains, Blamed: v.blamed, Base: v.base,
		Changed: func(c netcheck.Check) { v.networkChanged("resolver", c) },
	}
	if v.config.Level != LevelSMTP {
		return
	}
	v.portCheck = &netcheck.Port{
		Hosts: v.hostsForCheck, Domains: v.config.CheckDomains, Dialer: v.pool, Base: v.base,
		Port:    cmp.Or(v.config.SMTPPort, defaultSMTPPort),
		Ways:    func() int { return len(v.pool.Egresses()) },
		Hidden:  len(v.config.Proxies)+len(v.config.SourceIPs)+len(v.config.Egresses) > 0,
		Changed: func(c netcheck.Check) { v.networkChanged("port", c) },
	}
}

// hostsForCheck returns the addresses of a domain's mail hosts that may be
// dialled.
func (v *Verifier) hostsForCheck(ctx context.Context, domain string) (addrs []netip.Addr) {
	if v.noAsk.Domain(domain) != "" {
		return nil
	}
	found, _ := v.resolver.MailHosts(ctx, domain) // an error says that ctx ended
	hosts, _ := leaveOut(v.noAsk, found.Hosts)
	for _, host := range hosts {
		for _, addr := range host.Addrs {
			if mayDial(v.own.marked(addr), v.config.AllowNets) {
				addrs = append(addrs, addr.IP)
			}
		}
	}
	return addrs
}

// defaultSMTPPort is the port of mail hosts where the configuration names none.
const defaultSMTPPort = 25

// CheckNetwork makes the checks that are not switched off, whether there is a
// reason for them or not. It does not wait for a check that failed within the
// last minute, nor for that of port 25 if it was passed within the last minute.
func (v *Verifier) CheckNetwork(ctx context.Context) NetworkStatus {
	var both sync.WaitGroup
	if v.resolverCheck != nil {
		both.Go(func() { v.resolverCheck.Pass(ctx) })
	}
	if v.portCheck != nil {
		both.Go(func() { v.portCheck.Pass(ctx) })
	}
	both.Wait()
	return v.Network()
}
