package world

import (
	"net/netip"
	"strconv"
	"time"
)

const (
	// hostsPerDomain is how many mail hosts a domain or a provider may have.
	hostsPerDomain = 2
	// largePerProvider is how many of the largest domains a provider has.
	largePerProvider = 2
	// hostsPerBlock is how many mail hosts share the third octet of their
	// addresses.
	hostsPerBlock = 250
)

// traits are what a mail host offers and allows.
type traits struct {
	name          string
	pipelining    bool
	startTLS      bool
	late          time.Duration // before each group of replies, beside the world's delay
	maxRecipients int
	softErrors    int
	maxErrors     int
	maxSessions   int
}

// exchange is a mail host of a domain.
type exchange struct {
	traits
	ip netip.Addr
}

// isLarge tells whether a domain is one of the largest, those that the
// providers are known for.
func (s Spec) isLarge(n int) bool { return n < s.Providers*largePerProvider }

// owner is who runs the mail hosts of a domain: a provider or the domain
// itself. Its place numbers all owners.
func (s Spec) owner(n int) (name string, place int, provider bool) {
	domain := domainName(n)
	if s.isLarge(n) || s.Providers > 0 && s.share("hosted", domain) < s.Hosted {
		p := n % s.Providers
		return "giant" + strconv.Itoa(p) + domainSuffix, p, true
	}
	if s.Hosters > 0 {
		h := n % s.Hosters
		return "hoster" + strconv.Itoa(h) + domainSuffix, s.Providers + h, false
	}
	return domain, s.Providers + n, false
}

// exchanges are the mail hosts of a domain in order of preference. Every second
// provider has two.
func (s Spec) exchanges(n int) []exchange {
	if s.Operator.SessionsPerClient > 0 {
		name := "mx." + domainPrefix + strconv.Itoa(n) + "." + operatorName
		return []exchange{{traits: s.traits(name, true), ip: s.operatorIP(n)}}
	}
	owner, place, provider := s.owner(n)
	count := 1
	if provider && place%2 == 1 || !provider && s.share("hosts", owner) < s.DomainMix.SecondMailHosts {
		count = hostsPerDomain
	}
	all := make([]exchange, count)
	for i := range all {
		name := "mx" + strconv.Itoa(i+1) + "." + owner
		all[i] = exchange{traits: s.traits(name, provider), ip: s.hostIP(place*hostsPerDomain + i)}
	}
	return all
}

func (s Spec) traits(name string, provider bool) traits {
	mix := s.HostMix
	t := traits{
		name:        name,
		pipelining:  provider || s.share("pipelining", name) >= mix.NoPipelining,
		startTLS:    s.share("starttls", name) < mix.STARTTLS,
		maxSessions: mix.SessionsPerClient,
	}
	if !provider && s.share("tarpit", name) < mix.Tarpits {
		t.late = mix.TarpitDelay
	}
	if provider || s.share("strict", name) < mix.Strict {
		t.maxRecipients, t.softErrors, t.maxErrors = mix.MaxRecipients, mix.SoftErrors, mix.MaxErrors
	}
	return t
}

// operatorName is the domain of an operator's mail hosts.
const operatorName = "operator" + domainSuffix

// operatorIP spreads the mail hosts of an operator over networks, as one that
// has many does.
func (s Spec) operatorIP(n int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, s.Subnet, byte(1 + n%hostsPerBlock), byte(1 + n/hostsPerBlock)})
}

// dnsIP is the address of the DNS server.
func (s Spec) dnsIP() netip.Addr { return netip.AddrFrom4([4]byte{127, s.Subnet, 0, 1}) }

func (s Spec) hostIP(n int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, s.Subnet, byte(1 + n/hostsPerBlock), byte(1 + n%hostsPerBlock)})
}
