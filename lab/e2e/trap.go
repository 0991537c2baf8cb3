//go:build e2e && linux

package e2e

import (
	"net"
	"sync/atomic"
)

// trapAddresses are in reserved space that rcpt is not allowed to contact.
// Whoever connects there has been led astray.
var trapAddresses = []string{
	"10.9.9.9", "172.16.9.9", "192.168.9.9", "169.254.9.9", "100.64.9.9", "192.0.2.9", "198.18.0.9",
	"fd00:26::9", "64:ff9b::a09:909", "2002:a09:909::1", "::1",
}

// startTraps gives the machine those addresses and listens there.
func (w *world) startTraps(r *root) error {
	for _, address := range trapAddresses {
		bits := "/128"
		if net.ParseIP(address).To4() != nil {
			bits = "/32"
		}
		if address != "::1" {
			if err := r.run("/sbin/ip", "address", "add", address+bits, "dev", "lo", "nodad"); err != nil {
				return err
			}
		}
		listener, err := net.Listen("tcp", net.JoinHostPort(address, "25"))
		if err != nil {
			return err
		}
		go countVisits(listener, &w.led)
	}
	return nil
}

func countVisits(listener net.Listener, visits *atomic.Int64) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		visits.Add(1)
		conn.Close()
	}
}
