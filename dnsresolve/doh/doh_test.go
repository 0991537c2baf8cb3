package doh_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/miekg/dns"
	"go.uber.org/goleak"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/dnsresolve/doh"
)

var _ dnsresolve.Exchanger = (*doh.Exchanger)(nil)

const mediaType = "application/dns-message"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// asks returns an Exchanger that asks a service with the handler, over HTTPS.
func asks(t *testing.T, handler http.HandlerFunc) *doh.Exchanger {
	t.Helper()
	service := httptest.NewTLSServer(handler)
	t.Cleanup(service.Close)
	return exchanger(t, service)
}

func exchanger(t *testing.T, service *httptest.Server) *doh.Exchanger {
	t.Helper()
	e, err := doh.New(service.URL+"/dns-query", service.Client())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// answers returns a handler that sends a body.
func answers(status int, contentType string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write(body)
	}
}

// query is a question with an ID that is not 0.
func query(t *testing.T) []byte {
	t.Helper()
	m := new(dns.Msg).SetQuestion("example.test.", dns.TypeMX)
	m.Id = 0x1234
	wire, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return wire
}

// TestWire checks what is sent, and that the answer comes back under the ID of
// the query, which is not changed.
func TestWire(t *testing.T) {
	for name, start := range map[string]func(http.Handler) *httptest.Server{"HTTPS": httptest.NewTLSServer, "HTTP": httptest.NewServer} {
		t.Run(name, func(t *testing.T) {
			sent := make(chan []byte, 1)
			service := start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost || r.URL.RequestURI() != "/dns-query" ||
					r.Header.Get("Content-Type") != mediaType || r.Header.Get("Accept") != mediaType {
					t.Errorf("%s %s, %v", r.Method, r.URL, r.Header)
				}
				body, _ := io.ReadAll(r.Body)
				sent <- body
				answers(http.StatusOK, mediaType+"; charset=utf-8", body)(w, r)
			}))
			defer service.Close()
			asked := query(t)
			got, err := exchanger(t, service).Exchange(t.Context(), asked, "udp", "192.0.2.53:53")
			if err != nil || !bytes.Equal(got, query(t)) || !bytes.Equal(asked, query(t)) {
				t.Errorf("got %x, %v; the query is now %x", got, err, asked)
			}
			if onWire := <-sent; !bytes.Equal(onWire, append([]byte{0, 0}, query(t)[2:]...)) {
				t.Errorf("sent %x", onWire)
			}
		})
	}
}

// TestUnusableAnswers checks that what is no answer is an error, and that
// nobody can make us read without end.
func TestUnusableAnswers(t *testing.T) {
	good := query(t)
	longest := append(good, make([]byte, 65535-len(good))...)
	if _, err := asks(t, answers(200, mediaType, longest)).Exchange(t.Context(), good, "", ""); err != nil {
		t.Errorf("65,535 octets: %v", err)
	}
	endless := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		for r.Context().Err() == nil {
			if _, err := w.Write(longest); err != nil {
				return
			}
		}
	}
	cut := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		answers(200, mediaType, good)(w, r)
	}
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		text    string
	}{
		"500":                {answers(500, mediaType, good), "500 Internal Server Error"},
		"404":                {answers(404, "text/html", []byte("<html>")), "404 Not Found"},
		"no content":         {answers(204, mediaType, nil), "204 No Content"},
		"a page":             {answers(200, "text/html; charset=utf-8", []byte("<html>sign in</html>")), `"text/html; charset=utf-8"`},
		"JSON":               {answers(200, "application/dns-json", []byte("{}")), `"application/dns-json"`},
		"a broken type":      {answers(200, ";", good), `";"`},
		"one octet too many": {answers(200, mediaType, append(longest, 0)), "longer than 65535"},
		"endless":            {endless, "longer than 65535"},
		"empty":              {answers(200, mediaType, nil), "not a DNS message"},
		"less than a header": {answers(200, mediaType, good[:11]), "not a DNS message"},
		"cut short":          {cut, io.ErrUnexpectedEOF.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := asks(t, tt.handler).Exchange(t.Context(), query(t), "udp", "")
			if got != nil || err == nil || !strings.HasPrefix(err.Error(), "doh: ") || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%d octets, %v; want an error with %s", len(got), err, tt.text)
			}
		})
	}
}

// TestSlowServers checks that the context ends a query, whatever it waits for.
func TestSlowServers(t *testing.T) {
	for name, begins := range map[string]bool{"before the header": false, "in the body": true} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			e := asks(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if begins {
					w.Header().Set("Content-Type", mediaType)
					_ = http.NewResponseController(w).Flush()
				}
				cancel(errors.New("the visitor left"))
				<-r.Context().Done()
			})
			if _, err := e.Exchange(ctx, query(t), "udp", ""); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestResolver checks that a Resolver reads what the service says, and takes
// none of its faults for an answer about the domain.
func TestResolver(t *testing.T) {
	for name, tt := range map[string]struct {
		fault dnstest.Kind
		want  dnsresolve.Status
	}{
		"right":     {dnstest.None, dnsresolve.StatusOK},
		"denied":    {dnstest.NXDomain, dnsresolve.StatusNXDomain},
		"truncated": {dnstest.TruncateForever, dnsresolve.StatusMalformed},
		"malformed": {dnstest.Malformed, dnsresolve.StatusMalformed},
		"lost":      {dnstest.Lose, dnsresolve.StatusTimeout},
		"down":      {dnstest.Unreachable, dnsresolve.StatusError},
	} {
		t.Run(name, func(t *testing.T) {
			world := dnstest.New("example.test. MX 10 mx.example.test.\nmx.example.test. A 192.0.2.1\n")
			world.Break(dnstest.Fault{Kind: tt.fault})
			e := asks(t, func(w http.ResponseWriter, r *http.Request) {
				asked, _ := io.ReadAll(r.Body)
				answer, err := world.Exchange(r.Context(), asked, "tcp", "")
				if err != nil {
					http.Error(w, err.Error(), http.StatusBadGateway)
					return
				}
				answers(http.StatusOK, mediaType, answer)(w, r)
			})
			config := dnsresolve.Config{Servers: []string{"dns.example"}, Exchanger: e}
			if tt.fault == dnstest.Lose {
				config.TryTimeout, config.Timeout = 1e7, 1e7 // 10 ms: no answer comes
			}
			resolver, err := dnsresolve.New(config)
			if err != nil {
				t.Fatal(err)
			}
			defer resolver.Close()
			found, err := resolver.MailHosts(t.Context(), "example.test")
			if err != nil || found.Status != tt.want {
				t.Errorf("%+v, %v; want %s", found, err, tt.want)
			}
		})
	}
}

func TestErrorsDoNotShowTheURL(t *testing.T) {
	service := httptest.NewServer(http.NotFoundHandler())
	e, err := doh.New(service.URL+"/secret", service.Client())
	if err != nil {
		t.Fatal(err)
	}
	service.Close()
	if _, err := e.Exchange(t.Context(), query(t), "udp", ""); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v", err)
	}
	if _, err := e.Exchange(t.Context(), []byte("short"), "udp", ""); err == nil || !strings.Contains(err.Error(), "the query is not a DNS message") {
		t.Errorf("a query that is none: %v", err)
	}
}

func TestNew(t *testing.T) {
	for _, server := range []string{"https://dns.example/dns-query", "https://192.0.2.53/dns-query{?dns}", "http://[::1]:8053/"} {
		if e, err := doh.New(server, nil); e == nil || err != nil {
			t.Errorf("%s: %v", server, err)
		}
	}
	for _, server := range []string{"", "dns.example", "dns.example:443", "192.0.2.53:53", "tls://dns.example", "https:///dns-query", "https://dns.example:x/"} {
		if _, err := doh.New(server, nil); err == nil {
			t.Errorf("%q: no error", server)
		}
	}
}

func TestExchangerWithoutURL(t *testing.T) {
	if _, err := new(doh.Exchanger).Exchange(t.Context(), query(t), "udp", ""); err == nil || !strings.Contains(err.Error(), "New") {
		t.Errorf("error %v", err)
	}
}
