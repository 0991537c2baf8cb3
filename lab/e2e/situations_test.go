//go:build e2e && linux

package e2e

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
)

// testSituations puts every question of the tables twice: in a process of its
// own, those of one situation one after the other, and all together in one
// process, which keeps sessions and remembers.
func testSituations(t *testing.T, all situations) {
	for server, list := range all {
		for _, s := range list {
			t.Run(server+"/"+s.slug, func(t *testing.T) {
				t.Parallel()
				for _, q := range s.asked {
					got, err := verify(q.question)
					if err != nil {
						t.Error(err)
						continue
					}
					q.compare(t, got)
				}
			})
		}
	}
	t.Run("in one process", func(t *testing.T) { t.Parallel(); testStream(t, all) })
}

// streamTimeout bounds the verification of all addresses in one process.
const streamTimeout = 5 * time.Minute

// testStream puts the questions that need no flags of their own through "rcpt
// verify -".
func testStream(t *testing.T, all situations) {
	var asked []asked
	var stdin strings.Builder
	for _, list := range all {
		for _, s := range list {
			for _, q := range s.asked {
				if q.question == at(q.address) && !q.once {
					asked = append(asked, q)
					stdin.WriteString(q.address + "\n")
				}
			}
		}
	}
	stdout, err := runRcpt(streamTimeout, stdin.String(), append(question{}.flags(), "-")...)
	if err != nil {
		t.Fatal(err)
	}
	answers := bytes.Split(bytes.TrimSpace(stdout), []byte("\n"))
	if len(answers) != len(asked) {
		t.Fatalf("%d answers to %d questions", len(answers), len(asked))
	}
	for i, answer := range answers {
		var got record
		if err := json.Unmarshal(answer, &got); err != nil {
			t.Fatal(err)
		}
		if asked[i].unproven {
			asked[i].allowed = append(slices.Clip(asked[i].allowed), string(rcpt.ReasonRateLimited))
		}
		asked[i].compare(t, got)
	}
	t.Logf("%d questions in one process", len(asked))
}

// maxConnections is how many connections may be made for one address.
const maxConnections = 6

// compare compares the answer with what is allowed.
func (a asked) compare(t *testing.T, got record) {
	t.Helper()
	details := got.Details
	if !got.Success || !slices.Contains(a.allowed, got.Result) && !slices.Contains(a.allowed, details.Reason) {
		t.Errorf("%s is %s (%s), success %t, want %s\n%s", a.address, got.Result, details.Reason, got.Success,
			strings.Join(a.allowed, " or "), details.Transcript)
	}
	if n := details.Transcript.connections(); n > maxConnections {
		t.Errorf("%s: %d connections\n%s", a.address, n, details.Transcript)
	}
	details.Transcript.checkVerbs(t)
}

// testScriptedCourtesy looks at what the hosts in this process were told.
func testScriptedCourtesy(t *testing.T, w *world) {
	for _, s := range w.situations["scripted"] {
		sessions := w.scripted[s.ip.String()].Sessions()
		if len(sessions) > 2*maxConnections*len(s.asked) { // every question was put twice
			t.Errorf("%s: %d sessions for %d questions", s.slug, len(sessions), len(s.asked))
		}
		for _, session := range sessions {
			if session.DATA {
				t.Errorf("%s was sent DATA:\n%s", s.slug, session.Client)
			}
			if !session.QUIT && s.listens() {
				t.Errorf("%s was left without QUIT:\n%s\n%s", s.slug, session.Server, session.Client)
			}
		}
	}
}

// listens tells whether a host is there to be told QUIT, whatever went before:
// one that hangs, hangs up (after 421, too) or waits for TLS is not.
func (s *situation) listens() bool {
	deaf := []string{"S:", "raw:", "C:", "delay"}
	return !slices.ContainsFunc(s.config, func(line string) bool {
		word, arg, _ := strings.Cut(line, " ")
		step := strings.TrimSpace(line[strings.LastIndexByte(line, ' ')+1:])
		return slices.Contains(deaf, word) || step == "hang" || step == "close" ||
			word == "tls" && arg != "works" || strings.Contains(line, " 421")
	})
}

// TestTables needs no servers: every situation has a name of its own and a
// question, and what is allowed are words that rcpt has.
func TestTables(t *testing.T) {
	all, err := readSituations()
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"deliverable", "undeliverable", "accept-all", "unknown"}
	for _, reason := range []rcpt.Reason{
		rcpt.ReasonDomainNotFound, rcpt.ReasonNoMailHost, rcpt.ReasonNullMX, rcpt.ReasonMXReservedAddress, rcpt.ReasonDNSTemporary, rcpt.ReasonConnectionFailed,
		rcpt.ReasonConnectionTimeout, rcpt.ReasonTLSFailed, rcpt.ReasonMailboxNotFound, rcpt.ReasonMailboxDisabled, rcpt.ReasonMailboxMoved, rcpt.ReasonMailboxFull,
		rcpt.ReasonNotOurDomain, rcpt.ReasonGreylisted, rcpt.ReasonRateLimited, rcpt.ReasonBlocked, rcpt.ReasonTemporaryFailure, rcpt.ReasonAmbiguousRefusal,
		rcpt.ReasonProtocolError, rcpt.ReasonSMTPUTF8Unsupported, rcpt.ReasonRestricted, rcpt.ReasonCatchAll, rcpt.ReasonRecipientAccepted, rcpt.ReasonControlInconclusive,
	} {
		words = append(words, string(reason))
	}
	for server, list := range all {
		seen := map[string]bool{}
		for _, s := range list {
			if seen[s.slug] || len(s.asked) == 0 {
				t.Errorf("%s: %q is there twice or asks nothing", server, s.slug)
			}
			seen[s.slug] = true
			for _, q := range s.asked {
				for _, word := range q.allowed {
					if !slices.Contains(words, word) {
						t.Errorf("%s/%s: %q is no result and no reason", server, s.slug, word)
					}
				}
			}
		}
	}
}
