//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/internal/service/store/storetest"
	"github.com/rcpt/rcpt/internal/testkit"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// startDistant starts mail hosts far away, each with a domain, and returns the
// settings that lead there. Their names end in the given domain, so that they
// are those of one provider; empty: each is its own.
func startDistant(t *testing.T, hosts int, provider string) (settings []string) {
	t.Helper()
	var zone strings.Builder
	port := "0"
	for i := range hosts {
		ip := fmt.Sprintf("127.0.9.%d", i+1)
		name := fmt.Sprintf("mx%d.%s", i, cmp.Or(provider, fmt.Sprintf("d%d.example", i)))
		host := &smtptest.Host{Name: name, ReplyDelay: 500 * time.Millisecond, RCPTFunc: func(_ *smtptest.Visit, rcpt string) string {
			if strings.HasPrefix(rcpt, "box") {
				return "250 2.1.5 Ok"
			}
			return ""
		}}
		server, err := smtptest.StartAt(net.JoinHostPort(ip, port), host)
		check(t, err)
		t.Cleanup(server.Close)
		_, port, err = net.SplitHostPort(server.Addr)
		check(t, err)
		fmt.Fprintf(&zone, "d%d.example. MX 10 %s.\n%s. A %s\n", i, name, name, ip)
	}
	names := dnstest.New(zone.String())
	resolver, err := names.Start()
	check(t, err)
	t.Cleanup(names.Close)
	return []string{"RCPT_RESOLVER=" + resolver, "RCPT_SMTP_PORT=" + port, "RCPT_ALLOW_NET=127.0.0.0/8"}
}

// distantList has mailboxes at the hosts of startDistant.
func distantList(name string, hosts, rows int) string {
	var text strings.Builder
	for i := range rows {
		fmt.Fprintf(&text, "box%s%d@d%d.example\n", name, i, i%hosts)
	}
	return text.String()
}

// TestFleetSpeed measures how much two and three servers, each with an address
// of its own, ask in the same time beside one, at the limits of a provider
// (make fleet). At the end of a list few mail hosts are left, which is not
// measured.
func TestFleetSpeed(t *testing.T) {
	if os.Getenv("TEST_FLEET") == "" {
		t.Skip("SKIPPED: a measurement: set TEST_FLEET")
	}
	const rows, hosts = 24_000, 200
	settings, list := startDistant(t, hosts, "giant.example"), distantList("", hosts, rows)
	cluster := storetest.Start(t)
	var alone float64
	for i, least := range []float64{1, 1.9, 2.8} {
		speed, took := fleetSpeed(t, append(settings, "RCPT_DATABASE="+cluster.Database(t)), i+1, list, rows)
		if alone == 0 {
			alone = speed
		}
		t.Logf("%d servers: %5.0f addresses a second, %.2f of one (on an idle machine %.1f at least); the whole list took %.1f s", i+1, speed, speed/alone, least,
			took.Seconds())
	}
}

// fleetSpeed has some servers work on a list, each from its own address, and
// returns how many addresses a second were done in the middle of it.
func fleetSpeed(t *testing.T, environment []string, count int, list string, rows int64) (speed float64, took time.Duration) {
	key := keysOf{environment}.mustCreate(t, "--scope", "bulk").Key
	var nodes []*node
	for i := range count {
		nodes = append(nodes, startNode(t, environment, "--helo", nodeName(i), "--source-ip", fmt.Sprintf("127.0.0.%d", i+2)))
	}
	j := nodes[0].mustUpload(key, "the list", list)
	began := time.Now()
	await := func(done int64) (int64, time.Time) {
		testkit.Within(t, 10*time.Minute, "they are done", func() bool {
			time.Sleep(50 * time.Millisecond)
			j = nodes[0].mustJob(key, j.ID)
			return j.Done >= done
		})
		return j.Done, time.Now()
	}
	first, from := await(rows / 10)
	last, to := await(rows * 7 / 10)
	await(rows)
	took = time.Since(began)
	for _, n := range nodes {
		n.stop()
	}
	return float64(last-first) / to.Sub(from).Seconds(), took
}

// mustUpload sends a list under a name.
func (n *node) mustUpload(key, name, list string) (j jobState) {
	n.t.Helper()
	request, err := http.NewRequestWithContext(n.t.Context(), http.MethodPost, n.url+"/api/v1/bulk?name="+url.QueryEscape(name), strings.NewReader(list))
	check(n.t, err)
	request.Header.Set("X-API-Key", key)
	request.Header.Set("Content-Type", "text/csv")
	response, err := n.client.Do(request)
	check(n.t, err)
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&j); err != nil || response.StatusCode != http.StatusAccepted {
		n.t.Fatalf("the list gets %d %+v: %v", response.StatusCode, j, err)
	}
	return j
}

// TestSmallBesideLarge measures how long a list of 100 addresses takes that is
// started together with one of 100,000 at the same mail hosts, beside its time
// alone (make fleet). Both times are of a server that has just started.
func TestSmallBesideLarge(t *testing.T) {
	if os.Getenv("TEST_FLEET") == "" {
		t.Skip("SKIPPED: a measurement: set TEST_FLEET")
	}
	const hosts, small, large = 40, 100, 100_000
	settings := startDistant(t, hosts, "")
	took := func(name string, besides bool) (took time.Duration, done int64) {
		environment := append(settings, "RCPT_DATA="+t.TempDir())
		key := keysOf{environment}.mustCreate(t, "--scope", "bulk").Key
		n := startNode(t, environment)
		defer n.kill()
		var other jobState
		if besides {
			other = n.mustUpload(key, "large", distantList(name, hosts, large))
		}
		began, j := time.Now(), n.mustUpload(key, "small", distantList(name+"small", hosts, small))
		testkit.Within(t, 5*time.Minute, "the small list is done", func() bool {
			time.Sleep(20 * time.Millisecond)
			return n.mustJob(key, j.ID).State == "done"
		})
		took = time.Since(began)
		if besides {
			done = n.mustJob(key, other.ID).Done
		}
		return took, done
	}
	for i := range 3 {
		alone, _ := took(fmt.Sprint("a", i), false)
		together, done := took(fmt.Sprint("b", i), true)
		t.Logf("alone %.1f s, beside a large list %.1f s, %.2f of that; %d of the large one were done", alone.Seconds(), together.Seconds(),
			together.Seconds()/alone.Seconds(), done)
	}
}
