package demo

import (
	"io"
	"net"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// Delays of the slow hosts. Users wait for them, so they are short.
const (
	slowGreeting = time.Second
	slowRCPT     = time.Second
	greylistTime = 5 * time.Minute
	patientTime  = 5 * time.Second // of a host that a list waits for
	patientReply = "451 4.7.1 Greylisted, please try again in 5 seconds"
)

// network connects to the mail hosts in memory at the addresses of the zone. It
// refuses connections to addresses without a host.
func network() *smtptest.Network {
	network := smtptest.NewNetwork()
	for ip, host := range hosts() {
		network.Add(ip, host)
	}
	network.Blackhole(silentHost)
	return network
}

// silentHost is an address at which no host answers.
const silentHost = "192.0.2.22"

// hosts are the mail hosts by their address in the zone.
func hosts() map[string]smtptest.Handler {
	hosts := map[string]smtptest.Handler{}
	hosts["192.0.2.10"] = &smtptest.Host{Name: "mx.acme.example", STARTTLS: smtptest.TLSWorks,
		Mailboxes: map[string]smtptest.Mailbox{
			"alice":   smtptest.Accepts,
			"info":    smtptest.Accepts,
			"full":    smtptest.Full,
			"quota":   smtptest.OverQuota,
			"retired": smtptest.Disabled,
			"moved":   smtptest.Moved,
		}}
	hosts["192.0.2.11"] = &smtptest.Host{Name: "mx.anything.example", CatchAll: true}
	hosts["192.0.2.12"] = person(&smtptest.Host{Name: "mx.intl.example", SMTPUTF8: true}, "josé", "alice")
	hosts["192.0.2.13"] = person(&smtptest.Host{Name: "implicit.example"}, "alice")

	hosts["192.0.2.21"] = person(&smtptest.Host{Name: "mx2.backup.example"}, "alice")
	hosts["192.0.2.23"] = person(&smtptest.Host{Name: "mx.slow.example", GreetingDelay: slowGreeting,
		RCPTDelay: slowRCPT}, "alice")

	hosts["192.0.2.30"] = person(&smtptest.Host{Name: "mx.greylist.example", Greylist: greylistTime}, "alice")
	hosts["192.0.2.31"] = &smtptest.Host{Name: "mx.busy.example",
		RCPT: "450 4.7.1 Too many requests from your address, slow down"}
	hosts["192.0.2.32"] = &smtptest.Host{Name: "mx.sick.example", RCPT: "451 4.3.0 Temporary lookup failure"}
	hosts["192.0.2.33"] = &smtptest.Host{Name: "mx.door.example", Greeting: "554 5.7.1 You are not welcome here"}
	hosts["192.0.2.34"] = &smtptest.Host{Name: "mx.sender.example", MAIL: "550 5.7.1 Sender rejected by local policy"}
	hosts["192.0.2.35"] = &smtptest.Host{Name: "mx.blocklist.example",
		RCPT: "554 5.7.1 Service unavailable; client [198.51.100.1] blocked using bl.example"}
	hosts["192.0.2.36"] = &smtptest.Host{Name: "mx.vague.example", RCPT: "550 Requested action not taken"}
	hosts["192.0.2.37"] = &smtptest.Host{Name: "mx.relay.example", Domains: []string{"other.example"}}
	hosts["192.0.2.38"] = person(&smtptest.Host{Name: "mx.undecided.example",
		Unknown: "451 4.3.0 <%s>: cannot look up recipients now"}, "alice")
	hosts["192.0.2.39"] = smtptest.HandlerFunc(website)
	hosts["192.0.2.40"] = person(&smtptest.Host{Name: "mx.badtls.example", STARTTLS: smtptest.TLSCloses,
		RequireTLS: true}, "alice")

	hosts["192.0.2.50"] = staff()
	hosts["192.0.2.51"] = person(&smtptest.Host{Name: "mx.patient.example", Greylist: patientTime,
		GreylistReply: patientReply}, names()...)
	return hosts
}

// person adds mailboxes to a host.
func person(host *smtptest.Host, names ...string) *smtptest.Host {
	host.Mailboxes = map[string]smtptest.Mailbox{}
	for _, name := range names {
		host.Mailboxes[name] = smtptest.Accepts
	}
	return host
}

// website is a host that speaks HTTP instead of SMTP.
func website(conn net.Conn) {
	defer conn.Close()
	_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
}
