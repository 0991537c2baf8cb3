package dnsresolve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/miekg/dns"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
)

// doh is an Exchanger that sends queries over HTTPS (RFC 8484). It goes into
// Config of this package, or of package engine.
type doh struct {
	url    string // "https://dns.example/dns-query"
	client *http.Client
}

// Exchange asks d.url, whichever server is named.
func (d doh) Exchange(ctx context.Context, query *dns.Msg, _, _ string) (*dns.Msg, error) {
	ask := query.Copy() // a query must not be changed
	ask.Id = 0          // RFC 8484 §4.1, so that caches of HTTP can answer
	wire, err := ask.Pack()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url, bytes.NewReader(wire))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/dns-message")
	response, err := d.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New("DNS over HTTPS: " + response.Status)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, dns.MaxMsgSize))
	if err != nil {
		return nil, err
	}
	answer := new(dns.Msg)
	if err := answer.Unpack(body); err != nil {
		return nil, err
	}
	answer.Id = query.Id
	return answer, nil
}

// DNS over HTTPS needs an Exchanger of the program's own. Here a service on
// this machine takes the place of the real one.
func ExampleExchanger() {
	world := dnstest.New("example.test. MX 10 mx.example.test.\nmx.example.test. A 192.0.2.1\n")
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		query := new(dns.Msg)
		if err := query.Unpack(body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer, err := world.Exchange(r.Context(), query, "tcp", "")
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		wire, _ := answer.Pack()
		w.Write(wire)
	}))
	defer service.Close()

	resolver, err := dnsresolve.New(dnsresolve.Config{
		Servers:   []string{"dns.example"}, // a name for logs and findings
		Exchanger: doh{service.URL, service.Client()},
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
