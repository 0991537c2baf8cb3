package soak

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Spec is everything there is to know about a world.
type Spec struct {
	Seed      uint64
	Subnet    uint8         // its hosts are in 127.Subnet.0.0/16; what must not be contacted is in the next network
	Hosts     int           // of each hostile kind
	DNSFaults float64       // the share of the DNS queries that fail
	Turn      time.Duration // how long a changing host is of one mind
}

// How many hosts there are of the kinds that are not hostile, for one of each
// hostile kind. About a tenth of all change or fail.
const (
	honestHosts   = 60
	changingHosts = 20
)

// hostsPerBlock is how many hosts share the third octet of their addresses.
const hostsPerBlock = 250

// maxHosts leaves the last blocks of the network to addresses where nobody
// listens.
const maxHosts = 200 * hostsPerBlock

// domain is a domain of the world. It has one mail host, but for those whose
// trouble is in the DNS.
type domain struct {
	name string
	kind *kind
	ip   netip.Addr
}

// domains are all there are, in an order that follows from the spec.
func (s Spec) domains() []domain {
	var all []domain
	for _, k := range kinds() {
		for n := range s.count(k) {
			place := len(all)
			ip := netip.AddrFrom4([4]byte{127, s.Subnet, byte(1 + place/hostsPerBlock), byte(1 + place%hostsPerBlock)})
			all = append(all, domain{name: label(k) + "-" + strconv.Itoa(n) + ".test", kind: k, ip: ip})
		}
	}
	return all
}

// label is a kind's name as a part of that of a domain.
func label(k *kind) string { return strings.ReplaceAll(k.Name, ".", "-") }

func (s Spec) count(k *kind) int {
	switch k.Name {
	case honest:
		return honestHosts * s.Hosts
	case changing:
		return changingHosts * s.Hosts
	}
	return s.Hosts
}

func (s Spec) check() error {
	if n := len(s.domains()); s.Hosts < 1 || n > maxHosts {
		return fmt.Errorf("soak: %d hosts of each kind make %d, and there is room for 1 to %d", s.Hosts, n, maxHosts)
	}
	return nil
}

// dnsIP is the address of the DNS server.
func (s Spec) dnsIP() netip.Addr { return netip.AddrFrom4([4]byte{127, s.Subnet, 0, 1}) }

// tripwire is the address of a host that nobody may contact: it is outside of
// the network that is allowed.
func (s Spec) tripwire() netip.Addr { return netip.AddrFrom4([4]byte{127, s.Subnet + 1, 0, 1}) }

// dead is an address at which nobody listens.
func (s Spec) dead(n int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, s.Subnet, 250, byte(1 + n)})
}

// Network is where mail hosts may be contacted.
func (s Spec) Network() netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{127, s.Subnet, 0, 0}), 16)
}

// Addresses returns a source of addresses, each new. Six of ten are with honest
// hosts, one with a host that changes.
func (s Spec) Addresses(seed uint64) func() string {
	random := rand.New(rand.NewPCG(s.Seed, seed))
	all := s.domains()
	named := func(name string) (list []domain) {
		for _, d := range all {
			if d.kind.Name == name {
				list = append(list, d)
			}
		}
		return list
	}
	kinds := [][]domain{named(honest), named(changing), all}
	return func() string {
		kind := kinds[[10]int{0, 0, 0, 0, 0, 0, 1, 2, 2, 2}[random.IntN(10)]]
		local := [5]string{existing, existing, existing, missing, full}[random.IntN(5)]
		return local + strconv.FormatUint(random.Uint64(), 10) + "@" + kind[random.IntN(len(kind))].name
	}
}

// kindOf returns the kind of an address's domain.
func kindOf(address string) *kind {
	_, name, _ := strings.Cut(address, "@")
	name = name[:max(0, strings.LastIndexByte(name, '-'))]
	for _, k := range kinds() {
		if label(k) == name {
			return k
		}
	}
	return nil
}
