package doctor

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// Our address as mail hosts see it, and what a healthy world's DNS says about
// it.
const (
	seen = "198.51.100.7"
	name = "mail.rcpt.example"

	healthy = `
one.test.                  MX   10 mx.one.test.
one.test.                  TXT  "v=spf1 -all"
mx.one.test.               A    127.0.0.21
two.test.                  MX   10 mx.two.test.
mx.two.test.               A    127.0.0.22
three.test.                MX   10 mx.three.test.
mx.three.test.             A    127.0.0.23
mail.rcpt.example.         A    198.51.100.7
mail.rcpt.example.         TXT  "v=spf1 a -all"
7.100.51.198.in-addr.arpa. PTR  mail.rcpt.example.
2.0.0.127.list.test.       A    127.0.0.2
`
)

// world is a network on loopback: names and three mail hosts.
type world struct {
	zone     string
	faults   []dnstest.Fault
	hosts    map[string]*smtptest.Host // by loopback address; nil: nothing listens there
	silent   bool                      // packets to the mail hosts are dropped
	reset    bool                      // connections to them are reset
	config   engine.Config
	resolver string
	now      time.Time
}

func newWorld() *world {
	w := &world{zone: healthy, hosts: map[string]*smtptest.Host{}}
	for i, domain := range []string{"one", "two", "three"} {
		host := &smtptest.Host{Name: "mx." + domain + ".test"}
		host.EHLO = "250-" + host.Name + " Hello client [" + seen + "]\n250-PIPELINING\n250 8BITMIME"
		host.Greeting = "220 " + host.Name + " ESMTP ready at Mon, 23 Nov 2026 12:00:00 +0000"
		w.hosts[fmt.Sprintf("127.0.0.2%d", i+1)] = host
	}
	w.now = time.Date(2026, 11, 23, 12, 0, 1, 0, time.UTC)
	w.config = engine.Config{HELO: name, MailFrom: "probe@" + name, CheckDomains: []string{"one.test", "two.test", "three.test"},
		AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("198.51.100.0/24")}}
	return w
}

// run starts the world and examines it.
func (w *world) run(t *testing.T) (Report, []smtptest.Session) {
	t.Helper()
	dns := dnstest.New(w.zone)
	for _, fault := range w.faults {
		dns.Break(fault)
	}
	resolver, err := dns.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(dns.Close)
	w.config.Resolvers = []string{resolver}
	if w.resolver != "" {
		w.config.Resolvers = []string{w.resolver}
	}
	servers, port := w.listen(t)
	number, _ := strconv.Atoi(port)
	w.config.SMTPPort = uint16(number)
	if w.silent {
		network := smtptest.NewNetwork()
		t.Cleanup(network.Close)
		for ip := range w.hosts {
			network.Blackhole(net.JoinHostPort(ip, port))
		}
		w.config.Dialer = network
	}
	var patience time.Duration
	if w.silent {
		patience = 200 * time.Millisecond
	}
	report, err := Run(t.Context(), Config{Engine: w.config, Clock: func() time.Time { return w.now }, patience: patience,
		BlockLists: []BlockList{{Zone: "list.test", Name: "the list", Strong: true, Do: "Ask.", Link: "https://list.test/"}}})
	if err != nil {
		t.Fatal(err)
	}
	var sessions []smtptest.Session
	for _, server := range servers {
		server.Close()
		sessions = append(sessions, server.Sessions()...)
	}
	return report, sessions
}

// listen starts the mail hosts, all at the same port.
func (w *world) listen(t *testing.T) (servers []*smtptest.Server, port string) {
	t.Helper()
	for range 10 { // another program may take the port at one of the addresses
		servers, port = nil, freePort(t)
		var failed error
		for ip, host := range w.hosts {
			handler := smtptest.Handler(host)
			if w.reset {
				handler = smtptest.HandlerFunc(reset)
			}
			if host == nil || failed != nil {
				continue
			}
			server, err := smtptest.StartAt(net.JoinHostPort(ip, port), handler)
			if err != nil {
				failed = err
				continue
			}
			servers = append(servers, server)
		}
		if failed == nil {
			return servers, port
		}
		for _, server := range servers {
			server.Close()
		}
	}
	t.Skip("SKIPPED: this system has no loopback addresses beside 127.0.0.1")
	return nil, ""
}

func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}
