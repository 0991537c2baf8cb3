package smtpprobe_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// A Pool reports what the mail hosts said, and a Classifier what that proves.
// Package engine finds the hosts and puts both together.
func ExamplePool_Probe() {
	mail := smtptest.NewNetwork()
	defer mail.Close()
	mail.Add("192.0.2.1", &smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
	pool, err := smtpprobe.New(smtpprobe.Config{Dialer: mail, HELO: "verifier.example.com"})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()

	found, err := pool.Probe(context.Background(), smtpprobe.Request{
		Hosts:   []smtpprobe.Host{{Name: "mx.example.org", Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}},
		Target:  "bob@example.org",
		Control: rand.Text() + "@example.org",
		Budget:  30 * time.Second,
	})
	if err != nil {
		log.Fatal(err)
	}
	last := found.Sessions[len(found.Sessions)-1]
	if last.Target == nil {
		log.Fatal(last.Failure)
	}
	reading := replies.DefaultClassifier().Read(replies.Input{
		Phase: smtp.PhaseRCPT, Reply: *last.Target, Host: last.Host, Mailbox: "bob@example.org",
	})
	fmt.Println(last.Target.Code, last.Target.Enhanced, reading.Class)
	// Output: 550 5.1.1 no_such_user
}
