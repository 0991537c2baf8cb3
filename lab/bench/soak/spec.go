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
	Hosts     int           // of each hostile mode
	DNSFaults float64       // the share of the DNS queries that fail
	Turn      time.Duration // how long a host of the mode "turning" is of one mind
	Late      time.Duration // how late the replies of late hosts are
}

// How many hosts there are of the modes that are not hostile, for one of each
// hostile mode. About a tenth of all change or fail.
const (
	honestHosts  = 40
	turningHosts = 14
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
	mode *mode
	ip   netip.Addr
}

// domains are all there are, in an order that follows from the spec.
func (s Spec) domains() []domain {
	var all []domain
	for i := range modes {
		for n := range s.count(&modes[i]) {
			place := len(all)
			ip := netip.AddrFrom4([4]byte{127, s.Subnet, byte(1 + place/hostsPerBlock), byte(1 + place%hostsPerBlock)})
			all = append(all, domain{name: modes[i].name + "-" + strconv.Itoa(n) + ".test", mode: &modes[i], ip: ip})
		}
	}
	return all
}

func (s Spec) count(m *mode) int {
	switch m.name {
	case honest:
		return honestHosts * s.Hosts
	case turning:
		return turningHosts * s.Hosts
	}
	return s.Hosts
}

func (s Spec) check() error {
	if n := len(s.domains()); s.Hosts < 1 || n > maxHosts {
		return fmt.Errorf("soak: %d hosts of each mode make %d, and there is room for 1 to %d", s.Hosts, n, maxHosts)
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

// Mailboxes by the beginning of their names; all others do not exist, those
// made up by rcpt among them.
const (
	existing = "box"
	full     = "full"
	missing  = "gone"
)

// Addresses returns a source of addresses, each new. Six of ten are with honest
// hosts, one with a host that turns.
func (s Spec) Addresses(seed uint64) func() string {
	random := rand.New(rand.NewPCG(s.Seed, seed))
	all := s.domains()
	named := func(name string) (list []domain) {
		for _, d := range all {
			if d.mode.name == name {
				list = append(list, d)
			}
		}
		return list
	}
	kinds := [][]domain{named(honest), named(turning), all}
	return func() string {
		kind := kinds[[10]int{0, 0, 0, 0, 0, 0, 1, 2, 2, 2}[random.IntN(10)]]
		local := [5]string{existing, existing, existing, missing, full}[random.IntN(5)]
		return local + strconv.FormatUint(random.Uint64(), 36) + "@" + kind[random.IntN(len(kind))].name
	}
}

// modeOf returns the mode of an address's domain.
func modeOf(address string) *mode {
	_, name, _ := strings.Cut(address, "@")
	name = name[:max(0, strings.LastIndexByte(name, '-'))]
	for i := range modes {
		if modes[i].name == name {
			return &modes[i]
		}
	}
	return nil
}
