package doctor

import (
	"context"
	_ "embed"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/miekg/dns"
	"github.com/rcpt/rcpt/internal/sys/yamlfile"
)

// BlockList is a DNS list of addresses whose mail is unwanted (RFC 5782).
type BlockList struct {
	Zone   string            `yaml:"zone"`
	Name   string            `yaml:"name"`
	Strong bool              `yaml:"strong"`
	IPv6   bool              `yaml:"ipv6"`
	Do     string            `yaml:"do"`
	Link   string            `yaml:"link"`
	Codes  map[string]string `yaml:"codes"`
	Source string            `yaml:"source"`
}

//go:embed blocklists.yaml
var blockListData []byte

var defaultBlockLists = sync.OnceValue(func() []BlockList {
	var lists []BlockList
	if err := yamlfile.Load(blockListData, &lists); err != nil {
		panic("doctor: embedded block lists: " + err.Error()) // a test parses them
	}
	return lists
})

// Every list has one address for tests, and cannot have another (RFC 5782 §5).
var (
	alwaysListed = netip.MustParseAddr("127.0.0.2")
	neverListed  = netip.MustParseAddr("127.0.0.1")
)

// refusals are the answers by which lists say that they do not serve a resolver
// (Spamhaus, and others after it).
var refusals = netip.MustParsePrefix("127.255.255.0/24")

// answers are those of a list about one address: none, it is not listed.
func (x *examination) answers(ctx context.Context, list BlockList, ip netip.Addr) ([]netip.Addr, error) {
	reverse, err := dns.ReverseAddr(ip.String())
	if err != nil {
		return nil, err
	}
	labels := strings.TrimSuffix(strings.TrimSuffix(reverse, "in-addr.arpa."), "ip6.arpa.")
	found, err := records[*dns.A](ctx, x.names, labels+list.Zone, dns.TypeA)
	if isAbsent(err) {
		err = nil
	}
	var all []netip.Addr
	for _, r := range found {
		if a, ok := netip.AddrFromSlice(r.A.To4()); ok {
			all = append(all, a)
		}
	}
	return all, err
}

// soundness is what the test of a list showed.
type soundness struct {
	list    BlockList
	refused bool   // it does not serve our resolver
	fault   string // empty: its answers can be believed
}

// tested asks each list about the addresses that every list must, and must not,
// have.
func (x *examination) tested(ctx context.Context) []soundness {
	return each(x.lists, func(list BlockList) soundness {
		s := soundness{list: list}
		listed, err := x.answers(ctx, list, alwaysListed)
		unlisted, err2 := x.answers(ctx, list, neverListed)
		isRefusal := func(a netip.Addr) bool { return refusals.Contains(a) }
		switch {
		case slices.ContainsFunc(listed, isRefusal), slices.ContainsFunc(unlisted, isRefusal):
			s.refused, s.fault = true, "it refuses our resolver"
		case err != nil || err2 != nil:
			s.fault = "it does not answer"
		case len(listed) == 0:
			s.fault = "it does not list 127.0.0.2, so it says nothing"
		case len(unlisted) > 0:
			s.fault = "it lists 127.0.0.1, so it lists everything"
		}
		return s
	})
}

// unusable says which lists could not be used, and why.
func unusable(lists []soundness) []Check {
	var refused, other []string
	for _, s := range lists {
		switch {
		case s.refused:
			refused = append(refused, s.list.Zone)
		case s.fault != "":
			other = append(other, s.list.Zone+" ("+s.fault+")")
		}
	}
	var all []Check
	if len(refused) > 0 {
		all = append(all, Check{
			Name: NameResolverLists, State: StateWarning,
			Found: "block lists refuse our resolver: " + strings.Join(refused, ", "),
			Why: "They serve no public resolvers and no large ones, so it is not known whether our address " +
				"is listed; a --rhsbl of the same operator does not answer either.",
			Do: "Run a resolver of your own, such as unbound, that forwards to nobody, " +
				"and name it with --resolver.",
		})
	}
	if len(other) > 0 {
		all = append(all, Check{
			Name: NameBlockList, State: StateSkipped,
			Found: "lists that cannot be believed now: " + strings.Join(other, ", "),
		})
	}
	return all
}

// listed looks an address up in the lists that passed their test.
func (x *examination) listed(ctx context.Context, lists []soundness, egress string, ip netip.Addr) []Check {
	asked := slices.DeleteFunc(slices.Clone(lists), func(s soundness) bool {
		return s.fault != "" || ip.Is6() && !s.list.IPv6
	})
	if len(asked) == 0 {
		return nil
	}
	var all []Check
	var clean []string
	results := each(asked, func(s soundness) []netip.Addr {
		found, _ := x.answers(ctx, s.list, ip)
		return slices.DeleteFunc(found, func(a netip.Addr) bool { return refusals.Contains(a) })
	})
	for i, found := range results {
		list := asked[i].list
		if len(found) == 0 {
			clean = append(clean, list.Zone)
			continue
		}
		all = append(all, listing(list, found, egress, ip))
	}
	if len(clean) > 0 {
		all = append(all, Check{Name: NameBlockList, Egress: egress, Subject: ip.String(), State: StateOK,
			Found: "not on " + strings.Join(clean, ", ")})
	}
	return all
}

func listing(list BlockList, found []netip.Addr, egress string, ip netip.Addr) Check {
	var meanings []string
	for _, a := range found {
		text := a.String()
		if meaning := list.Codes[text]; meaning != "" {
			text += ", " + meaning
		}
		meanings = append(meanings, text)
	}
	c := Check{
		Name: NameBlockList, Egress: egress, Subject: ip.String(), State: StateWarning,
		Found: fmt.Sprintf("it is on %s, %s (%s)", list.Name, list.Zone, strings.Join(meanings, "; ")),
		Why:   "Some mail hosts refuse what is on this list.",
		Do:    list.Do + " " + list.Link,
	}
	if list.Strong {
		c.State = StateFault
		c.Why = "Very many mail hosts refuse what is on this list: the mailboxes there stay unknown."
	}
	return c
}
