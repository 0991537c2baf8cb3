package world

import (
	"context"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/miekg/dns"
)

// Memory is a world without sockets, for a client in the same process. In a
// bubble of testing/synctest its delays take no time, and a list takes as long
// as its schedule says: processors and other programs have no part in it.
type Memory struct {
	*World
	hosts    map[netip.Addr]*host
	sessions sync.WaitGroup
}

// NewMemory makes a world. [Memory.DialContext] and [Memory.Exchange] reach it.
func NewMemory(spec Spec) (*Memory, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	m := &Memory{World: newWorld(spec), hosts: make(map[netip.Addr]*host)}
	for n := range spec.Domains {
		for _, e := range spec.exchanges(n) {
			if m.hosts[e.ip] == nil {
				m.hosts[e.ip] = &host{traits: e.traits, world: m.World}
				m.World.hosts = append(m.World.hosts, m.hosts[e.ip])
			}
		}
	}
	return m, nil
}

// DialContext connects to a mail host.
func (m *Memory) DialContext(_ context.Context, network, address string) (net.Conn, error) {
	addr, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	host := m.hosts[addr.Addr()]
	if host == nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	client, server := net.Pipe()
	m.sessions.Go(func() {
		defer server.Close()
		host.serve(newInbox(server))
	})
	return client, nil
}

// Exchange answers a DNS query.
func (m *Memory) Exchange(_ context.Context, query []byte, _, _ string) ([]byte, error) {
	var q dns.Msg
	if err := q.Unpack(query); err != nil {
		return nil, err
	}
	time.Sleep(m.spec.Delay)
	return m.zone.answer(&q).Pack()
}

// Close waits for the sessions; the client ends them.
func (m *Memory) Close() { m.sessions.Wait() }

// inbox is a connection that takes in at once what the other side sends, as
// buffers of the system do.
type inbox struct {
	net.Conn
	arrived chan []byte
	rest    []byte
}

// inboxChunks is more than a client sends in a row.
const inboxChunks = 64

func newInbox(conn net.Conn) *inbox {
	b := &inbox{Conn: conn, arrived: make(chan []byte, inboxChunks)}
	go b.takeIn()
	return b
}

// takeIn ends when either side closes the connection.
func (b *inbox) takeIn() {
	defer close(b.arrived)
	buffer := make([]byte, 16<<10)
	for {
		n, err := b.Conn.Read(buffer)
		if err != nil {
			return
		}
		b.arrived <- slices.Clone(buffer[:n])
	}
}

func (b *inbox) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		chunk, ok := <-b.arrived
		if !ok {
			return 0, net.ErrClosed
		}
		b.rest = chunk
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}
