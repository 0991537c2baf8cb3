package dnstest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/miekg/dns"
)

// portTries is the number of ports that are tried until both the TCP and the
// UDP port are free.
const portTries = 10

// listener is the Server's presence on a loopback port.
type listener struct {
	addr   string
	ctx    context.Context // ends the delays of answers in progress
	cancel context.CancelFunc
	udp    *dns.Server
	tcp    *dns.Server
	serve  sync.WaitGroup
}

// readBuffer is for hundreds of queries that come at the same moment: a lost
// one would be a second or more of a client's time, and chance.
const readBuffer = 4 << 20

// Start makes the Server listen on a free port of 127.0.0.1 over UDP and TCP,
// and returns "127.0.0.1:PORT". A Server is started once.
func (s *Server) Start() (addr string, err error) { return s.StartAt("127.0.0.1") }

// StartAt is [Server.Start] at another IP address.
func (s *Server) StartAt(ip string) (addr string, err error) {
	if s.listener != nil {
		return "", errors.New("dnstest: started already")
	}
	tcp, udp, err := listen(ip)
	if err != nil {
		return "", fmt.Errorf("dnstest: %w", err)
	}
	l := &listener{addr: tcp.Addr().String()}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.udp = &dns.Server{PacketConn: udp, Handler: s.handler("udp")}
	l.tcp = &dns.Server{Listener: tcp, Handler: s.handler("tcp")}
	s.listener = l
	for _, server := range []*dns.Server{l.udp, l.tcp} {
		started := make(chan struct{})
		server.NotifyStartedFunc = func() { close(started) }
		l.serve.Go(func() { _ = server.ActivateAndServe() }) // ends with Close
		<-started
	}
	return l.addr, nil
}

// Close ends listening. A Server that was not started has nothing to close.
func (s *Server) Close() {
	l := s.listener
	if l == nil || l.ctx.Err() != nil {
		return
	}
	l.cancel()
	_ = l.udp.Shutdown()
	_ = l.tcp.Shutdown()
	l.serve.Wait()
}

// listen opens a TCP and a UDP socket with the same port.
func listen(ip string) (net.Listener, net.PacketConn, error) {
	var last error
	for range portTries {
		tcp, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
		if err != nil {
			return nil, nil, err
		}
		udp, err := net.ListenPacket("udp", tcp.Addr().String())
		if err == nil {
			_ = udp.(*net.UDPConn).SetReadBuffer(readBuffer) // the system may give less
			return tcp, udp, nil
		}
		tcp.Close()
		last = err
	}
	return nil, nil, last
}

// forge sends messages to a client from a port that it has not asked. Over TCP
// that is impossible.
func (s *Server) forge(w dns.ResponseWriter, messages [][]byte, network string) {
	if network != "udp" || len(messages) == 0 {
		return
	}
	conn, err := net.Dial("udp", w.RemoteAddr().String())
	if err != nil {
		return
	}
	defer conn.Close()
	for _, message := range messages {
		_, _ = conn.Write(message)
	}
}

func (s *Server) handler(network string) dns.HandlerFunc {
	return func(w dns.ResponseWriter, query *dns.Msg) {
		if len(query.Question) != 1 { // dns.Server lets a bare header pass that promises one
			return
		}
		messages, fault := s.respond(query, network, s.listener.addr)
		if wait(s.listener.ctx, fault.Delay) != nil {
			return
		}
		s.forge(w, fault.Kind.forgeries(query), network)
		for _, message := range messages {
			if _, err := w.Write(message); err != nil {
				return
			}
		}
	}
}
