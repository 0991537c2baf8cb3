package dnsresolve

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

// onSockets returns a Resolver with sockets that asks world on loopback.
func onSockets(t *testing.T, world *dnstest.Server) *Resolver {
	t.Helper()
	addr, err := world.Start()
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	t.Cleanup(world.Close)
	return newTest(t, nil, func(c *Config) { c.Servers = []string{addr} })
}

func TestSockets(t *testing.T) {
	tests := []struct {
		name   string
		fault  dnstest.Fault
		status Status
		mx     []string // the networks of the queries for MX
	}{
		{"plain", dnstest.Fault{}, StatusOK, []string{"udp"}},
		{"truncated", dnstest.Fault{Kind: dnstest.Truncate}, StatusOK, []string{"udp", "tcp"}},
		{"truncated for ever", dnstest.Fault{Kind: dnstest.TruncateForever}, StatusMalformed, []string{"udp", "tcp"}},
		{"forged ID first", dnstest.Fault{Kind: dnstest.ForgeID}, StatusOK, []string{"udp"}},
		{"forged question first", dnstest.Fault{Kind: dnstest.ForgeQuestion}, StatusOK, []string{"udp"}},
		{"forged from another port first", dnstest.Fault{Kind: dnstest.ForgeSource}, StatusOK, []string{"udp"}},
		{"larger than we read", dnstest.Fault{Kind: dnstest.Oversize}, StatusOK, []string{"udp", "tcp"}},
		{"case not kept", dnstest.Fault{Kind: dnstest.ChangeCase}, StatusOK, []string{"udp"}},
		{"strangers", dnstest.Fault{Kind: dnstest.Strangers}, StatusOK, []string{"udp"}},
		{"malformed", dnstest.Fault{Kind: dnstest.Malformed}, StatusMalformed, []string{"udp"}},
		{"servfail", dnstest.Fault{Kind: dnstest.ServFail}, StatusServFail, []string{"udp"}},
		{"server without EDNS0", dnstest.Fault{Kind: dnstest.FormErr}, StatusOK, []string{"udp", "udp"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			world := dnstest.New(oneHost)
			world.Break(tt.fault)
			found := find(t, onSockets(t, world), "example.test")
			if found.Status != tt.status {
				t.Errorf("status %s (%s), want %s", found.Status, found.Lookups[0].Error, tt.status)
			}
			var networks []string
			for _, q := range world.Queries() {
				if q.Type == "MX" {
					networks = append(networks, q.Network)
				}
			}
			if fmt.Sprint(networks) != fmt.Sprint(tt.mx) {
				t.Errorf("queries over %v, want %v", networks, tt.mx)
			}
		})
	}
}

func TestLargeAnswerComesOverTCP(t *testing.T) {
	var zone strings.Builder
	for i := range 200 {
		fmt.Fprintf(&zone, "example.test. MX %d a-rather-long-name-for-a-mail-host-%d.test.\n", i, i)
	}
	world := dnstest.New(zone.String())
	r := onSockets(t, world)
	a, evidence := r.look(t.Context(), "example.test", dns.TypeMX)
	if evidence.Status != StatusOK || len(a.exchangers) != 200 {
		t.Errorf("%+v with %d records, want 200", evidence, len(a.exchangers))
	}
}

func TestNobodyListens(t *testing.T) {
	const addr = "127.0.0.1:1" // not one that was free a moment ago: it may be taken again
	found := find(t, newTest(t, nil, func(c *Config) { c.Servers = []string{addr} }), "example.test")
	if got, want := found.Lookups[0].Error, addr+": read: connection refused"; found.Status != StatusError || got != want {
		t.Errorf("%s: %q, want error: %q", found.Status, got, want)
	}
}

func TestSocketsEndWithTheContext(t *testing.T) {
	world := dnstest.New(oneHost)
	world.Break(dnstest.Fault{Kind: dnstest.Lose})
	addr, err := world.Start()
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	defer world.Close()
	for _, network := range []string{"udp", "tcp"} {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			ended <- overSockets(ctx, network, addr)
		}()
		for asked := false; !asked; {
			for _, q := range world.Queries() {
				asked = asked || q.Network == network
			}
		}
		cancel()
		select {
		case err := <-ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v, want cancelled", network, err)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%s: the exchange outlives its context", network)
		}
	}
}

// TestSocketsEndInTime checks that a silent server is given up in time, and
// that a socket keeps no deadline of an earlier query.
func TestSocketsEndInTime(t *testing.T) {
	world := dnstest.New(oneHost)
	r := onSockets(t, world)
	r.tryTimeout = 20 * time.Millisecond
	world.Break(dnstest.Fault{Name: "silent.test", Kind: dnstest.Lose})
	if a, _ := r.look(t.Context(), "silent.test", dns.TypeA); a.status != StatusTimeout {
		t.Errorf("status %q, explained by %q", a.status, a.explain)
	}
	r.tryTimeout = time.Minute
	for _, name := range []string{"mx.test", "other.test"} {
		if a, _ := r.look(t.Context(), name, dns.TypeA); a.status.Temporary() || len(r.sockets.idle) != 1 {
			t.Fatalf("%s: status %q, explained by %q; %d sockets are idle", name, a.status, a.explain, len(r.sockets.idle))
		}
		_ = r.sockets.idle[0].conn.SetDeadline(time.Unix(1, 0))
	}
}

// TestCloseEndsWhatIsUnderWay checks that Close does not wait for a silent
// server, over either protocol.
func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	for _, network := range []string{"udp", "tcp"} {
		world := dnstest.New(oneHost)
		world.Break(dnstest.Fault{Kind: dnstest.Lose})
		if network == "tcp" {
			world.Break(dnstest.Fault{Kind: dnstest.Truncate, Times: 1})
		}
		r := onSockets(t, world)
		found := make(chan Lookup)
		go func() {
			_, evidence := r.look(t.Context(), "example.test", dns.TypeMX)
			found <- evidence
		}()
		for asked, end := false, time.Now().Add(time.Minute); !asked && time.Now().Before(end); time.Sleep(time.Millisecond) {
			for _, q := range world.Queries() {
				asked = asked || q.Network == network
			}
		}
		began := time.Now()
		r.Close()
		if got := <-found; got.Status != StatusError || time.Since(began) > r.tryTimeout/2 {
			t.Errorf("%s: %+v after %v, want an error at once", network, got, time.Since(began))
		}
	}
}

// rawUDP answers each query with the messages that answers returns, and returns
// its address.
func rawUDP(t *testing.T, answers func(query []byte, from net.Addr) [][]byte) string {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		buffer := make([]byte, readSize)
		for {
			n, from, err := socket.ReadFrom(buffer)
			if err != nil {
				return
			}
			for _, message := range answers(buffer[:n], from) {
				_, _ = socket.WriteTo(message, from)
			}
		}
	}()
	t.Cleanup(func() { socket.Close(); <-ended })
	return socket.LocalAddr().String()
}

// reply is a right answer to a packed query, changed by change.
func reply(t *testing.T, query []byte, change func(*dns.Msg)) []byte {
	m := new(dns.Msg)
	if err := m.Unpack(query); err != nil {
		t.Error(err)
	}
	answer := new(dns.Msg).SetReply(m)
	answer.RecursionAvailable = true
	change(answer)
	wire, err := answer.Pack()
	if err != nil {
		t.Error(err)
	}
	return wire
}

func TestForgedMessagesArePassedOver(t *testing.T) {
	deny := func(m *dns.Msg) { m.Rcode = dns.RcodeNameError }
	right := func(m *dns.Msg) {
		m.Answer = []dns.RR{&dns.MX{Hdr: dns.RR_Header{Name: m.Question[0].Name, Rrtype: dns.TypeMX, Class: dns.ClassINET}, Mx: "."}}
	}
	addr := rawUDP(t, func(query []byte, _ net.Addr) [][]byte {
		return [][]byte{
			{},
			{1, 2, 3},
			[]byte("not the DNS at all, but long enough for a header"),
			query,
			reply(t, query, func(m *dns.Msg) { deny(m); m.Id++ }),
			reply(t, query, func(m *dns.Msg) { deny(m); m.Question = nil }),
			reply(t, query, func(m *dns.Msg) { deny(m); m.Question[0].Name = "evil.test." }),
			reply(t, query, func(m *dns.Msg) { deny(m); m.Question[0].Qtype = dns.TypeA }),
			reply(t, query, func(m *dns.Msg) { deny(m); m.Question[0].Qclass = dns.ClassCHAOS }),
			reply(t, query, func(m *dns.Msg) { deny(m); m.Question = append(m.Question, m.Question[0]) }),
			reply(t, query, func(m *dns.Msg) { deny(m); m.Opcode = dns.OpcodeNotify }),
			reply(t, query, right),
		}
	})
	if found := find(t, newTest(t, nil, func(c *Config) { c.Servers = []string{addr} }), "example.test"); !found.NullMX {
		t.Errorf("found %+v, want what the last message says", found)
	}
}

// TestMissingRecordsAreNoDenial checks that a message whose records are missing
// is not taken for "no data".
func TestMissingRecordsAreNoDenial(t *testing.T) {
	addr := rawUDP(t, func(query []byte, _ net.Addr) [][]byte {
		wire := reply(t, query, func(*dns.Msg) {})
		binary.BigEndian.PutUint16(wire[6:], 1) // ANCOUNT
		return [][]byte{wire}
	})
	found := find(t, newTest(t, nil, func(c *Config) { c.Servers = []string{addr} }), "example.test")
	if found.Status != StatusMalformed || found.Lookups[0].Error != errMiscount.Error() {
		t.Errorf("found %+v, want malformed", found)
	}
}

// TestForgedMessageOverTCP checks that after a message that does not belong to
// the query nothing more is read from a TCP connection.
func TestForgedMessageOverTCP(t *testing.T) {
	world := dnstest.New(oneHost)
	world.Break(dnstest.Fault{Kind: dnstest.ForgeID})
	addr, err := world.Start()
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	defer world.Close()
	query := newQuery("example.test.", dns.TypeMX)
	if m, err := exchangeTCP(t.Context(), query, addr); err != nil || belongs(query, m) {
		t.Errorf("got %v, %v; want the first message, which does not belong", m, err)
	}
}

// Some servers cut a long answer in the middle of a record.
func TestTruncatedInsideARecord(t *testing.T) {
	query := newQuery("example.test.", dns.TypeMX)
	m := answerTo(t, query, dns.RcodeSuccess, "example.test. MX 10 mx.test.")
	m.Truncated = true
	wire, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	for cut := range 20 {
		if got, err := unpack(wire[:len(wire)-cut]); err != nil || !got.Truncated || !belongs(query, got) {
			t.Errorf("%d octets cut: %v, %v", cut, got, err)
		}
	}
}

func TestQueries(t *testing.T) {
	ids := map[uint16]bool{}
	exchanger := exchangerFunc(func(_ context.Context, query *dns.Msg, _, _ string) (*dns.Msg, error) {
		ids[query.Id] = true
		if !query.RecursionDesired || !query.AuthenticatedData || query.CheckingDisabled {
			t.Errorf("flags of %v", query.MsgHdr)
		}
		if opt := query.IsEdns0(); opt == nil || opt.UDPSize() != udpSize {
			t.Errorf("OPT record %v", opt)
		}
		return nil, errors.New("enough")
	})
	r := newTest(t, exchanger)
	for range 20 {
		r.try(t.Context(), time.Now().Add(time.Minute), firstServer, "example.test.", dns.TypeMX, nil)
	}
	if len(ids) < 19 { // one pair of equals in 345 runs is chance
		t.Errorf("%d different IDs in 20 queries", len(ids))
	}
}

// overSockets sends one query over sockets.
func overSockets(ctx context.Context, network, addr string) error {
	query := newQuery("example.test.", dns.TypeMX)
	if network == "tcp" {
		_, err := exchangeTCP(ctx, query, addr)
		return err
	}
	_, err := new(sockets).exchangeUDP(ctx, time.Time{}, query, addr)
	return err
}

// exchangerFunc is an Exchanger that works on parsed messages.
type exchangerFunc func(ctx context.Context, query *dns.Msg, network, server string) (*dns.Msg, error)

func (f exchangerFunc) Exchange(ctx context.Context, query []byte, network, server string) ([]byte, error) {
	parsed := new(dns.Msg)
	if err := parsed.Unpack(query); err != nil {
		return nil, err
	}
	answer, err := f(ctx, parsed, network, server)
	if err != nil {
		return nil, err
	}
	return answer.Pack()
}

// askWorld asks an Exchanger with parsed messages.
func askWorld(ctx context.Context, world Exchanger, query *dns.Msg, network, server string) (*dns.Msg, error) {
	wire, err := query.Pack()
	if err != nil {
		return nil, err
	}
	answer, err := world.Exchange(ctx, wire, network, server)
	if err != nil {
		return nil, err
	}
	return unpack(answer)
}

// TestDroppedSockets: the idle sockets of a Resolver that nobody has closed do
// not keep it, nor wait for the time at which they are too old.
func TestDroppedSockets(t *testing.T) {
	world := dnstest.New(oneHost)
	addr, err := world.Start()
	if err != nil {
		t.Skipf("no loopback: %v", err)
	}
	t.Cleanup(world.Close)
	dropped := func() weak.Pointer[shared] {
		r, err := New(Config{Servers: []string{addr}})
		if err != nil {
			t.Fatal(err)
		}
		find(t, r, "example.test")
		if len(r.sockets.idle) == 0 {
			t.Fatal("no socket is idle")
		}
		return weak.Make(r.shared)
	}()
	started := time.Now()
	for dropped.Value() != nil && time.Since(started) < socketAge {
		runtime.GC()
	}
	if took := time.Since(started); took >= socketAge {
		t.Errorf("the sockets were kept for %v", took)
	}
}
