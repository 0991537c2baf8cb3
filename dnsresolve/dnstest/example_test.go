package dnstest_test

import (
	"context"
	"fmt"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

// A resolver is tested against a world of two domains, one of which is broken.
func Example() {
	world := dnstest.New("good.test. MX 10 mx.good.test.\nmx.good.test. A 192.0.2.1\n")
	world.Break(dnstest.Fault{Name: "bad.test", Type: "MX", Kind: dnstest.ServFail})
	resolver, _ := dnsresolve.New(dnsresolve.Config{Servers: []string{"192.0.2.53"}, Exchanger: world})
	defer resolver.Close()

	for _, domain := range []string{"good.test", "bad.test", "other.test"} {
		found, _ := resolver.MailHosts(context.Background(), domain)
		fmt.Println(domain, found.Status)
	}
	fmt.Println("asked for the MX of bad.test:", world.Count("bad.test", "MX"))
	// Output:
	// good.test ok
	// bad.test servfail
	// other.test nxdomain
	// asked for the MX of bad.test: 1
}

// A Server on loopback answers anything that speaks DNS.
func ExampleServer_Start() {
	world := dnstest.New("example.test. MX 10 mx.example.test.")
	addr, err := world.Start()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer world.Close()

	query := new(dns.Msg).SetQuestion("example.test.", dns.TypeMX)
	answer, err := dns.Exchange(query, addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Answer[0].(*dns.MX).Mx)
	// Output: mx.example.test.
}
