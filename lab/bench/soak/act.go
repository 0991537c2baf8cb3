package soak

import (
	"bytes"
	"crypto/tls"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"
)

// act is what a host does in the place of something proper, which it may do as
// well. It reports whether the session goes on.
type act func(s *session, proper func()) bool

const (
	dripEvery   = 2 * time.Second // between two octets
	floodOctets = 10 << 20        // of one line, or of one reply
	banAfter    = 20              // connections
)

// says answers with a reply of the host's own, in good order.
func says(reply string) act {
	return func(s *session, _ func()) bool {
		s.reply(reply)
		return true
	}
}

// sends answers with octets as they are.
func sends(octets string) act {
	return func(s *session, _ func()) bool {
		s.spoilt = true
		s.out = append(s.out, octets...)
		return true
	}
}

// sendsAndHangs is the last that is heard of the host.
func sendsAndHangs(octets string) act {
	return func(s *session, proper func()) bool {
		s.out = append(s.out, octets...)
		return hangs(s, proper)
	}
}

// until lets the first recipients of a session pass.
func until(recipients int, then act) act {
	return func(s *session, proper func()) bool {
		if s.named++; s.named > recipients {
			return then(s, proper)
		}
		proper()
		return true
	}
}

// after does the proper thing, slowly. A client may say QUIT meanwhile and be
// gone before that is read.
func after(wait time.Duration) act {
	return func(s *session, proper func()) bool {
		s.spoilt = true
		if s.flush() != nil || !s.host.world.pause(wait) {
			return false
		}
		proper()
		return true
	}
}

func late(s *session, proper func()) bool {
	return after(s.host.world.spec.Late)(s, proper)
}

func hangs(s *session, _ func()) bool {
	s.spoilt = true
	_ = s.flush()
	_, _ = io.Copy(io.Discard, s.conn) // until the client leaves
	return false
}

func closes(s *session, _ func()) bool {
	s.spoilt = true
	_ = s.flush()
	return false
}

func resets(s *session, _ func()) bool {
	s.spoilt = true
	_ = s.flush()
	_ = s.tcp.(*net.TCPConn).SetLinger(0)
	return false
}

func shutsDown(s *session, _ func()) bool {
	s.spoilt = true
	s.reply("421 4.3.2 " + s.host.name + " is shutting down")
	_ = s.flush()
	return false
}

// bans takes everything from the first clients, and has nobody in after them.
func bans(s *session, proper func()) bool {
	if s.host.visits.Add(1) > banAfter {
		return says("554 5.7.1 Your address is banned")(s, proper)
	}
	proper()
	return true
}

func drips(s *session, _ func()) bool {
	s.spoilt = true
	for _, octet := range []byte("220 " + s.host.name + strings.Repeat(" ESMTP", 100) + "\r\n") {
		if _, err := s.conn.Write([]byte{octet}); err != nil {
			return false
		}
		if !s.host.world.pause(dripEvery) {
			return false
		}
	}
	return false
}

func floodsLine(s *session, _ func()) bool {
	return s.flood([]byte(strings.Repeat("250 all one line ", 1000)))
}

func floodsReply(s *session, _ func()) bool {
	return s.flood(bytes.Repeat([]byte("250-and another thing\r\n"), 1000))
}

func (s *session) flood(part []byte) bool {
	s.spoilt = true
	_ = s.flush()
	for range floodOctets / len(part) {
		if _, err := s.conn.Write(part); err != nil {
			return false
		}
	}
	return false
}

// random answers anything, but never that a mailbox does not exist.
func random(s *session, proper func()) bool {
	s.spoilt = true
	words := []string{
		"250 Ok", "250 2.1.5 Ok", "251 will forward", "299 2.0.0 hm",
		"354 go ahead", "221 bye", "421 4.4.5 busy", "450 4.7.1 later",
		"451 4.7.1 slow down", "452 4.5.3 too many", "500 what", "503 5.5.1 not now",
		"550 rejected", "550 5.7.1 blocked", "554 5.7.1 no", "what?",
	}
	switch n := rand.IntN(len(words) + 2); n {
	case 0:
		return closes(s, proper)
	case 1:
		proper()
	default:
		s.reply(words[n-2])
	}
	return true
}

// wantsCertificate makes a handshake that no client of mail hosts passes.
func wantsCertificate(s *session, _ func()) bool {
	s.spoilt = true
	config := s.host.world.tls.Clone()
	config.ClientAuth = tls.RequireAnyClientCert
	_ = tls.Server(s.conn, config).Handshake()
	return false
}
