//go:build e2e && linux

package e2e

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// startTimeout bounds the wait for a server to listen. They take a second or
// two; a busy machine takes longer.
const startTimeout = 10 * time.Second

// awaitListening waits until something listens on each of the IPv4 addresses.
// It looks into the kernel's tables instead of connecting, because a connection
// would count: for postscreen's memory, for rate limits and for the record of
// sessions.
func (w *world) awaitListening(addresses ...string) error {
	deadline := time.Now().Add(startTimeout)
	for _, address := range addresses {
		for !listening(netip.MustParseAddrPort(address)) {
			if time.Now().After(deadline) {
				return fmt.Errorf("nothing listens on %s\n%s", address, w.logTails())
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return nil
}

// listening reports whether the tables in /proc/net (proc_net(5)) have a
// listening TCP socket at address.
func listening(address netip.AddrPort) bool {
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return false
	}
	ip := address.Addr().As4()
	slices.Reverse(ip[:])
	const stateListen = "0A"
	want := fmt.Sprintf("%s:%04X 00000000:0000 %s",
		strings.ToUpper(hex.EncodeToString(ip[:])), address.Port(), stateListen)
	return strings.Contains(string(table), want)
}

// logTails returns the end of each log of the world.
func (w *world) logTails() string {
	var b strings.Builder
	for _, pattern := range []string{"logs/*.log", "roots/*/merged/var/log/*.log", "roots/*/merged/var/log/exim4/*"} {
		names, _ := filepath.Glob(filepath.Join(w.dir, pattern))
		for _, name := range names {
			data, _ := os.ReadFile(name)
			lines := strings.Split(strings.TrimSpace(string(data)), "\n")
			const kept = 30
			fmt.Fprintf(&b, "== %s\n%s\n", filepath.Base(name), strings.Join(lines[max(0, len(lines)-kept):], "\n"))
		}
	}
	return b.String()
}
