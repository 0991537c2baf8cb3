package dashboardtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// replies are what the mail world says about mailboxes, by their local-part;
// "": about all others.
var replies = map[string]struct {
	reason   rcpt.Reason
	code     int
	enhanced string
	text     string // %s stands for the address
	rule     string
}{
	"": {rcpt.ReasonRecipientAccepted, 250, "2.1.5", "Ok", ""},
	"nobody": {
		rcpt.ReasonMailboxNotFound, 550, "5.1.1",
		"<%s>: Recipient address rejected: User unknown in local recipient table", "no-such-user",
	},
	"late": {rcpt.ReasonGreylisted, 450, "4.2.0", "<%s>: Recipient address rejected: Greylisted", "greylisted"},
}

// Checked answers by the local-part, as a mail world would.
func Checked(_ context.Context, address string) (rcpt.Result, error) {
	local, domain, _ := strings.Cut(address, "@")
	said, ok := replies[local]
	if !ok {
		said = replies[""]
	}
	host, text := "mx1."+domain, strings.ReplaceAll(said.text, "%s", address)
	details := &rcpt.Details{
		CatchAll: rcpt.CatchAllNo, Duration: 412 * time.Millisecond,
		MX: []rcpt.MX{{Host: host, Preference: 10}, {Host: "mx2." + domain, Preference: 20}},
		SMTP: &rcpt.SMTPAnswer{
			Host: host, IP: "192.0.2.25", Phase: smtp.PhaseRCPT,
			Code: said.code, Enhanced: said.enhanced, Text: text, Rule: said.rule,
		},
	}
	result := rcpt.Result{
		Email: address, Local: local, Domain: domain, CheckedAt: Morning, Details: details,
		Verdict: said.reason.Verdict(), Reason: said.reason, Message: said.reason.Message(),
	}
	switch local {
	case "late":
		result.RetryAt = Morning.Add(details.Duration + said.reason.RetryAfter())
		details.CatchAll = rcpt.CatchAllUnknown
	case "broken":
		return result, errors.New("the fault of this test")
	case "busy":
		return result, engine.ErrBusy
	}
	details.Transcript = session(host, domain, address, fmt.Sprintf("%d %s %s", said.code, said.enhanced, text))
	return result, nil
}

// session is one with a mail host that gives this reply to RCPT.
func session(host, domain, address, reply string) []smtp.Line {
	return []smtp.Line{
		{From: "*", Text: "connected to 192.0.2.25, port 25", At: 0},
		{From: "S", Text: "220 " + host + " ESMTP", At: 98 * time.Millisecond},
		{From: "C", Text: "EHLO verify.acme.example", At: 98 * time.Millisecond},
		{From: "S", Text: "250-" + host, At: 197 * time.Millisecond},
		{From: "S", Text: "250-PIPELINING", At: 197 * time.Millisecond},
		{From: "S", Text: "250-STARTTLS", At: 197 * time.Millisecond},
		{From: "S", Text: "250 ENHANCEDSTATUSCODES", At: 197 * time.Millisecond},
		{From: "C", Text: "MAIL FROM:<>", At: 198 * time.Millisecond},
		{From: "C", Text: "RCPT TO:<" + address + ">", At: 198 * time.Millisecond},
		{From: "C", Text: "RCPT TO:<q7hx2mzk4d@" + domain + ">", At: 198 * time.Millisecond},
		{From: "S", Text: "250 2.1.0 Ok", At: 301 * time.Millisecond},
		{From: "S", Text: reply, At: 302 * time.Millisecond},
		{
			From: "S",
			Text: "550 5.1.1 <q7hx2mzk4d@" + domain + ">: Recipient address rejected: User unknown",
			At:   302 * time.Millisecond,
		},
		{From: "C", Text: "RSET", At: 303 * time.Millisecond},
		{From: "S", Text: "250 2.0.0 Ok", At: 401 * time.Millisecond},
	}
}

// mailWorld verifies the addresses of lists as [Checked] does. Those that begin
// with "slow" wait until it is released.
type mailWorld struct{ release chan struct{} }

func (m mailWorld) Verify(ctx context.Context, email string) (rcpt.Result, error) {
	if strings.HasPrefix(email, "slow") {
		select {
		case <-m.release:
		case <-ctx.Done():
			return rcpt.Result{}, ctx.Err()
		}
	}
	result, err := Checked(ctx, email)
	if strings.HasPrefix(email, "any") {
		result.Verdict, result.AcceptAll, result.Reason = rcpt.VerdictAcceptAll, true, rcpt.ReasonCatchAll
	}
	return result, err
}

func (m mailWorld) VerifyGroup(
	ctx context.Context, emails []string, _ engine.GroupOptions, done func(i int, result rcpt.Result, err error),
) {
	var all sync.WaitGroup
	for i, email := range emails {
		all.Go(func() {
			result, err := m.Verify(ctx, email)
			done(i, result, err)
		})
	}
	all.Wait()
}

// NewLists starts what works on lists.
func NewLists(t *testing.T, s *store.Store, limits jobs.Limits) (lists *jobs.Manager, release func()) {
	t.Helper()
	return NewListsIn(t, s, limits, nil)
}

// NewListsIn does so on a network of which fault says what does not work.
func NewListsIn(
	t *testing.T, s *store.Store, limits jobs.Limits, fault func() headway.Fault,
) (lists *jobs.Manager, release func()) {
	t.Helper()
	world := mailWorld{make(chan struct{})}
	lists, err := jobs.New(
		jobs.Config{Store: s, Verifier: world, RetryWindow: -1, TempDir: t.TempDir(), Limits: limits, Network: fault},
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := lists.Join(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		lists.Run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return lists, sync.OnceFunc(func() { close(world.release) })
}
