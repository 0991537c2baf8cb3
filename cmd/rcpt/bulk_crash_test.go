//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/internal/testkit"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

// postOffice is a set of mail hosts that record which run asked about which
// mailbox: each run has its own EHLO name.
type postOffice struct {
	settings []string    // the environment that leads the command to it
	open     atomic.Bool // mailboxes that begin with "shut" are there
	list     *crashList  // no other mailboxes are there, whatever a random one is called

	mu    sync.Mutex
	asked map[string]map[string]int // by EHLO name and address
	seen  map[string]bool           // addresses
}

// openPost starts mail hosts, each with a domain, for a list of so many rows.
// They have the mailboxes that begin with "box", and from the second attempt on
// those that begin with "grey".
func openPost(t *testing.T, hosts, rows int) *postOffice {
	t.Helper()
	post := &postOffice{asked: make(map[string]map[string]int), seen: make(map[string]bool)}
	var zone strings.Builder
	var domains []string
	for i := range hosts {
		domains = append(domains, fmt.Sprintf("d%d.example", i))
	}
	post.list = newCrashList(rows, domains)
	port := "0"
	for i, domain := range domains {
		ip := fmt.Sprintf("127.0.8.%d", i+1)
		host := &smtptest.Host{Name: fmt.Sprintf("mx.d%d.example", i), RCPTFunc: post.reply(boxes()), ReplyDelay: 4 * time.Millisecond}
		server, err := smtptest.StartAt(net.JoinHostPort(ip, port), smtptest.HandlerFunc(func(conn net.Conn) {
			host.ServeSMTP(&notedConn{Conn: conn, note: post.note})
		}))
		check(t, err)
		t.Cleanup(server.Close)
		_, port, err = net.SplitHostPort(server.Addr)
		check(t, err)
		fmt.Fprintf(&zone, "%s. MX 10 mx.%s.\nmx.%s. A %s\n", domain, domain, domain, ip)
	}
	names := dnstest.New(zone.String())
	resolver, err := names.Start()
	check(t, err)
	t.Cleanup(names.Close)
	post.settings = []string{"RCPT_RESOLVER=" + resolver, "RCPT_SMTP_PORT=" + port, "RCPT_ALLOW_NET=127.0.0.0/8", "RCPT_DATA=" + t.TempDir()}
	return post
}

// reply is the reply of a host, except for mailboxes that are shut.
func (p *postOffice) reply(host func(v *smtptest.Visit, rcpt string) string) func(v *smtptest.Visit, rcpt string) string {
	return func(v *smtptest.Visit, rcpt string) string {
		switch {
		case !p.list.has[rcpt]:
			return ""
		case !strings.HasPrefix(rcpt, "shut"):
			return host(v, rcpt)
		case p.open.Load():
			return "250 2.1.5 Ok"
		}
		return "451 4.7.1 Greylisted, please try again in 300 seconds"
	}
}

func (p *postOffice) note(run, address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked[run] == nil {
		p.asked[run] = make(map[string]int)
	}
	p.asked[run][address]++
	p.seen[address] = true
}

// count returns how many mailboxes with one of the prefixes were asked about.
func (p *postOffice) count(prefixes ...string) (count int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for address := range p.seen {
		for _, prefix := range prefixes {
			if strings.HasPrefix(address, prefix) {
				count++
			}
		}
	}
	return count
}

// askedBy returns how often a run asked about an address.
func (p *postOffice) askedBy(run, address string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[run][address]
}

// askedByAll reports whether a run asked about all addresses but the settled
// ones, which are keyed by their row. What killed runs asked about does not
// count: the run that goes on asks again, and if it is interrupted before, the
// row is left.
func (p *postOffice) askedByAll(run string, addresses []string, settled map[int]int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for row, address := range addresses {
		if _, done := settled[row]; !done && p.asked[run][address] == 0 {
			return false
		}
	}
	return true
}

// notedConn records the commands of a client.
type notedConn struct {
	net.Conn
	note func(run, address string)
	line []byte
	run  string
}

var rcptCommand = regexp.MustCompile(`(?i)^RCPT TO:<([^>]*)>`)

func (c *notedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	for _, octet := range p[:n] {
		if c.line = append(c.line, octet); octet != '\n' {
			continue
		}
		line := strings.TrimSpace(string(c.line))
		c.line = c.line[:0]
		if name, found := strings.CutPrefix(line, "EHLO "); found {
			c.run = name
		} else if match := rcptCommand.FindStringSubmatch(line); match != nil {
			c.note(c.run, match[1])
		}
	}
	return n, err
}

// crashList is a list with cells of every kind and their expected results. One
// in a hundred of its addresses is greylisted, some of them for long.
type crashList struct {
	rows      []string // as they stand in the file, without their line ends
	addresses []string
	want      []string // results
	has       map[string]bool
}

func newCrashList(rows int, domains []string) *crashList {
	l := &crashList{has: make(map[string]bool, rows)}
	for i := range rows {
		name, want := "box", "deliverable"
		switch {
		case i == 3, i%500 == 250: // the first is near the top
			name = "shut"
		case i%100 == 7:
			name = "grey"
		case i%17 == 0:
			name, want = "ghost", "undeliverable"
		}
		address := fmt.Sprintf("%s%d@%s", name, i, domains[i%len(domains)])
		row := fmt.Sprintf(`%d;"Ünï, ""%d""";%s; blank ;`, i, i, address)
		if i%1000 == 999 {
			row = fmt.Sprintf("%d;\"two\nlines\";\"%s\";;x", i, address)
		}
		l.has[address] = true
		l.rows, l.addresses, l.want = append(l.rows, row), append(l.addresses, address), append(l.want, want)
	}
	return l
}

const crashHeader = "id;name;email;note;last"

func (l *crashList) write(t *testing.T, name string) {
	t.Helper()
	check(t, os.WriteFile(name, []byte(crashHeader+"\r\n"+strings.Join(l.rows, "\r\n")+"\r\n"), 0o600))
}

// compare checks that an output has the rows of the list, from the first on,
// octet for octet, with the expected results.
func (l *crashList) compare(t *testing.T, name string, rows int, acceptGrey ...string) {
	t.Helper()
	text, err := os.ReadFile(name)
	check(t, err)
	rest, found := strings.CutPrefix(string(text), crashHeader+";rcpt_result;")
	if !found {
		t.Fatalf("%s has another header: %.200q", name, text)
	}
	_, rest, _ = strings.Cut(rest, "\r\n")
	for i := 0; i < len(l.rows) && (rest != "" || i < rows); i++ {
		behind, found := strings.CutPrefix(rest, l.rows[i]+";")
		if !found {
			t.Fatalf("%s: row %d is not %q octet for octet: %.200q", name, i+1, l.rows[i], rest)
		}
		added, after, whole := strings.Cut(behind, "\r\n")
		result, _, _ := strings.Cut(added, ";")
		if !whole || result != l.want[i] && !((strings.HasPrefix(l.addresses[i], "grey") || strings.HasPrefix(l.addresses[i], "shut")) && strings.Contains(strings.Join(acceptGrey, " "), result)) {
			t.Fatalf("%s: row %d has the result %q, want %s", name, i+1, added, l.want[i])
		}
		rest = after
	}
	if rest != "" {
		t.Fatalf("%s has more rows than the list: %.200q", name, rest)
	}
}

// settledIn reads a journal in the form that [bulk.Journal] describes, and
// returns the numbers of the rows in it.
func settledIn(t *testing.T, name string) map[int]bool {
	t.Helper()
	octets, err := os.ReadFile(name)
	check(t, err)
	octets, found := bytes.CutPrefix(octets, []byte("rcpt journal 3\n"))
	if !found {
		t.Fatalf("no journal: %.50q", octets)
	}
	settled := make(map[int]bool)
	for first := true; len(octets) > 8; first = false {
		size := int(binary.BigEndian.Uint32(octets))
		if size == 0 || 8+size > len(octets) {
			break
		}
		if number, _ := binary.Uvarint(octets[8:]); !first {
			settled[int(number)] = true
		}
		octets = octets[8+size:]
	}
	return settled
}

// TestBulkKilled kills a run with signal 9 several times, interrupts it once,
// and resumes it each time: no settled row is lost or asked about again, and
// every cell is unchanged.
func TestBulkKilled(t *testing.T) {
	t.Parallel()
	rows, kills, hosts := 3000, 3, 5
	if os.Getenv("TEST_CRASH") != "" { // make crash
		rows, kills, hosts = 100_000, 10, 40
	}
	post := openPost(t, hosts, rows)
	folder := t.TempDir()
	list, input, output := post.list, filepath.Join(folder, "list.csv"), filepath.Join(folder, "checked.csv")
	list.write(t, input)
	journal := output + ".rcpt-journal"

	settled := map[int]int{} // rows, and the last run that may have asked about them
	run := 0
	begin := func(more ...string) *process {
		run++
		args := append([]string{"bulk", input, "-o", output, "--no-progress", "--helo", fmt.Sprintf("run%d.example", run)}, more...)
		if run > 1 {
			args = append(args, "--resume")
		}
		return start(t, post.settings, args...)
	}
	keep := func() {
		now := settledIn(t, journal)
		for number := range settled {
			if !now[number] {
				t.Fatalf("run %d: row %d was settled and is lost", run, number+1)
			}
		}
		for number := range now {
			if _, known := settled[number]; !known {
				settled[number] = run
			}
		}
	}
	for kill := range kills {
		p := begin()
		goal := rows * (kill + 1) / (kills + 1)
		testkit.Eventually(t, "mail hosts are asked", func() bool { return post.count("box", "ghost") >= goal })
		check(t, p.command.Process.Kill())
		_ = p.command.Wait()
		if code := p.command.ProcessState.ExitCode(); code != -1 {
			t.Fatalf("run %d had ended with %d", run, code)
		}
		keep()
		list.compare(t, output, 0)
		t.Logf("kill %d: %d rows asked about, %d settled, %d in the output", kill+1, post.count(""), len(settled), rowsIn(t, output))
	}

	if held := rowsIn(t, output); len(settled) <= held {
		t.Errorf("%d rows are settled and %d in the output: the greylisted rows have held nothing back", len(settled), held)
	}

	p := begin()
	testkit.Eventually(t, "this run has asked about every mailbox that is not settled", func() bool {
		return post.askedByAll(fmt.Sprintf("run%d.example", run), list.addresses, settled)
	})
	code, _, stderr := p.end(os.Interrupt)
	keep()
	left := regexp.MustCompile(`rcpt: interrupted; (\d+) rows? (?:is|are) left; to continue: rcpt bulk .*list\.csv -o .*checked\.csv .* --resume\n$`)
	if match := left.FindStringSubmatch(stderr); code != exitFailed || match == nil || match[1] != fmt.Sprint(rows-len(settled)) {
		t.Fatalf("exit code %d, %d rows are left, standard error:\n%s", code, rows-len(settled), stderr)
	}
	list.compare(t, output, rows, "unknown")
	t.Logf("interrupted: %d settled, %s left", len(settled), left.FindStringSubmatch(stderr)[1])
	post.open.Store(true)

	check(t, os.Remove(output))
	code, _, stderr = begin().wait()
	if code != exitDone || !strings.Contains(stderr, "settled by the run before: ") {
		t.Fatalf("exit code %d, standard error:\n%s", code, stderr)
	}
	list.compare(t, output, rows)
	if _, err := os.Stat(journal); !os.IsNotExist(err) {
		t.Errorf("the journal is there still: %v", err)
	}
	again, asked := 0, 0
	for number, last := range settled {
		for later := last + 1; later <= run; later++ {
			if post.askedBy(fmt.Sprintf("run%d.example", later), list.addresses[number]) > 0 {
				again++
				t.Errorf("row %d (%s) was settled by run %d and asked about by run %d", number+1, list.addresses[number], last, later)
			}
		}
	}
	for run, addresses := range post.asked {
		for _, count := range addresses {
			asked += count
		}
		t.Logf("%s asked about %d mailboxes", run, len(addresses))
	}
	t.Logf("%d rows, %d kills: %d RCPTs in all; asked about again after they were settled: %d", rows, kills, asked, again)
}

// rowsIn counts the rows of an output.
func rowsIn(t *testing.T, name string) (rows int) {
	t.Helper()
	file, err := os.Open(name)
	check(t, err)
	defer file.Close()
	reader := csv.NewReader(bufio.NewReader(file))
	reader.Comma, reader.FieldsPerRecord = ';', -1
	for {
		if _, err := reader.Read(); err != nil {
			if err != io.EOF {
				t.Fatal(err)
			}
			return rows - 1
		}
		rows++
	}
}
