package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt/internal/alert"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/smtpprobe"
)

// alertFlags name whom a server tells about problems.
type alertFlags struct {
	AlertWebhook webhookURL `secret:"" placeholder:"URL" help:"Post problems, and that they are over, to this URL as JSON."`
	AlertMail    []string   `placeholder:"ADDR" help:"Send them to this e-mail address; repeatable. Needs --alert-relay."`
	AlertRelay   relayURL   `secret:"" placeholder:"URL" help:"Mail relay for --alert-mail: smtp://[USER:PASSWORD@]HOST[:PORT], or smtps://."`
	AlertFrom    string     `placeholder:"ADDR" help:"Sender of these e-mails. Default: the first recipient."`
}

// The URLs are parsed after the flags, because errors about flags show the
// value, which may contain a secret.
type (
	webhookURL string
	relayURL   string
)

// senders returns those of the flags.
func (f alertFlags) senders() ([]alert.Sender, error) {
	var all []alert.Sender
	if f.AlertWebhook != "" {
		hook, err := alert.NewWebhook(string(f.AlertWebhook))
		if err != nil {
			return nil, usage(fmt.Errorf("--alert-webhook: %w", err))
		}
		all = append(all, hook)
	}
	switch {
	case len(f.AlertMail) == 0 && f.AlertRelay != "":
		return nil, usage(errors.New("--alert-relay: name a recipient with --alert-mail"))
	case len(f.AlertMail) > 0 && f.AlertRelay == "":
		return nil, usage(errors.New("--alert-mail: name a mail relay with --alert-relay"))
	case len(f.AlertMail) > 0:
		mail, err := alert.NewMail(string(f.AlertRelay), cmp.Or(f.AlertFrom, f.AlertMail[0]), f.AlertMail)
		if err != nil {
			return nil, usage(fmt.Errorf("--alert-mail, --alert-from or --alert-relay: %w", err))
		}
		all = append(all, mail)
	}
	return all, nil
}

// alertEvery is how often problems are looked for, besides the moments at which
// the state of the network changes.
const alertEvery = time.Minute

// alertSoon has problems looked for now.
func (r *running) alertSoon() {
	select {
	case r.changed <- struct{}{}:
	default: // that is about to happen
	}
}

// alert tells the operator about problems, until ctx ends.
func (r *running) alert(ctx context.Context) {
	if len(r.alerts) == 0 {
		return
	}
	name, _ := os.Hostname()
	notifier := alert.New(alert.Config{Senders: r.alerts, Server: name, Log: r.logger})
	var work sync.WaitGroup
	work.Go(func() { notifier.Run(ctx) })
	defer work.Wait()
	again := time.NewTicker(alertEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		case <-r.changed:
		}
		blocks, _, _ := r.watcher.seen()
		notifier.Report(alert.ProviderBlocks, blockProblems(r.verifier.Stats().SMTP.Paused, blocks))
		notifier.Report(alert.NetworkFails, r.networkProblems())
		notifier.Report(alert.DoctorFault, r.doctorProblems())
		if problems, err := r.quotaProblems(ctx); err == nil { // the store has alerts of its own in the log
			notifier.Report(alert.QuotaNearlyUp, problems)
		}
	}
}

// blockProblems are the providers that are paused because they block us.
func blockProblems(paused []smtpprobe.Paused, blocks []blockSeen) (all []alert.Problem) {
	remedies := map[string]string{}
	for _, b := range blocks {
		if b.do != "" {
			remedies[b.provider] = b.cause + " " + b.do
		}
	}
	for _, s := range paused {
		if s.Until.IsZero() {
			continue // it is asked more slowly
		}
		subject := s.Provider
		if s.Egress != "" {
			subject += " from " + s.Egress
		}
		all = append(all, alert.Problem{
			Subject: subject,
			Text: fmt.Sprintf("%s refuses us, so its mail hosts are not asked until %s.",
				subject, s.Until.UTC().Format("15:04 UTC")),
			Do: cmp.Or(remedies[s.Provider], "Run rcpt doctor, and verify less for a while."),
		})
	}
	return all
}

// networkProblems is the fault of the network, if the check fails.
func (r *running) networkProblems() []alert.Problem {
	status := r.verifier.Network()
	subject, text, do := "resolver", status.Resolver.Fault, doctor.ResolverAdvice
	if text == "" {
		subject, text, do = "port", status.Port.Fault, doctor.PortAdvice
	}
	if text == "" {
		return nil
	}
	return []alert.Problem{{Subject: subject, Text: "The network does not work: " + text + ".", Do: do + "."}}
}

// doctorProblems are the faults of the last examination, without those that the
// check of the network finds, too.
func (r *running) doctorProblems() (all []alert.Problem) {
	report, isFailed := r.report.Load(), networkError(r.verifier.Network()) != nil
	if report == nil {
		return nil
	}
	for _, c := range report.Checks {
		switch {
		case c.State != doctor.StateFault, c.Name == doctor.NameResolverHonest && isFailed,
			c.Name == doctor.NamePort && isFailed:
			continue
		}
		subject := strings.TrimSpace(strings.Join([]string{c.Heading(), c.Subject, c.Egress}, " "))
		all = append(all, alert.Problem{Subject: subject, Text: subject + ": " + c.Found + ".", Do: c.Do})
	}
	return all
}

// nearlyUp is the share of a quota, in percent, at which an alert is sent.
const nearlyUp = 80

// quotaProblems are the keys of which 80 % of the quota are used.
func (r *running) quotaProblems(ctx context.Context) (all []alert.Problem, err error) {
	if r.state.store == nil {
		return nil, nil
	}
	now := time.Now()
	for _, key := range r.state.keys.List() {
		if key.MonthlyQuota <= 0 || !key.Usable(now) {
			continue
		}
		used, err := r.state.store.QuotaUsed(ctx, key.ID, now)
		if err != nil {
			return nil, err
		}
		if used*100 < key.MonthlyQuota*nearlyUp {
			continue
		}
		all = append(all, alert.Problem{
			Subject: fmt.Sprintf("key %s (%s)", key.Name, key.ID),
			Text: fmt.Sprintf("%d %% of the monthly quota of the key %s are used: at least %d of %d.",
				nearlyUp, key.Name, key.MonthlyQuota*nearlyUp/100, key.MonthlyQuota),
			Do: "Raise the quota on the page Keys, or with rcpt keys edit.",
		})
	}
	return all, nil
}
