package smtpprobe_test

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/rcpt/rcpt/smtpprobe"
)

// commands are all that a prober ever says in clear.
var commands = map[string]bool{"EHLO": true, "HELO": true, "STARTTLS": true, "MAIL": true, "RCPT": true, "QUIT": true, "RSET": true}

// fuzzServer sends the parts of its bytes between 0xff, waiting for a line of
// the client between two; then it hangs up.
type fuzzServer struct {
	bytes []byte

	mu     sync.Mutex
	dials  int
	client []string // lines received, up to STARTTLS of each session
}

func (s *fuzzServer) DialContext(context.Context, string, string) (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dials++
	client, server := net.Pipe()
	go s.serve(server)
	return client, nil
}

func (s *fuzzServer) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	lines := make(chan struct{}, 64)
	go func() {
		defer close(lines)
		s.receive(c, lines)
	}()
	for part := range bytes.SplitSeq(s.bytes, []byte{0xff}) {
		if _, err := c.Write(part); err != nil {
			return
		}
		if _, ok := <-lines; !ok {
			return
		}
	}
}

func (s *fuzzServer) receive(c net.Conn, lines chan<- struct{}) {
	in := bufio.NewReader(c)
	secret := false
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if !secret {
			s.mu.Lock()
			s.client = append(s.client, line)
			s.mu.Unlock()
		}
		secret = secret || strings.HasPrefix(line, "STARTTLS")
		select {
		case lines <- struct{}{}:
		default:
		}
	}
}

// FuzzSession sees that a session with a server that sends arbitrary bytes
// ends, says nothing but SMTP without DATA, and leaves bounded, printable
// findings.
func FuzzSession(f *testing.F) {
	for _, seed := range []string{
		"220 mx\r\n\xff250-mx\r\n250 PIPELINING\r\n\xff250 a\r\n550 b\r\n550 c\r\n\xff221 bye\r\n",
		"220 mx\r\n\xff250 mx\r\n\xff250 a\r\n\xff250 b\r\n\xff452 c\r\n\xff221 bye\r\n",
		"220 mx\r\n\xff500 what\r\n\xff250 mx\r\n\xff250 a\r\n\xff354 b\r\n",
		"220 mx\r\n\xff250-mx\r\n250 STARTTLS\r\n\xff220 go\r\n\xff\x15\x03\x01\x00\x02\x02\x28",
		"220 mx\r\n\xff250-mx\r\n250 STARTTLS\r\n\xff220 go\r\n250 injected\r\n",
		"554 no\r\n", "220-mx\n220-mx\n", "HTTP/1.1 400 Bad Request\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) { fuzzSession(t, &fuzzServer{bytes: data}) })
	})
}

func fuzzSession(t *testing.T, server *fuzzServer) {
	prober := newProber(t, smtpprobe.Config{}, server)
	found, err := prober.Probe(t.Context(), request(smtpprobe.Request{Hosts: mx("192.0.2.1", "192.0.2.2")}))
	if err != nil {
		t.Fatal(err)
	}
	checkFindings(t, found)
	server.end(t, prober)
	if server.dials > 6 {
		t.Errorf("%d connections", server.dials)
	}
}

// end closes the pool, and sees that it said nothing but SMTP.
func (s *fuzzServer) end(t *testing.T, pool *smtpprobe.Pool) {
	if err := pool.Close(); err != nil {
		t.Error(err)
	}
	synctest.Wait()
	for _, line := range s.client {
		if verb, _, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " "); !commands[verb] || !strings.HasSuffix(line, "\r\n") {
			t.Errorf("the client said %q", line)
		}
	}
}

// FuzzCrowd sees that several who share sessions with a server that sends
// arbitrary bytes all get an answer, and nothing of each other.
func FuzzCrowd(f *testing.F) {
	for _, seed := range []string{
		"220 mx\r\n\xff250-mx\r\n250 PIPELINING\r\n\xff250 a\r\n550 b\r\n250 c\r\n250 d\r\n452 4.5.3 e\r\n421 f\r\n\xff221 bye\r\n",
		"220 mx\r\n\xff250 mx\r\n\xff250 a\r\n\xff250 b\r\n\xff550 c\r\n\xff250 d\r\n\xff250 e\r\n\xff550 5.7.1 f\r\n\xff550 5.1.1 g\r\n\xff250 h\r\n",
		"220 mx\r\n\xff250-mx\r\n250 PIPELINING\r\n\xff250 a\r\n550 5.1.1 b\r\n250 c\r\n550 5.1.1 d\r\n250 e\r\n550 f\r\n250 g\r\n250 h\r\n250 i\r\n\xff250 j\r\n",
		"421 no\r\n", "220 mx\r\n\xff500 what\r\n\xff250 mx\r\n\xff503 a\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			server := &fuzzServer{bytes: data}
			b := &bubble{T: t, pool: newProber(t, smtpprobe.Config{MaxSessionsPerHost: 2}, server)}
			list := mailboxes(6, none, "a.example", "b.example")
			for i, r := range b.askAll(aboutAll(list)) {
				if r.err != nil || len(r.found.Sessions) == 0 {
					t.Errorf("%s: %v", list[i], r)
				}
				checkFindings(t, r.found)
				checkPrivate(t, list[i], r.found)
			}
			server.end(t, b.pool)
		})
	})
}
