package dashboard

import (
	"errors"
	"net/http"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/engine/address"
	"github.com/rcpt/rcpt/internal/given"
)

// maxAddress limits the text that is checked: a path has at most 256 octets
// (RFC 5321 §4.5.3.1.3); longer texts up to this limit get a verdict, too.
const maxAddress = 1000

// checkView is the page to try an address.
type checkView struct {
	Address string   // as it was typed
	Outcome *outcome // nil: nothing was checked yet
	Samples []Sample
}

// outcome is a result as it is shown.
type outcome struct {
	rcpt.Result
	Reason   rcpt.Reason
	Named    string // the reason in words
	Given    string // what was typed, if it differs from the address
	Removed  string // from it
	Advice   string
	Tone     string // of the colours: "good", "bad", "warn" or "calm"
	Flags    []trait
	Path     []step
	Dialogue []line
	Began    bool // the session of the dialogue began before this check
	JSON     string
	Curl     string
	Retry    string
	Took     string
}

// trait is a property of the address.
type trait struct {
	Name, Meaning string
	Tone          string // of the colours; empty: none
}

func (d *Dashboard) showCheck(v *visit) error {
	return d.render(v, "check", page{
		Title: "Check", Nav: "/check", Focus: "email", Body: checkView{Samples: d.config.Samples},
	})
}

// check verifies an address. The address comes in the body and never in a path,
// so that it stays out of histories and logs. Script asks for the outcome only.
func (d *Dashboard) check(v *visit) error {
	view := checkView{Address: strings.TrimSpace(v.form("email"))}
	p := page{Title: "Check", Nav: "/check", Focus: "email"}
	cleaned := address.Clean(view.Address)
	switch {
	case view.Address == "":
		p.Faults.add("email", "Type an address to check.")
	case len(view.Address) > maxAddress:
		p.Faults.add("email", "This is longer than any address.")
		view.Address = ""
	case cleaned.Several:
		p.Faults.add("email", "These are several addresses. Check them one by one.")
	case cleaned.Address == "":
		p.Faults.add("email", "The text contains no address.")
	default:
		result, err := d.config.Check(v.r.Context(), cleaned.Address)
		if v.r.Context().Err() != nil {
			return v.r.Context().Err()
		}
		if p.Error, v.status = checkFault(err); err == nil {
			view.Outcome = newOutcome(given.With(result, view.Address), d.base(v.r))
			view.Outcome.Removed = listed(cleaned.Removed)
		}
	}
	if len(p.Faults) > 0 {
		v.status = http.StatusUnprocessableEntity
	}
	p.Body = view
	if v.r.Header.Get("X-Part") == "outcome" {
		v.w.Header().Set("X-Part", "outcome")
		p.Token = v.token()
		return d.send(v, "check", "answer", p)
	}
	return d.render(v, "check", p)
}

// listed writes words as people list them.
func listed(words []string) string {
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " and " + words[last]
	}
	return strings.Join(words, "")
}

// checkFault returns the message and the status if a verification could not be
// carried out.
func checkFault(err error) (string, int) {
	switch {
	case err == nil:
		return "", http.StatusOK
	case errors.Is(err, engine.ErrBusy):
		return "Too many others wait for the same mail host. Try again in a moment.", http.StatusServiceUnavailable
	}
	return "The server could not check the address. Try again in a moment.", http.StatusServiceUnavailable
}

func newOutcome(r rcpt.Result, base string) *outcome {
	if r.Details == nil {
		r.Details = &rcpt.Details{}
	}
	o := &outcome{
		Result: r, Reason: r.Reason, Named: reasonName(r.Reason), Given: r.Details.Given,
		Advice: adviceOn(r), Tone: toneOf(string(r.Verdict)), Flags: flagsOf(r),
		Path: pathOf(r), Dialogue: dialogueOf(r.Details.Transcript), Took: took(r.Details.Duration),
	}
	o.Began = beganBefore(r.Details)
	o.JSON, o.Curl = recordText(r), curlText(base, r.Email)
	if r.RetryAfter() > 0 {
		o.Retry = took(r.RetryAfter())
	}
	return o
}

// toneOf is the colour of a verdict.
func toneOf(verdict string) string {
	switch rcpt.Verdict(verdict) {
	case rcpt.VerdictDeliverable:
		return "good"
	case rcpt.VerdictUndeliverable:
		return "bad"
	case rcpt.VerdictAcceptAll:
		return "warn"
	}
	return "calm"
}

func flagsOf(r rcpt.Result) (flags []trait) {
	for _, f := range []struct {
		set bool
		trait
	}{
		{r.AcceptAll, trait{"Accept-all", "the domain accepts mail for every address", ""}},
		{r.Role, trait{"Role", "for a function, not a person", ""}},
		{r.Free, trait{"Free provider", "the domain offers mailboxes to the public", ""}},
		{r.Disposable, trait{"Disposable", "from a service for disposable addresses", "warn"}},
		{r.SpamTrap, trait{"Spam trap", "exists to catch senders", "bad"}},
		{r.Details.Cached, trait{"Remembered", "answered from an earlier check", ""}},
	} {
		if f.set {
			flags = append(flags, f.trait)
		}
	}
	return flags
}
