package jobs

import (
	"encoding/binary"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine/address"
)

// outcome is what is stored of a result: what the output shows, without the
// address. Its verdict and reason stay in the words in which they were stored,
// as those of the job's counters do, from which they are subtracted.
type outcome struct {
	flags      byte
	retryAfter time.Duration
	verdict    rcpt.Verdict
	reason     rcpt.Reason
	catchAll   rcpt.CatchAllState
	message    string
	suggestion string
	found      int64 // when, in seconds since 1970, if it was before the job; else 0
}

// The flags of an outcome.
const (
	flagSuccess = 1 << iota
	flagAcceptAll
	flagRole
	flagFree
	flagDisposable
	flagSpamTrap
	flagFound // the time is written
)

func outcomeOf(r rcpt.Result) outcome {
	o := outcome{
		verdict: r.Verdict, reason: r.Reason, message: r.Message, retryAfter: r.RetryAfter(), suggestion: r.Suggestion,
		catchAll: r.CatchAll(),
	}
	for _, f := range []struct {
		set  bool
		flag byte
	}{
		{!r.Reason.Failed(), flagSuccess}, {r.AcceptAll, flagAcceptAll}, {r.Role, flagRole},
		{r.Free, flagFree}, {r.Disposable, flagDisposable},
		{r.SpamTrap, flagSpamTrap},
	} {
		if f.set {
			o.flags |= f.flag
		}
	}
	return o
}

// result is the outcome as the result of an address.
func (o outcome) result(email string) rcpt.Result {
	has := func(flag byte) bool { return o.flags&flag != 0 }
	r := rcpt.Result{
		Email: email, AcceptAll: has(flagAcceptAll), Role: has(flagRole),
		Free: has(flagFree), Disposable: has(flagDisposable),
		SpamTrap: has(flagSpamTrap), Message: o.message,
		Suggestion: o.suggestion, Details: &rcpt.Details{CatchAll: o.catchAll},
	}
	r.Verdict, r.Reason = rcpt.ReadWords(string(o.verdict), string(o.reason))
	if o.found != 0 {
		r.CheckedAt = time.Unix(o.found, 0).UTC()
	}
	if o.retryAfter > 0 {
		r.RetryAt = r.CheckedAt.Add(o.retryAfter)
	}
	if parsed, err := address.Read(email); err == nil {
		r.Local, r.Domain = parsed.Local(), parsed.Domain()
	}
	return r
}

func (o outcome) append(to []byte) []byte {
	to = binary.AppendUvarint(append(to, o.flags), uint64(o.retryAfter/time.Second))
	for _, text := range []string{string(o.verdict), string(o.reason), string(o.catchAll), o.message, o.suggestion} {
		to = appendText(to, text)
	}
	if o.flags&flagFound != 0 {
		to = binary.AppendUvarint(to, uint64(o.found))
	}
	return to
}

// words are texts that occur again and again, once each.
type words map[string]string

// of returns the text of some octets.
func (w words) of(octets []byte) string {
	if known, found := w[string(octets)]; found {
		return known
	}
	if len(w) >= maxWords {
		return string(octets)
	}
	text := string(octets)
	w[text] = text
	return text
}

// maxWords is more than there are reasons with their messages.
const maxWords = 1000

func (f *fields) outcome(w words) outcome {
	o := outcome{flags: f.octet(), retryAfter: time.Duration(f.number()) * time.Second}
	o.verdict, o.reason = rcpt.Verdict(w.of(f.octets())), rcpt.Reason(w.of(f.octets()))
	o.catchAll, o.message, o.suggestion = rcpt.CatchAllState(w.of(f.octets())), w.of(f.octets()), f.text()
	if o.flags&flagFound != 0 {
		o.found = int64(f.number())
	}
	return o
}
