package doctor

import (
	"net"
	"net/netip"
	"testing"

	"github.com/miekg/dns"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// startResolver serves handler over UDP, and over TCP if there is one for it.
func startResolver(t *testing.T, udp, tcp dns.HandlerFunc) string {
	t.Helper()
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := packets.LocalAddr().String()
	servers := []*dns.Server{{PacketConn: packets, Handler: udp}}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Skip("SKIPPED: the port is taken over TCP: ", err)
	}
	if tcp == nil {
		_ = listener.Close()
	} else {
		servers = append(servers, &dns.Server{Listener: listener, Handler: tcp})
	}
	for _, server := range servers {
		started := make(chan struct{})
		server.NotifyStartedFunc = func() { close(started) }
		go func() { _ = server.ActivateAndServe() }()
		<-started
		t.Cleanup(func() { _ = server.Shutdown() })
	}
	return address
}

// texts answers with n TXT records.
func texts(n int) dns.HandlerFunc {
	return func(w dns.ResponseWriter, query *dns.Msg) {
		m := new(dns.Msg).SetReply(query)
		for range n {
			m.Answer = append(m.Answer, &dns.TXT{Txt: []string{"text"},
				Hdr: dns.RR_Header{Name: query.Question[0].Name, Rrtype: dns.TypeTXT, Class: dns.ClassINET, Ttl: 60}})
		}
		_ = w.WriteMsg(m)
	}
}

// TestResolverFaults: a resolver without TCP, and one that shortens answers and
// does not say so.
func TestResolverFaults(t *testing.T) {
	for _, c := range []struct {
		name, check string
		tcp         dns.HandlerFunc
		state       State
	}{
		{"no TCP", NameResolverTCP, nil, StateFault},
		{"shortens", NameTruncation, texts(3), StateFault},
		{"works", NameTruncation, texts(2), StateOK},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := &examination{domains: []string{"one.test"}}
			report := Report{Checks: x.resolver(t.Context(), startResolver(t, texts(2), c.tcp))}
			wants(t, report, c.check, c.state)
		})
	}
}

// TestOneResolverOfTwo: one that does not answer is a fault only if no other
// does.
func TestOneResolverOfTwo(t *testing.T) {
	x := &examination{domains: []string{"one.test"}}
	x.servers = []string{startResolver(t, texts(1), texts(1)), "127.0.0.1:1"}
	wants(t, Report{Checks: x.resolvers(t.Context())}, NameResolver, StateWarning, "does not answer")
}

// TestIPv6WithoutPTR: a fault of the address that is used only where IPv4 does
// not do is a warning.
func TestIPv6WithoutPTR(t *testing.T) {
	w := newWorld()
	w.zone += "mx.one.test. AAAA ::1\n"
	host := &smtptest.Host{EHLO: "250-mx.one.test Hello [IPv6:2001:db8::7]\n250 8BITMIME"}
	w.hosts["::1"] = host
	if l, err := net.Listen("tcp", "[::1]:0"); err != nil {
		t.Skip("SKIPPED: there is no IPv6: ", err)
	} else {
		_ = l.Close()
	}
	for _, network := range []string{"::1/128", "2001:db8::/32"} {
		w.config.AllowNets = append(w.config.AllowNets, netip.MustParsePrefix(network))
	}
	report, _ := w.run(t)
	wants(t, report, NamePTR, StateWarning, "no PTR record", "turn IPv6 off")
	wants(t, report, NamePTR, StateOK)
	if !report.OK {
		t.Error("not ok")
	}
}
