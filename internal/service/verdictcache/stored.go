package verdictcache

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/rhsbl"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/lists"
)

const (
	// storeWait is how long a request waits for the store: a mail host would
	// answer soon after.
	storeWait = 250 * time.Millisecond
	// storeRest is how long the store is not asked after a failure, so that not
	// every request waits for it.
	storeRest = 5 * time.Second
	// maxReply is the number of octets of a reply's text that are stored: more
	// than people read.
	maxReply = 1 << 10
)

// stored is the memory in the store.
type stored struct {
	store  *store.Store
	log    *slog.Logger
	rests  atomic.Int64 // until this Unix time in nanoseconds
	failed atomic.Int64 // look-ups that failed
}

// storedResult is a result in the form of the store: its record, without what
// reveals the address.
type storedResult struct {
	Fingerprint string      `json:"basis,omitempty"`
	Record      rcpt.Result `json:"record"`
}

// newStoredResult removes from a result everything that reveals the address.
func newStoredResult(m mailbox, r rcpt.Result, fingerprint string) storedResult {
	details := *r.Details
	details.Transcript, details.Canonical = nil, ""
	r.Email, r.Local, r.Domain = "", "", ""
	if domain, ok := strings.CutPrefix(r.Suggestion, m.parts.Local()+"@"); ok {
		r.Suggestion = domain
	} else {
		r.Suggestion = "" // its local-part is another
	}
	details.Matches = withoutMailbox(details.Matches, m.parts.Domain())
	if details.SMTP != nil {
		said := *details.SMTP
		said.Text = newMask(m).hide(strings.ToValidUTF8(said.Text[:min(len(said.Text), maxReply)], ""))
		details.SMTP = &said
	}
	r.Details = &details
	return storedResult{fingerprint, r}
}

// withoutMailbox removes the entries that are not about the domain or its mail
// hosts: local-parts, addresses and digests of them.
func withoutMailbox(found []lists.Match, domain string) []lists.Match {
	var kept []lists.Match
	for _, match := range found {
		entry := match.Entry
		ofDomain := entry == domain || strings.HasSuffix(domain, "."+entry)
		ofHosts := strings.HasPrefix(entry, "mx:") || strings.HasPrefix(entry, "typo:")
		if !ofDomain && !ofHosts && match.List != rhsbl.Kind {
			match.Entry = ""
		}
		kept = append(kept, match)
	}
	return kept
}

// result returns the result for the mailbox; false: a version stored it that
// has another form.
func (s storedResult) result(m mailbox) (r rcpt.Result, ok bool) {
	r = s.Record
	r.Email, r.Local, r.Domain = m.given, m.parts.Local(), m.parts.Domain()
	if r.Suggestion != "" {
		r.Suggestion = m.parts.Local() + "@" + r.Suggestion
	}
	if r.Details == nil || r.Verdict == "" {
		return r, false
	}
	r.Details.Canonical = m.parts.Canonical()
	return r, true
}

func (b *stored) put(m mailbox, r rcpt.Result, fingerprint string, expires time.Time) {
	text, err := json.Marshal(newStoredResult(m, r, fingerprint))
	if err != nil {
		b.log.Error("a verdict cannot be stored", "error", err)
		return
	}
	b.store.PutVerdict(m.text(), store.Verdict{
		Result: text, Reason: string(r.Reason), Checked: r.CheckedAt, Expires: expires,
	})
}

// get returns the stored result of a mailbox with the fingerprint.
func (b *stored) get(ctx context.Context, m mailbox, fingerprint string) (rcpt.Result, time.Time, bool) {
	if time.Now().UnixNano() < b.rests.Load() {
		return rcpt.Result{}, time.Time{}, false
	}
	within, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	verdict, err := b.store.Verdict(within, m.text())
	if err != nil {
		if !errors.Is(err, store.ErrNotFound) && ctx.Err() == nil {
			b.rest(err)
		}
		return rcpt.Result{}, time.Time{}, false
	}
	var s storedResult
	// A later version may store results in another form.
	if json.Unmarshal(verdict.Result, &s) != nil || s.Fingerprint != fingerprint {
		return rcpt.Result{}, time.Time{}, false
	}
	result, ok := s.result(m)
	return result, verdict.Expires, ok
}

// rest pauses look-ups in the store.
func (b *stored) rest(err error) {
	b.failed.Add(1)
	b.rests.Store(time.Now().Add(storeRest).UnixNano())
	b.log.Warn("stored verdicts cannot be read: addresses are asked about anew", "error", err)
}
