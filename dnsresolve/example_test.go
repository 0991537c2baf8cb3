package dnsresolve_test

import (
	"context"
	"fmt"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

const zone = `
example.test.     MX   20 backup.example.test.
example.test.     MX   10 mx.example.test.
mx.example.test.  A    192.0.2.1
mx.example.test.  AAAA 2001:db8::1
`

func ExampleResolver_MailHosts() {
	// Without Exchanger and Servers, the system's resolvers are asked.
	resolver, err := dnsresolve.New(dnsresolve.Config{
		Servers:   []string{"192.0.2.53"},
		Exchanger: dnstest.New(zone),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resolver.Close()

	found, err := resolver.MailHosts(context.Background(), "example.test")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Domain, found.Status)
	for _, host := range found.Hosts {
		fmt.Println(host.Preference, host.Name, host.Status)
		for _, addr := range host.Addrs {
			fmt.Println("  ", addr.IP, addr.Reserved)
		}
	}
	// Output:
	// example.test ok
	// 10 mx.example.test ok
	//    192.0.2.1 documentation
	//    2001:db8::1 documentation
	// 20 backup.example.test nxdomain
}
