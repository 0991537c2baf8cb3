package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/dnsresolve/dnstest"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lists"
	"github.com/rcpt/rcpt/smtpprobe/smtptest"
)

var update = flag.Bool("update", false, "rewrite what the cases in testdata/cases want")

// TestCases plays whole verifications in memory. A case is a txtar archive:
//
//	address       the address to verify
//	dns           the zones of its world
//	faults        what goes wrong in the DNS, a line each: KIND NAME [TYPE]
//	list KIND     a user's list
//	rhsbl         zones of lists of domains, a line each
//	smtp IP       the dialogue of the mail host at IP
//	dead IP       a mail host whose packets are dropped
//	want          the record with its details, but for the transcript
//
// The clock is simulated, so duration_ms is exact. Every client's line is part
// of the dialogue; a line that is not in it fails the case.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { playCase(t, file, archive) })
		})
	}
}

func playCase(t *testing.T, file string, archive *txtar.Archive) {
	world := newWorld(t, archive)
	result := verifyIn(t, world)
	world.checkManners(t)

	got := recordOf(t, result)
	if *update {
		rewrite(t, file, archive, got)
		return
	}
	if diff := cmp.Diff(string(world.want), string(got)); diff != "" {
		t.Errorf("record (-want +got):\n%s\ntranscript:\n%s", diff, transcriptOf(result))
	}
}

// verifyIn verifies the address of a world, and closes the world.
func verifyIn(t *testing.T, world *world) rcpt.Result {
	t.Helper()
	known, err := lists.New(world.lists...)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := engine.New(engine.Config{
		HELO:      "verifier.test",
		Resolvers: []string{"192.0.2.53"},
		AllowNets: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::/32")},
		Exchanger: world.dns,
		Dialer:    world.net,
		Lists:     known,
		RHSBLs:    world.rhsbls,
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := verifier.Verify(context.Background(), world.address)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.Close(); err != nil {
		t.Error(err)
	}
	world.net.Close()
	return result
}

// world is the part of the Internet that a case is about.
type world struct {
	address string
	want    []byte
	dns     *dnstest.Server
	net     *smtptest.Network
	lists   []lists.Addition
	rhsbls  []string
}

func newWorld(t *testing.T, archive *txtar.Archive) *world {
	t.Helper()
	w := &world{net: smtptest.NewNetwork(), dns: dnstest.New("")}
	var faults []string
	for _, section := range archive.Files {
		kind, arg, _ := strings.Cut(section.Name, " ")
		text := string(section.Data)
		switch kind {
		case "address":
			w.address = strings.TrimSuffix(text, "\n")
		case "dns":
			w.dns = dnstest.New(text)
		case "faults":
			faults = strings.Split(strings.TrimSpace(text), "\n")
		case "list":
			w.lists = append(w.lists, lists.Addition{Kind: lists.Kind(arg), Name: "ours", From: strings.NewReader(text)})
		case "rhsbl":
			w.rhsbls = strings.Fields(text)
		case "smtp":
			w.net.Add(arg, smtptest.Script(text))
		case "dead":
			w.net.Blackhole(arg)
		case "want":
			w.want = section.Data
		default:
			t.Fatalf("section %q is unknown", section.Name)
		}
	}
	for _, line := range faults {
		w.dns.Break(parseFault(t, line))
	}
	return w
}

func parseFault(t *testing.T, line string) dnstest.Fault {
	t.Helper()
	kinds := map[string]dnstest.Kind{"servfail": dnstest.ServFail, "refused": dnstest.Refused, "lose": dnstest.Lose}
	fields := strings.Fields(line)
	kind, ok := kinds[fields[0]]
	if !ok || len(fields) < 2 {
		t.Fatalf("fault %q is unknown", line)
	}
	fault := dnstest.Fault{Kind: kind, Name: fields[1]}
	if len(fields) > 2 {
		fault.Type = fields[2]
	}
	return fault
}

var greeted = regexp.MustCompile(`^[2-5][0-9][0-9]`)

// checkManners fails the case for a line outside the dialogue, for DATA, and
// for a session that got a greeting and no QUIT.
func (w *world) checkManners(t *testing.T) {
	t.Helper()
	if err := w.net.Err(); err != nil {
		t.Error(err)
	}
	for _, session := range w.net.Sessions() {
		if session.DATA {
			t.Errorf("%s was sent DATA:\n%s", session.Addr, session.Client)
		}
		if greeted.MatchString(session.Server) && !session.QUIT {
			t.Errorf("%s was not sent QUIT:\n%s", session.Addr, session.Client)
		}
	}
}

// recordOf writes the record without what differs from run to run.
func recordOf(t *testing.T, result rcpt.Result) []byte {
	t.Helper()
	details := *result.Details
	details.Transcript = nil
	if !result.RetryAt.IsZero() {
		result.RetryAt = time.Time{}.Add(result.RetryAt.Sub(result.CheckedAt))
	}
	result.CheckedAt = time.Time{}
	result.Details = &details
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(result); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func transcriptOf(result rcpt.Result) string {
	var out strings.Builder
	for _, line := range result.Details.Transcript {
		fmt.Fprintf(&out, "%6d ms %s %s\n", line.At.Milliseconds(), line.From, line.Text)
	}
	return out.String()
}

func rewrite(t *testing.T, file string, archive *txtar.Archive, want []byte) {
	t.Helper()
	for i := range archive.Files {
		if archive.Files[i].Name == "want" {
			archive.Files = append(archive.Files[:i], archive.Files[i+1:]...)
			break
		}
	}
	archive.Files = append(archive.Files, txtar.File{Name: "want", Data: want})
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
