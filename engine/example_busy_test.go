package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/netip"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// A deadline that passes while a server is to answer gives a result. ErrBusy
// says that no server was asked, because too many callers wait for a session
// with the same mail host, or because the deadline passed during that wait: try
// the address again later.
func ExampleErrBusy() {
	connected := make(chan bool, 1)
	mail := smtptest.NewNetwork()
	mail.Blackhole("192.0.2.2")                                      // never answers
	mail.Add("192.0.2.1", smtptest.HandlerFunc(func(conn net.Conn) { // never greets
		connected <- true
		io.Copy(io.Discard, conn)
		conn.Close()
	}))
	dns := dnstest.New("example.org. MX 10 mx.example.org.\nmx.example.org. A 192.0.2.1\n" +
		"slow.example. MX 10 mx.slow.example.\nmx.slow.example. A 192.0.2.2\n")
	verifier, err := engine.New(engine.Config{
		MaxSessionsPerHost: 1, MaxWaitingPerHost: 1, // so that three callers are too many
		Exchanger: dns, Dialer: mail, AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()

	hurried, done := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer done()
	result, err := verifier.Verify(hurried, "alice@slow.example")
	fmt.Println("deadline:", result.Verdict, err)

	ctx, cancel := context.WithCancel(context.Background())
	errs := make(chan error)
	verify := func(address string) {
		_, err := verifier.Verify(ctx, address)
		errs <- err
	}
	go verify("alice@example.org")
	<-connected // alice has the only session
	go verify("bob@example.org")
	for verifier.Stats().SMTP.Waiting == 0 { // bob waits for it
		time.Sleep(time.Millisecond)
	}
	result, err = verifier.Verify(ctx, "carol@example.org")
	fmt.Println("too many:", result.Verdict, errors.Is(err, engine.ErrBusy))

	cancel() // the others give up
	for range 2 {
		fmt.Println("cancelled:", errors.Is(<-errs, context.Canceled))
	}
	// Output:
	// deadline: unknown <nil>
	// too many: unknown true
	// cancelled: true
	// cancelled: true
}
