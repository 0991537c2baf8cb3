package doh_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/dnsresolve/doh"
)

// DNS over HTTPS. Here a service on this machine takes the place of the real
// one, whose URL is enough: doh.New("https://dns.example/dns-query", nil). The
// Exchanger goes into engine.Config in the same way.
func Example() {
	world := dnstest.New("example.test. MX 10 mx.example.test.\nmx.example.test. A 192.0.2.1\n")
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, _ := io.ReadAll(r.Body)
		answer, err := world.Exchange(r.Context(), query, "tcp", "")
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/dns-message")
		w.Write(answer)
	}))
	defer service.Close()

	exchanger, err := doh.New(service.URL+"/dns-query", service.Client())
	if err != nil {
		log.Fatal(err)
	}
	resolver, err := dnsresolve.New(dnsresolve.Config{
		Servers:   []string{"dns.example"}, // a name for logs and findings
		Exchanger: exchanger,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer resolver.Close()
	found, err := resolver.MailHosts(context.Background(), "example.test")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Status, found.Hosts[0].Name, found.Lookups[0].Server)
	// Output: ok mx.example.test dns.example:53
}
