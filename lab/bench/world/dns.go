package world

import (
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// ttl of every record, in seconds: longer than a run, so that caches of clients
// work as they would.
const ttl = 300

// zone answers what the DNS server is asked.
type zone struct {
	spec    Spec
	queries tally
	mx      map[string][]exchange // by absolute name
	a       map[string]netip.Addr
}

func newZone(spec Spec) *zone {
	z := &zone{
		spec: spec, queries: newTally("A", "AAAA", "MX", "CNAME", "PTR", "TXT"),
		mx: make(map[string][]exchange, spec.Domains), a: make(map[string]netip.Addr),
	}
	for n := range spec.Domains {
		hosts := spec.exchanges(n)
		z.mx[dns.Fqdn(domainName(n))] = hosts
		for _, host := range hosts {
			z.a[dns.Fqdn(host.name)] = host.ip
		}
	}
	return z
}

// ServeDNS answers a query; the server runs it on a goroutine of its own.
func (z *zone) ServeDNS(w dns.ResponseWriter, query *dns.Msg) {
	if len(query.Question) != 1 {
		return
	}
	z.queries.add([]byte(dns.TypeToString[query.Question[0].Qtype]))
	time.Sleep(z.spec.Delay)
	_ = w.WriteMsg(z.answer(query)) // a client that has gone is no matter
}

func (z *zone) answer(query *dns.Msg) *dns.Msg {
	answer := new(dns.Msg).SetReply(query)
	answer.RecursionAvailable = true
	if query.IsEdns0() != nil {
		answer.SetEdns0(dns.DefaultMsgSize, false)
	}
	question := query.Question[0]
	name := strings.ToLower(question.Name)
	hosts, isDomain := z.mx[name]
	ip, isHost := z.a[name]
	header := dns.RR_Header{Name: question.Name, Rrtype: question.Qtype, Class: dns.ClassINET, Ttl: ttl}
	switch {
	case !isDomain && !isHost:
		answer.Rcode = dns.RcodeNameError
	case isDomain && question.Qtype == dns.TypeMX:
		for i, host := range hosts {
			answer.Answer = append(answer.Answer, &dns.MX{
				Hdr: header, Preference: uint16(10 * (i + 1)), Mx: dns.Fqdn(host.name),
			})
		}
	case isHost && question.Qtype == dns.TypeA:
		answer.Answer = append(answer.Answer, &dns.A{Hdr: header, A: ip.AsSlice()})
	}
	if len(answer.Answer) == 0 {
		answer.Ns = append(answer.Ns, StartOfAuthority(ttl))
	}
	return answer
}

// StartOfAuthority lets negative answers be cached for so many seconds (RFC
// 2308 §5).
func StartOfAuthority(ttl uint32) dns.RR {
	return &dns.SOA{
		Hdr: dns.RR_Header{Name: "test.", Rrtype: dns.TypeSOA, Class: dns.ClassINET, Ttl: ttl},
		Ns:  "ns.test.", Mbox: "hostmaster.test.", Serial: 1, Refresh: ttl, Retry: ttl, Expire: ttl, Minttl: ttl,
	}
}

// DNSServer is a DNS server that listens over UDP and TCP.
type DNSServer struct {
	Addr     string // HOST:PORT
	udp, tcp *dns.Server
}

// readBuffer is for hundreds of queries that come at the same moment: a lost
// one would be a second or more of a client's time, and chance.
const readBuffer = 4 << 20

// StartDNS listens on a free port of ip. A port can be free for TCP alone, then
// another is tried.
func StartDNS(ip netip.Addr, handler dns.Handler) (*DNSServer, error) {
	const tries = 10
	var last error
	for range tries {
		tcp, err := net.Listen("tcp", netip.AddrPortFrom(ip, 0).String())
		if err != nil {
			return nil, err
		}
		udp, err := net.ListenPacket("udp", tcp.Addr().String())
		if err == nil {
			_ = udp.(*net.UDPConn).SetReadBuffer(readBuffer) // the system may give less
			return serveDNS(tcp, udp, handler), nil
		}
		tcp.Close()
		last = err
	}
	return nil, last
}

func serveDNS(tcp net.Listener, udp net.PacketConn, handler dns.Handler) *DNSServer {
	s := &DNSServer{
		Addr: tcp.Addr().String(),
		udp:  &dns.Server{PacketConn: udp, Handler: handler},
		tcp:  &dns.Server{Listener: tcp, Handler: handler},
	}
	for _, server := range []*dns.Server{s.udp, s.tcp} {
		started := make(chan struct{})
		server.NotifyStartedFunc = func() { close(started) }
		go func() { _ = server.ActivateAndServe() }() // ends with close
		<-started
	}
	return s
}

// Close ends listening.
func (s *DNSServer) Close() {
	_ = s.udp.Shutdown()
	_ = s.tcp.Shutdown()
}
