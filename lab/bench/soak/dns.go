package soak

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/lab/bench/world"
)

// ttl of every record, in seconds: short, so that the same domains are looked
// up again and again.
const ttl = 10

// deadHosts is how many mail exchangers a domain has whose hosts are all dead.
const deadHosts = 50

// dnsTrouble is what is wrong with the DNS of a domain.
type dnsTrouble int

const (
	none      dnsTrouble = iota
	denies               // NXDOMAIN
	nullMX               // RFC 7505
	circle               // the mail host is an alias of itself
	fiftyDead            // mail exchangers at whose addresses nobody listens
	reserved             // a mail exchanger where nobody may go
	fails                // SERVFAIL
	loses                // no answer
	truncates            // over UDP and TCP
	forges               // a denial with another message ID comes before the right answer
)

// accidents are what happens to any query now and then. None of them can be
// taken for a word of the domain's.
var accidents = [...]dnsTrouble{fails, loses, truncates, forges}

// zone answers what the DNS server is asked.
type zone struct {
	world   *World
	domains map[string]domain // by absolute name
}

func newZone(w *World) *zone {
	z := &zone{world: w, domains: make(map[string]domain)}
	for _, d := range w.spec.domains() {
		z.domains[dns.Fqdn(d.name)] = d
	}
	return z
}

// ServeDNS answers a query; the server runs it on a goroutine of its own. A
// client that has gone is no matter.
func (z *zone) ServeDNS(w dns.ResponseWriter, query *dns.Msg) {
	if len(query.Question) != 1 {
		return
	}
	z.world.counts.queries.Add(1)
	d, label := z.find(query.Question[0].Name)
	trouble := d.trouble()
	if rand.Float64() < z.world.spec.DNSFaults {
		trouble = accidents[rand.IntN(len(accidents))]
	}
	right := z.answer(query, d, label)
	switch trouble {
	case loses:
		return
	case fails:
		right = new(dns.Msg).SetRcode(query, dns.RcodeServerFailure)
	case truncates:
		right = new(dns.Msg).SetReply(query)
		right.Truncated = true
	case forges:
		forged := new(dns.Msg).SetRcode(query, dns.RcodeNameError)
		forged.Id ^= 0x5555
		if _, overUDP := w.RemoteAddr().(*net.UDPAddr); overUDP {
			_ = w.WriteMsg(forged)
		}
	}
	_ = w.WriteMsg(right)
}

// find returns the domain that a name belongs to, and the label that the name
// has before it.
func (z *zone) find(name string) (d domain, label string) {
	name = strings.ToLower(name)
	if d, ok := z.domains[name]; ok {
		return d, ""
	}
	label, rest, _ := strings.Cut(name, ".")
	return z.domains[rest], label
}

func (d domain) trouble() dnsTrouble {
	if d.mode == nil {
		return denies
	}
	return d.mode.dns
}

// answer is what a good server says. A domain without its own trouble has one
// mail host.
func (z *zone) answer(query *dns.Msg, d domain, label string) *dns.Msg {
	question, trouble := query.Question[0], d.trouble()
	answer := new(dns.Msg).SetReply(query)
	answer.RecursionAvailable = true
	if trouble == denies {
		answer.Rcode = dns.RcodeNameError
	}
	header := dns.RR_Header{Name: question.Name, Rrtype: question.Qtype, Class: dns.ClassINET, Ttl: ttl}
	switch {
	case trouble == denies:
	case label == "" && question.Qtype == dns.TypeMX:
		for i, host := range mailHosts(d) {
			answer.Answer = append(answer.Answer, &dns.MX{Hdr: header, Preference: uint16(i), Mx: host})
		}
	case label != "" && trouble == circle:
		header.Rrtype = dns.TypeCNAME
		answer.Answer = append(answer.Answer, &dns.CNAME{Hdr: header, Target: question.Name})
	case label != "" && question.Qtype == dns.TypeA:
		answer.Answer = append(answer.Answer, &dns.A{Hdr: header, A: z.address(d, label).AsSlice()})
	}
	if len(answer.Answer) == 0 {
		answer.Ns = append(answer.Ns, world.StartOfAuthority(ttl))
	}
	return answer
}

// mailHosts are the names in a domain's MX records.
func mailHosts(d domain) []string {
	switch d.mode.dns {
	case nullMX:
		return []string{"."}
	case fiftyDead:
		names := make([]string, deadHosts)
		for i := range names {
			names[i] = "mx" + strconv.Itoa(i) + "." + dns.Fqdn(d.name)
		}
		return names
	}
	return []string{"mx." + dns.Fqdn(d.name)}
}

// address is that of a mail host.
func (z *zone) address(d domain, label string) netip.Addr {
	switch d.mode.dns {
	case reserved:
		return z.world.spec.tripwire()
	case fiftyDead:
		n, _ := strconv.Atoi(strings.TrimPrefix(label, "mx"))
		return z.world.spec.dead(n)
	}
	return d.ip
}
