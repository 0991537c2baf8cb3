package demo_test

import (
	"context"
	"encoding/csv"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/demo"
	"github.com/rcpt/rcpt/lists"
)

// listen opens the sockets; some systems have no loopback addresses for them.
func listen(t *testing.T) *demo.Sockets {
	t.Helper()
	sockets, err := demo.Listen()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(sockets.Close)
	return sockets
}

// TestSockets: an engine configured by flags only gives the verdicts and
// reasons of the table.
func TestSockets(t *testing.T) {
	sockets := listen(t)
	port, err := strconv.ParseUint(sockets.SMTPPort, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	var additions []lists.Addition
	for kind, entries := range demo.Lists() {
		additions = append(additions, lists.Addition{Kind: kind, Name: "demo", From: strings.NewReader(entries)})
	}
	known, err := lists.New(additions...)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := engine.New(engine.Config{
		Resolvers: []string{sockets.Resolver}, SMTPPort: uint16(port), AllowNets: []netip.Prefix{sockets.Network}, Lists: known, HELO: "demo.example",
		Timeout: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer verifier.Close()
	results := make(chan func(), len(demo.Cases()))
	for _, c := range demo.Cases() {
		go func() {
			result, err := verifier.Verify(context.Background(), c.Address)
			results <- func() {
				if err != nil || result.Verdict != c.Verdict || result.Reason != c.Reason {
					t.Errorf("%s: got %s, %+v, %v; want %s, %s", c.Address, result.Verdict, result.Details, err, c.Verdict, c.Reason)
				}
			}
		}()
	}
	for range demo.Cases() {
		(<-results)()
	}
}

// TestSample: the list has some hundred rows with the cells of its header, and
// all kinds of addresses.
func TestSample(t *testing.T) {
	rows, err := csv.NewReader(strings.NewReader(string(demo.Sample()))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 150 || len(rows) > 400 {
		t.Errorf("%d rows", len(rows))
	}
	cells := map[string]bool{}
	for _, row := range rows {
		cells[row[2]] = true
	}
	for _, want := range []string{"", "N/A", " hugo.adler@harbor.example ", "David Adler <david.adler@anything.example>", "trap@acme.example"} {
		if !cells[want] {
			t.Errorf("no cell is %q", want)
		}
	}
}
