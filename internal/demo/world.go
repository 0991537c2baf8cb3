package demo

import (
	"net/netip"
	"strings"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// hostNetwork is the network of the mail hosts.
var hostNetwork = netip.MustParsePrefix("192.0.2.0/24")

// World is the DNS, the mail hosts and the lists of the demo.
type World struct {
	dns   *dnstest.Server
	hosts *smtptest.Network
	lists *lists.Lists
}

// New returns a World. Close it when done.
func New() (*World, error) {
	var additions []lists.Addition
	for kind, entries := range Lists() {
		additions = append(additions, lists.Addition{Kind: kind, Name: "demo", From: strings.NewReader(entries)})
	}
	known, err := lists.New(additions...)
	if err != nil {
		return nil, err
	}
	w := read()
	return &World{dns: w.DNS(), hosts: w.Network(), lists: known}, nil
}

// Lists returns what the World adds to the embedded lists, one entry per line.
func Lists() map[lists.Kind]string {
	return map[lists.Kind]string{
		lists.KindFree:       "intl.example\n",
		lists.KindDisposable: "throwaway.example\n",
		lists.KindSpamTrap:   "trap@acme.example\n",
	}
}

// Config returns the configuration of an engine that uses the World.
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

// Close stops the mail hosts. Close the engine first.
func (w *World) Close() { w.hosts.Close() }
