package smtpprobe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt/smtpprobe/internal/schedule"
	"github.com/rcpt/rcpt/smtpprobe/internal/wire"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// result is the outcome of a job.
type result struct {
	job     *job
	session *Session // nil: there was none
	offline bool     // dialling failed before a packet left this machine
	err     error    // why we could not work
}

// failure is what ended the session of the job; nil: nothing did.
func (r result) failure() *smtp.Failure {
	if r.session == nil {
		return nil
	}
	return r.session.Failure
}

// cancelled reports whether the session ended because its callers were gone.
func (r result) cancelled() bool { return r.is(smtp.KindCancelled) }

// limited reports whether the job waited until its time was over.
func (r result) limited() bool { return r.is(smtp.KindLimited) }

func (r result) is(kind smtp.Kind) bool {
	f := r.failure()
	return f != nil && f.Kind == kind
}

// notTried is the session of a job that no connection was made for.
func notTried(j *job, f *smtp.Failure) *Session {
	return &Session{
		Host: hostName(j.route.host), Addr: j.route.addr, Failure: f,
		Transcript: []smtp.Line{{From: smtp.FromProber, Text: f.Error()}},
	}
}

// tooLate is the session of a job for which there was no time at all.
func tooLate(j *job) *Session {
	s := notTried(j, &smtp.Failure{Phase: smtp.PhaseConnect, Kind: smtp.KindTimeout, Text: wire.NoAnswer})
	s.Transcript = nil
	return s
}

func notInTime(j *job, wait time.Duration, text string) *Session {
	wait = wait.Round(time.Second)
	return notTried(j, &smtp.Failure{
		Phase: smtp.PhaseConnect, Kind: smtp.KindLimited, RetryAfter: wait, Text: fmt.Sprintf("not asked: "+text, wait),
	})
}

// lateTurn is the failure of a job whose time went by while others had theirs.
func lateTurn(phase smtp.Phase) *smtp.Failure {
	return &smtp.Failure{Phase: phase, Kind: smtp.KindLimited, Text: wire.NoAnswer, RetryAfter: schedule.LeastWait}
}

// namedBefore says that others were asked about in the same session.
func namedBefore(others int) string {
	switch others {
	case 0:
		return ""
	case 1:
		return "1 other recipient has been named in this session"
	}
	return strconv.Itoa(others) + " other recipients have been named in this session"
}

// tlsUnusable reports whether the host offered STARTTLS and TLS did not come
// about: if it then insists on TLS, it could not be reached.
func (s *Session) tlsUnusable() bool {
	return s.TLS == "" && s.offers("STARTTLS")
}

// offers reports whether the host offers an extension.
func (s *Session) offers(keyword string) bool { return slices.Contains(s.Extensions, keyword) }

// hostName is the name of a mail host as findings have it.
func hostName(name string) string { return smtp.Truncate(smtp.Clean(name), maxDomain) }

// domainOf returns the domain of a mailbox. A quoted local-part may have an
// "@", too.
func domainOf(mailbox string) string {
	return strings.ToLower(mailbox[strings.LastIndexByte(mailbox, '@')+1:])
}
