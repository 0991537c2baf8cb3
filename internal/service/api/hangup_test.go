package api_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/verdictcache"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// crowd is a host that counts its sessions.
type crowd struct {
	smtptest.Host
	mu         sync.Mutex
	open, most int
}

func (c *crowd) ServeSMTP(conn net.Conn) {
	c.mu.Lock()
	c.open++
	c.most = max(c.most, c.open)
	c.mu.Unlock()
	c.Host.ServeSMTP(conn)
	c.mu.Lock()
	c.open--
	c.mu.Unlock()
}

// TestClientsHangUp is a load: 400 clients, each of which gives up after a
// second, ask about mailboxes at twenty hosts that take five seconds. Every
// mailbox is asked about once and counted once, and every client has its answer
// at a later try. Sessions and goroutines stay bounded.
func TestClientsHangUp(t *testing.T) {
	const (
		clients, domains, perHost = 400, 20, 5
		patience                  = time.Second + time.Microsecond // so that no host answers at that moment
		slowness                  = 5 * time.Second
	)
	synctest.Test(t, func(t *testing.T) {
		mail, zone := smtptest.NewNetwork(), ""
		hosts := make([]*crowd, domains)
		for i := range hosts {
			hosts[i] = &crowd{Host: smtptest.Host{GreetingDelay: slowness, Mailboxes: map[string]smtptest.Mailbox{}}}
			for j := range clients / domains {
				hosts[i].Mailboxes[fmt.Sprintf("user%d", j)] = smtptest.Accepts
			}
			mail.Add(fmt.Sprintf("192.0.2.%d", i+1), hosts[i])
			zone += fmt.Sprintf("d%d.example. MX 10 mx%d.example.\nmx%d.example. A 192.0.2.%d\n", i, i, i, i+1)
		}
		var mu sync.Mutex
		asked, used, goroutines := 0, 0, 0
		verifier, err := engine.New(engine.Config{
			MaxSessionsPerHost: perHost,
			Exchanger:          dnstest.New(zone), Dialer: mail, AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")},
			Hooks: engine.Hooks{Probed: func(context.Context, smtpprobe.Findings, time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				asked++
			}},
		})
		check(t, err)
		cache, err := verdictcache.New(verdictcache.Config{Engine: verifier})
		check(t, err)
		listener, stop := listening(t, api.Config{Verifier: cache, Record: func(api.Use) {
			mu.Lock()
			defer mu.Unlock()
			used++
		}})
		var all sync.WaitGroup
		tries := make([]int, clients)
		for i := range clients {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 7 * time.Millisecond)
				for answer := ""; answer == "" && tries[i] < 30; tries[i]++ {
					answer = impatient(listener, fmt.Sprintf("user%d@d%d.example", i/domains, i%domains), patience)
					if answer != "" && !strings.Contains(answer, `"deliverable"`) {
						t.Errorf("client %d: %s", i, answer)
					}
					mu.Lock()
					goroutines = max(goroutines, runtime.NumGoroutine())
					mu.Unlock()
					time.Sleep(time.Second)
				}
			})
		}
		all.Wait()
		most := 0
		for i := range tries {
			most = max(most, tries[i])
		}
		stop()
		check(t, cache.Close())
		check(t, verifier.Close())
		t.Logf("at most %d tries and %d goroutines", most, goroutines)
		if most >= 30 || most < 3 {
			t.Errorf("a client needs %d tries", most)
		}
		if asked != clients || used != clients {
			t.Errorf("%d asked about, %d counted, want %d", asked, used, clients)
		}
		for i, host := range hosts {
			if host.most > perHost {
				t.Errorf("host %d had %d sessions at a time", i, host.most)
			}
		}
		if goroutines > 10*clients {
			t.Errorf("%d goroutines", goroutines)
		}
	})
}

// impatient asks about an address and hangs up if there is no answer in time.
func impatient(listener *pipeListener, address string, patience time.Duration) (answer string) {
	conn := listener.dial()
	defer conn.Close()
	hangUp := time.AfterFunc(patience, func() { conn.Close() })
	defer hangUp.Stop()
	if _, err := fmt.Fprintf(conn, "GET /api/v1/verify/?email=%s&apikey=%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", address, key); err != nil {
		return ""
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return ""
	}
	body, _ := io.ReadAll(response.Body)
	return string(body)
}
