package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"syscall"
)

// listenFlag is the address of the HTTP server.
type listenFlag struct {
	Listen listenAddress `placeholder:"ADDR" default:"127.0.0.1:8080" help:"Address to listen on, HOST:PORT. Default: ${default}."`
}

type listenAddress string

func (l *listenAddress) UnmarshalText(text []byte) error {
	_, number, err := net.SplitHostPort(string(text))
	if err != nil {
		return fmt.Errorf("%q is not HOST:PORT: use for example 127.0.0.1:8080, or :8080 for all interfaces", text)
	}
	if _, err := strconv.ParseUint(number, 10, 16); err != nil {
		return fmt.Errorf("%q has no usable port: use a number from 0 to 65535, where 0 picks a free one", text)
	}
	*l = listenAddress(text)
	return nil
}

func (f listenFlag) listen() (net.Listener, error) { return listenOn("--listen", string(f.Listen)) }

// listenOn listens where a flag says, or tells which flag to change.
func listenOn(flag, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s %s: address already in use: end the other program, or name another port", flag, address)
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", flag, address, err)
	}
	return listener, nil
}

// greet tells where the server listens and how to ask it. A key that was made for this run is shown; one that the user set is not.
func greet(w io.Writer, addr net.Addr, key apiKey, example string) {
	url := "http://" + reachable(addr)
	fmt.Fprintf(w, "rcpt listens on %s\n", url)
	shown := "$" + apiKeyVariable
	switch {
	case key.made:
		shown = key.secret
		fmt.Fprintf(w, "The key for this run is %s (set %s to choose one, or make keys with rcpt keys create).\n", key.secret, apiKeyVariable)
	case key.secret == "":
		shown = "YOUR-KEY"
	}
	fmt.Fprintf(w, "Try: curl -H \"X-API-Key: %s\" '%s/api/v1/verify?email=%s&details=1'\n", shown, url, example)
}

// reachable is addr as a client on this machine can name it.
func reachable(addr net.Addr) string {
	listening, err := netip.ParseAddrPort(addr.String())
	if err == nil && listening.Addr().IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(int(listening.Port())))
	}
	return addr.String()
}
