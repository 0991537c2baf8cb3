package smtptest_test

import (
	"context"
	"fmt"
	"net/smtp"
	"strings"

	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// takesMail is the part of a sign-up form that asks a mail host about an
// address.
func takesMail(host, address string) error {
	c, err := smtp.Dial(host)
	if err != nil {
		return err
	}
	defer c.Quit()
	if err := c.Mail(""); err != nil {
		return err
	}
	return c.Rcpt(address)
}

// A sign-up form's test: a mail host with one mailbox, and what the form makes
// of it.
func Example() {
	mx := smtptest.Start(&smtptest.Host{Mailboxes: map[string]smtptest.Mailbox{"alice": smtptest.Accepts}})
	defer mx.Close()

	fmt.Println(takesMail(mx.Addr, "alice@example.com"))
	fmt.Println(takesMail(mx.Addr, "alcie@example.com"))
	// Output:
	// <nil>
	// 550 "5.1.1 <alcie@example.com>: no such mailbox here"
}

// A network in memory is a dialer, and remembers what was said.
func ExampleNetwork() {
	world := smtptest.NewNetwork()
	world.Add("192.0.2.1", &smtptest.Host{Name: "mx.example.com", CatchAll: true})
	world.Blackhole("192.0.2.2")

	conn, err := world.DialContext(context.Background(), "tcp", "192.0.2.1:25")
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := smtp.NewClient(conn, "mx.example.com")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Hello("client.example.org"), c.Quit())
	world.Close()

	session := world.Sessions()[0]
	fmt.Println(session.Addr, strings.Join(session.Commands, ", "))
	// Output:
	// <nil> <nil>
	// 192.0.2.1:25 EHLO client.example.org, QUIT
}

// A script plays exactly one dialogue, and notes a client that does not keep to
// it.
func ExampleScript() {
	mx := smtptest.Start(smtptest.Script(`
		S: 220 mx.example.com
		C: EHLO *
		S: 250 mx.example.com
		C: MAIL FROM:<>
		S: 250 Ok
		C: RCPT TO:<bob@example.com>
		S: 450 4.2.0 Recipient address rejected: Greylisted
	`))
	fmt.Println(takesMail(mx.Addr, "alice@example.com"))
	mx.Close()
	fmt.Println(mx.Sessions()[0].Err)
	// Output:
	// 503 "5.5.1 not in the script"
	// client sent "RCPT TO:<alice@example.com>" at line 7, "C: RCPT TO:<bob@example.com>"
}
