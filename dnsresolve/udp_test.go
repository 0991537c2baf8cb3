package dnsresolve

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// ports returns a server that answers queries and the ports that they came
// from. For each query it sends what answers returns.
func ports(t *testing.T, answers func(query []byte) [][]byte) (server string, next func() string) {
	from := make(chan string, 3*socketQueries)
	server = rawUDP(t, func(query []byte, client net.Addr) [][]byte {
		from <- client.String()
		return answers(query)
	})
	return server, func() string { return <-from }
}

func deny(t *testing.T) func(query []byte) [][]byte {
	return func(query []byte) [][]byte {
		return [][]byte{reply(t, query, func(m *dns.Msg) { m.Rcode = dns.RcodeNameError })}
	}
}

// ask sends one query over the sockets.
func ask(ctx context.Context, s *sockets, server string) error {
	end, _ := ctx.Deadline()
	_, err := s.exchangeUDP(ctx, end, newQuery("example.test.", dns.TypeMX), server)
	return err
}

func TestAPortServesAFewQueries(t *testing.T) {
	server, port := ports(t, deny(t))
	s := sockets{maxIdle: 1}
	defer s.close()
	uses := map[string]int{}
	for range 2 * socketQueries {
		if err := ask(t.Context(), &s, server); err != nil {
			t.Fatal(err)
		}
		uses[port()]++
	}
	for port, n := range uses {
		if n != socketQueries || len(uses) != 2 {
			t.Errorf("%d ports, %d queries from %s; want 2 with %d each", len(uses), n, port, socketQueries)
		}
	}
}

func TestAPortServesOneQueryAtATime(t *testing.T) {
	answer, silent := deny(t), false
	server, port := ports(t, func(query []byte) [][]byte {
		if silent = !silent; silent {
			return nil
		}
		return answer(query)
	})
	s := sockets{maxIdle: 1}
	defer s.close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- ask(ctx, &s, server) }()
	first := port()
	if err := ask(t.Context(), &s, server); err != nil {
		t.Error(err)
	}
	if second := port(); first == second {
		t.Errorf("two queries at the same time from %s", first)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAPortIsGivenUp checks that an attacker who guesses must begin again after
// each guess, and that a late answer meets no other query.
func TestAPortIsGivenUp(t *testing.T) {
	answer := deny(t)
	tests := []struct {
		name    string
		answers func(query []byte) [][]byte
		between func(*sockets)
		fails   bool
	}{
		{"after a message with another ID", func(query []byte) [][]byte {
			return append([][]byte{reply(t, query, func(m *dns.Msg) { m.Id++ })}, answer(query)...)
		}, nil, false},
		{"after an answer to another question", func(query []byte) [][]byte {
			return append([][]byte{reply(t, query, func(m *dns.Msg) { m.Question[0].Name = "evil.test." })}, answer(query)...)
		}, nil, false},
		{"after a message too short", func(query []byte) [][]byte { return append([][]byte{{1, 2}}, answer(query)...) }, nil, false},
		{"after a broken answer", func(query []byte) [][]byte { return [][]byte{answer(query)[0][:20]} }, nil, true},
		{"when its time is over", answer, func(s *sockets) { s.idle[0].until = time.Now() }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server, port := ports(t, tt.answers)
			s := sockets{maxIdle: 1}
			defer s.close()
			for range 2 {
				if err := ask(t.Context(), &s, server); (err != nil) != tt.fails {
					t.Fatal(err)
				}
				if tt.between != nil {
					tt.between(&s)
				}
			}
			if first, second := port(), port(); first == second {
				t.Errorf("both queries from %s", first)
			}
		})
	}
}

func TestAPortIsGivenUpAfterSilence(t *testing.T) {
	server, port := ports(t, func([]byte) [][]byte { return nil })
	s := sockets{maxIdle: 1}
	defer s.close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- ask(ctx, &s, server) }()
	port()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || len(s.idle) != 0 {
		t.Errorf("%v, %d sockets are kept", err, len(s.idle))
	}
}

func TestIdleSocketsAreClosed(t *testing.T) {
	server, _ := ports(t, deny(t))
	ends := map[string]func(*sockets){
		"in time":    func(s *sockets) { s.idle[0].until = time.Now(); s.sweep() },
		"with Close": (*sockets).close,
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			s := sockets{maxIdle: 1}
			defer s.close()
			if err := ask(t.Context(), &s, server); err != nil {
				t.Fatal(err)
			}
			socket := s.idle[0]
			end(&s)
			if _, err := socket.conn.Write(nil); !errors.Is(err, net.ErrClosed) || len(s.idle) > 0 {
				t.Errorf("wrote: %v; %d are kept", err, len(s.idle))
			}
		})
	}
	var closed sockets
	closed.close()
	if err := ask(t.Context(), &closed, server); !errors.Is(err, errClosed) || len(closed.idle)+len(closed.busy) > 0 {
		t.Errorf("after Close: %v, %d are kept", err, len(closed.idle)+len(closed.busy))
	}
}
