// Package world reads the worlds of testdata/worlds, which tests, "rcpt demo"
// and the lab share: domains, their mail hosts, and what is to be found about
// addresses. testdata/README.md describes the form.
package world

import (
	"fmt"
	"strings"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
	"github.com/rcpt/rcpt/testdata"
)

// World is a world as its file says.
type World struct {
	Asked []smtptest.Question

	zone  strings.Builder
	fails []string
	hosts map[string]smtptest.Situation // by address
}

// Open reads testdata/worlds/NAME.txt. In its text, the first of each pair of
// replacements stands for the second.
func Open(name string, replacements ...string) (*World, error) {
	text, err := testdata.Files.ReadFile("worlds/" + name + ".txt")
	if err != nil {
		return nil, err
	}
	return Read(strings.NewReplacer(replacements...).Replace(string(text)))
}

// Read reads the text of a world.
func Read(text string) (*World, error) {
	all, err := smtptest.ReadSituations(text, "mx", "zone", "fails", "silent")
	if err != nil {
		return nil, fmt.Errorf("world: %w", err)
	}
	w := &World{hosts: map[string]smtptest.Situation{}}
	for _, s := range all {
		w.Asked = append(w.Asked, s.Asked...)
		for _, line := range s.Rest {
			w.add(s, line)
		}
	}
	return w, nil
}

func (w *World) add(s smtptest.Situation, line string) {
	word, arg, _ := strings.Cut(line, " ")
	switch word {
	case "zone":
		w.zone.WriteString(arg + "\n")
	case "fails":
		w.fails = append(w.fails, arg)
	case "mx":
		words := strings.Fields(arg)
		if len(words) < 2 { // whoever plays the host knows where
			return
		}
		name, address := words[0], words[1]
		fmt.Fprintf(&w.zone, "%s. A %s\n", name, address)
		for _, domain := range words[2:] {
			fmt.Fprintf(&w.zone, "%s. MX 10 %s.\n", domain, name)
		}
		w.hosts[address] = s
	}
}

// DNS makes the DNS server of the world.
func (w *World) DNS() *dnstest.Server {
	server := dnstest.New(w.zone.String())
	for _, name := range w.fails {
		server.Break(dnstest.Fault{Name: name, Kind: dnstest.ServFail})
	}
	return server
}

// Hosts makes the mail hosts by their addresses. A nil one does not answer.
func (w *World) Hosts() map[string]smtptest.Handler {
	hosts := map[string]smtptest.Handler{}
	for address, s := range w.hosts {
		hosts[address] = s.Host()
		for _, line := range s.Rest {
			if line == "silent" {
				hosts[address] = nil
			}
		}
	}
	return hosts
}

// Network puts the hosts into a network in memory.
func (w *World) Network() *smtptest.Network {
	network := smtptest.NewNetwork()
	for address, host := range w.Hosts() {
		if host == nil {
			network.Blackhole(address)
			continue
		}
		network.Add(address, host)
	}
	return network
}
