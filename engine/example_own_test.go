package engine_test

import (
	"context"
	"expvar"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/dnsresolve/doh"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe/replies"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// A program with lists and a rule of its own, mail hosts that it does not ask,
// DNS over HTTPS, a SOCKS5 proxy and metrics. Fakes on this machine are the DNS
// service, the proxy and the mail host.
func ExampleConfig_own() {
	mail := smtptest.NewNetwork()
	mail.Add("192.0.2.1", &smtptest.Host{Unknown: "550 5.0.0 no longer with us"})
	mail.Add("10.0.0.9:1080", &smtptest.Proxy{Dialer: mail})
	zone := dnstest.New("example.org. MX 10 mx.example.org.\nmx.example.org. A 192.0.2.1\nexample.net. MX 10 mx1.filter.example.\nmx1.filter.example. A 192.0.2.2\n")
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, _ := io.ReadAll(r.Body)
		answer, _ := zone.Exchange(r.Context(), query, "tcp", "")
		w.Header().Set("Content-Type", "application/dns-message")
		w.Write(answer)
	}))
	defer service.Close()

	exchanger, err := doh.New(service.URL+"/dns-query", service.Client())
	if err != nil {
		log.Fatal(err)
	}
	ours, err := lists.New(lists.Domains(lists.KindDisposable, "ours", "example.org"))
	if err != nil {
		log.Fatal(err)
	}
	rules, err := replies.NewClassifier(replies.RuleFile{Name: "ours.yaml", Data: []byte(
		"rules:\n  - {id: left, class: disabled, text: [no longer with us], sample: [550 5.0.0 no longer with us]}\n",
	)})
	if err != nil {
		log.Fatal(err)
	}
	counts := new(expvar.Map)
	hooks := observe(counts, slog.New(slog.DiscardHandler)) // of the example for Hooks
	verifier, err := engine.New(engine.Config{
		Lists: ours, Classifier: rules, Exchanger: exchanger, Hooks: hooks,
		Proxies: []*url.URL{{Scheme: "socks5", Host: "10.0.0.9:1080"}},
		NoAsk:   []string{"mx:filter.example"},                                          // a policy for mail hosts
		Dialer:  mail, AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, // the fakes
	})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()

	for _, email := range []string{"bob@example.org", "bob@example.net"} {
		result, err := verifier.Verify(context.Background(), email)
		fmt.Println(result.Verdict, result.Reason, result.Disposable, err)
	}
	fmt.Println("looked up:", counts.Get("resolving"))
	// Output:
	// undeliverable mailbox_disabled true <nil>
	// unknown not_asked false <nil>
	// looked up: 2
}
