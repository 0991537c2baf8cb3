package dashboardtest

import (
	"context"
	"errors"
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

// Checked answers by the local-part, as a mail world would.
func Checked(_ context.Context, address string) (rcpt.Result, error) {
	user, domain, _ := strings.Cut(address, "@")
	host := "mx1." + domain
	details := &rcpt.Details{
		CatchAll: rcpt.CatchAllNo, Duration: 412 * time.Millisecond,
		MX: []rcpt.MX{{Host: host, Preference: 10}, {Host: "mx2." + domain, Preference: 20}},
		SMTP: &rcpt.SMTPAnswer{
			Host:     host,
			IP:       "192.0.2.25",
			Phase:    smtp.PhaseRCPT,
			Code:     250,
			Enhanced: "2.1.5",
			Text:     "Ok",
		},
	}
	result := rcpt.Result{
		Email:     address,
		Local:     user,
		Domain:    domain,
		Verdict:   rcpt.VerdictDeliverable,
		Reason:    rcpt.ReasonRecipientAccepted,
		Message:   "The mail host takes mail for this mailbox and refuses unknown ones.",
		CheckedAt: Morning,
		Details:   details,
	}
	reply := "250 2.1.5 Ok"
	switch user {
	case "nobody":
		result.Verdict, result.Reason = rcpt.VerdictUndeliverable, rcpt.ReasonMailboxNotFound
		result.Message = "The mail host says that the mailbox does not exist."
		reply = "550 5.1.1 <" + address + ">: Recipient address rejected: User unknown in local recipient table"
		details.SMTP.Code, details.SMTP.Enhanced, details.SMTP.Rule = 550, "5.1.1", "no-such-user"
		details.SMTP.Text = strings.TrimPrefix(reply, "550 5.1.1 ")
	case "late":
		result.Verdict, result.Reason = rcpt.VerdictUnknown, rcpt.ReasonGreylisted
		result.RetryAt = Morning.Add(details.Duration + 5*time.Minute)
		result.Message = "The mail host asks every new sender to come back later (greylisting); try again."
		reply = "450 4.2.0 <" + address + ">: Recipient address rejected: Greylisted"
		details.CatchAll = rcpt.CatchAllUnknown
		details.SMTP.Code, details.SMTP.Enhanced, details.SMTP.Rule = 450, "4.2.0", "greylisted"
		details.SMTP.Text = strings.TrimPrefix(reply, "450 4.2.0 ")
	case "broken":
		return result, errors.New("the fault of this test")
	case "busy":
		return result, engine.ErrBusy
	}
	details.Transcript = []smtp.Line{
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
	return result, nil
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
