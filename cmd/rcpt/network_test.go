package main

import (
	"net"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

// wellKnownZone has mail hosts of the well-known domains on loopback addresses.
const wellKnownZone = `
gmail.com.       MX 10 mx.gmail.com.
mx.gmail.com.    A     127.0.0.11
outlook.com.     MX 10 mx.outlook.com.
mx.outlook.com.  A     127.0.0.12
yahoo.com.       MX 10 mx.yahoo.com.
mx.yahoo.com.    A     127.0.0.13
icloud.com.      MX 10 mx.icloud.com.
mx.icloud.com.   A     127.0.0.14
gmx.net.         MX 10 mx.gmx.net.
mx.gmx.net.      A     127.0.0.15
acme.example.    MX 10 mx.acme.example.
mx.acme.example. A     127.0.0.16
`

// listenNames serves a zone on a loopback port until the test ends.
func listenNames(t *testing.T, zone string, faults ...dnstest.Fault) (resolver string) {
	t.Helper()
	names := dnstest.New(zone)
	for _, fault := range faults {
		names.Break(fault)
	}
	resolver, err := names.Start()
	check(t, err)
	t.Cleanup(names.Close)
	return resolver
}

// closedPort is a port that nothing listens on, over TCP or UDP.
func closedPort(t *testing.T) (port string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	_, port, err = net.SplitHostPort(listener.Addr().String())
	check(t, err)
	check(t, listener.Close())
	return port
}

// brokenNetworks starts broken resolvers and one that works, and finds a closed
// port.
func brokenNetworks(t *testing.T) []string {
	port := closedPort(t)
	return []string{
		"DENIES=" + listenNames(t, ""),
		"INVENTS=" + listenNames(t, strings.NewReplacer("NAME", "*.com.").Replace("NAME A 127.0.0.99\nNAME MX 10 mx.invented.com.\n")+wellKnownZone),
		"SERVFAIL=" + listenNames(t, wellKnownZone, dnstest.Fault{Kind: dnstest.ServFail}),
		"WORKS=" + listenNames(t, wellKnownZone), "DEAD=127.0.0.1:" + port,
		"RCPT_SMTP_PORT=" + port, "RCPT_NETWORK_CHECK=on", "RCPT_ALLOW_NET=127.0.0.0/8", "RCPT_HELO=tests.example", "NO_COLOR=1",
	}
}

// TestBrokenNetwork runs the command where the network does not work.
func TestBrokenNetwork(t *testing.T) {
	settings := brokenNetworks(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/network", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(append(env.Vars, quickExit), settings...)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// TestServeInABrokenNetwork: the fault is logged once and is in the metrics
// and, with the flag, in /readyz; no address is undeliverable.
func TestServeInABrokenNetwork(t *testing.T) {
	settings := brokenNetworks(t)
	value := func(name string) string {
		for _, setting := range settings {
			if found, ok := strings.CutPrefix(setting, name+"="); ok {
				return found
			}
		}
		t.Fatal(name)
		return ""
	}
	for _, c := range []struct{ resolver, warning, reason, check string }{
		{"DENIES", "says that gmail.com has no mail hosts", `"reason":"resolver_unreliable"`, "resolver"},
		{"INVENTS", "invents answers", `"reason":"resolver_unreliable"`, "resolver"},
		{"DEAD", "no DNS server answers at", `"reason":"dns_temporary"`, "resolver"},
		{"WORKS", "no mail host can be reached at port", `"reason":"port_blocked"`, "port"},
	} {
		t.Run(c.resolver, func(t *testing.T) {
			p := start(t, append(settings, "RCPT_API_KEY=a-key-of-the-user", "RCPT_DATA="+t.TempDir(), "RCPT_RESOLVER="+value(c.resolver)),
				"serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--ready-network", "--details")
			lines := p.awaitAll(p.stderr, `^Metrics are at (http://.*)$`, `^rcpt listens on (http://.*)$`,
				"level=WARN .*the network does not work here, which is no fault of the addresses: .*"+c.warning)
			metrics, url := lines[0][1], lines[1][1]
			address := "someone@nowhere.example"
			if c.resolver == "WORKS" {
				address = "someone@acme.example"
			}
			if status, body := get(t, url+"/api/v1/verify?email="+address, "a-key-of-the-user"); status != 200 || !strings.Contains(body, c.reason) {
				t.Errorf("status %d, body %s", status, body)
			}
			if _, body := get(t, metrics, ""); !strings.Contains(body, `rcpt_network_check_failed{check="`+c.check+`"} 1`) {
				t.Errorf("no failing check in the metrics")
			}
			if status, _ := get(t, url+"/readyz", ""); status != 503 {
				t.Errorf("/readyz: %d", status)
			}
			if code, _, log := p.end(os.Interrupt); code != exitDone || strings.Contains(log, "the network does not work") {
				t.Errorf("exit code %d, log after the warning:\n%s", code, log)
			}
		})
	}
}

func TestWantsColour(t *testing.T) {
	for _, c := range []struct {
		environment map[string]string
		want        bool
	}{
		{map[string]string{"TERM": "xterm"}, true},
		{map[string]string{"TERM": "dumb"}, false},
		{map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, false},
		{map[string]string{}, true},
	} {
		if got := wantsColour(func(name string) string { return c.environment[name] }); got != c.want {
			t.Errorf("%v: %t", c.environment, got)
		}
	}
}
