package demo

import (
	_ "embed"
	"net/netip"
	"strings"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

//go:embed zone.txt
var zone string

// hostNetwork is where the mail hosts are.
var hostNetwork = netip.MustParsePrefix("192.0.2.0/24")

// World is the DNS, the mail hosts and the lists of the demo.
type World struct {
	dns   *dnstest.Server
	hosts *smtptest.Network
	lists *lists.Lists
}

// New returns a World. Close it when done.
func New() (*World, error) {
	known, err := lists.New(
		lists.Addition{Kind: lists.Free, Name: "demo", From: strings.NewReader("intl.example\n")},
		lists.Addition{Kind: lists.Disposable, Name: "demo", From: strings.NewReader("throwaway.example\n")},
		lists.Addition{Kind: lists.SpamTrap, Name: "demo", From: strings.NewReader("trap@acme.example\n")},
	)
	if err != nil {
		return nil, err
	}
	names := dnstest.New(zone)
	names.Break(dnstest.Fault{Name: "broken.example", Kind: dnstest.ServFail})
	return &World{dns: names, hosts: network(), lists: known}, nil
}

// Config makes the engine live in the World.
func (w *World) Config() engine.Config {
	return engine.Config{
		Resolvers: []string{"192.0.2.53"},
		Exchanger: w.dns,
		Dialer:    w.hosts,
		Lists:     w.lists,
		AllowNets: []netip.Prefix{hostNetwork},
		HELO:      "demo.example",
	}
}

// Close ends the mail hosts. The engine is to be closed before.
func (w *World) Close() { w.hosts.Close() }
