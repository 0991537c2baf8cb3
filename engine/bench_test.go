package engine_test

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// BenchmarkVerify is one address after the other of a domain that is known: all
// but asking the mail host.
func BenchmarkVerify(b *testing.B) {
	zone := dnstest.New(oneHostZone + "test. SOA ns.test. hostmaster.test. 1 3600 600 86400 300\n")
	verifier, err := engine.New(engine.Config{
		Level: engine.LevelDNS, Resolvers: []string{"192.0.2.53"}, Exchanger: zone,
		AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer verifier.Close()
	b.ReportAllocs()
	for b.Loop() {
		result, err := verifier.Verify(b.Context(), "user@example.test")
		if err != nil || result.Reason != rcpt.ReasonLevelReached {
			b.Fatal(result, err)
		}
	}
}

// BenchmarkDecide is one address after the other of a domain whose random
// mailbox is refused.
func BenchmarkDecide(b *testing.B) {
	host := dnsresolve.Host{Name: "mx.example.com", Status: dnsresolve.StatusOK, Addrs: []dnsresolve.Addr{{IP: netip.MustParseAddr("198.51.100.1")}}}
	refusal := func(mailbox string) *smtp.Reply {
		text := fmt.Sprintf("<%s>: Recipient address rejected: User unknown in virtual mailbox table", mailbox)
		return &smtp.Reply{Code: 550, Enhanced: "5.1.1", Lines: []string{text}}
	}
	for name, target := range map[string]func(mailbox string) *smtp.Reply{
		"accepted": func(string) *smtp.Reply { return &smtp.Reply{Code: 250, Lines: []string{"Ok"}} },
		"refused":  refusal,
	} {
		b.Run(name, func(b *testing.B) {
			var evidence []engine.Evidence
			for n := range 5000 { // more than the classifier remembers
				mailbox := fmt.Sprintf("user%d@example.com", n)
				session := smtpprobe.Session{
					Host: host.Name, Addr: netip.AddrPortFrom(host.Addrs[0].IP, 25), Greeting: &smtp.Reply{Code: 220}, EHLO: &smtp.Reply{Code: 250},
					MAIL: &smtp.Reply{Code: 250}, Target: target(mailbox), Control: refusal("random@example.com"), Transcript: make([]smtp.Line, 12),
				}
				evidence = append(evidence, engine.Evidence{
					Email: mailbox, Local: mailbox[:len("user")], Domain: "example.com", Mailbox: mailbox, Level: engine.LevelSMTP,
					DNS:  &dnsresolve.Findings{Status: dnsresolve.StatusOK, Hosts: []dnsresolve.Host{host}},
					SMTP: &smtpprobe.Findings{Sessions: []smtpprobe.Session{session}},
				})
			}
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				engine.Decide(evidence[n%len(evidence)], engine.Policy{})
			}
		})
	}
}
