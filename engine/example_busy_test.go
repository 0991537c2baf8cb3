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

// A time limit that ends while a server is to answer gives a result; a context
// that ends says that the caller is gone. ErrBusy says that no server was
// asked, because too many callers wait for a session with the same mail host:
// try the address again later.
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

	ctx, cancel := context.WithCancel(context.Background())
	hurried := engine.VerifyOptions{Timeout: 100 * time.Millisecond}
	result, err := verifier.VerifyWith(ctx, "alice@slow.example", hurried)
	fmt.Println("time limit:", result.Reason, err)

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
	fmt.Println("too many:", result.Reason, errors.Is(err, engine.ErrBusy))

	cancel() // the others give up
	for range 2 {
		fmt.Println("cancelled:", errors.Is(<-errs, context.Canceled))
	}
	// Output:
	// time limit: connection_timeout <nil>
	// too many: busy true
	// cancelled: true
	// cancelled: true
}
