package service

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/internal/service/alert"
	"github.com/rcpt/rcpt/smtpprobe"
)

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
	if len(r.Alerts) == 0 {
		return
	}
	name, _ := os.Hostname()
	notifier := alert.New(alert.Config{Senders: r.Alerts, Server: name, Log: r.logger})
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
		report := r.report.Load()
		notifier.Report(alert.NetworkFails, networkProblems(r.verifier.Network(), report))
		notifier.Report(alert.DoctorFault, doctorProblems(report))
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

// networkProblems is the fault of the network, by its check or by the last
// examination. They make the same test, so whichever was later is believed, and
// a fault that both find is one problem.
func networkProblems(status engine.NetworkStatus, report *doctor.Report) []alert.Problem {
	for _, c := range []struct {
		subject, do string
		check       engine.Check
		examined    string // what the examination found
	}{
		{"resolver", doctor.ResolverAdvice, status.Resolver, faultOf(report, doctor.NameResolverHonest)},
		{"port", doctor.PortAdvice, status.Port, faultOf(report, doctor.NamePort)},
	} {
		text := c.check.Fault
		passed := c.check.State == engine.CheckPassed
		if text == "" && !(passed && report != nil && c.check.CheckedAt.After(report.At)) {
			text = c.examined
		}
		if text != "" {
			const format = "The network does not work: %s."
			return []alert.Problem{{Subject: c.subject, Text: fmt.Sprintf(format, text), Do: c.do + "."}}
		}
	}
	return nil
}

// faultOf is the fault that an examination found with every check of a name,
// such as the port of each egress; empty: one of them was passed.
func faultOf(report *doctor.Report, name string) (text string) {
	if report == nil {
		return ""
	}
	for _, c := range report.Checks {
		switch {
		case c.Name != name:
		case c.State != doctor.StateFault:
			return ""
		case text == "":
			text = c.Found
		}
	}
	return text
}

// ofResolver are the checks of an examination that are about DNS servers.
var ofResolver = []string{
	doctor.NameResolver, doctor.NameResolverHonest, doctor.NameResolverTCP, doctor.NameTruncation,
	doctor.NameResolverLists,
}

// ofNetwork reports whether what a check of an examination found is part of a
// fault of the network as a whole, which has a check of its own: where no DNS
// server can be believed, all that is wrong with one is the same fault.
func ofNetwork(c doctor.Check, report *doctor.Report) bool {
	if slices.Contains(ofResolver, c.Name) {
		return faultOf(report, doctor.NameResolverHonest) != ""
	}
	return c.Name == doctor.NamePort && faultOf(report, doctor.NamePort) != ""
}

// doctorProblems are the faults of the last examination, without those that are
// faults of the network as a whole.
func doctorProblems(report *doctor.Report) (all []alert.Problem) {
	if report == nil {
		return nil
	}
	for _, c := range report.Checks {
		if c.State != doctor.StateFault || ofNetwork(c, report) {
			continue
		}
		subject := strings.Join(strings.Fields(c.Heading()+" "+c.Subject+" "+c.Egress), " ")
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
			Text: fmt.Sprintf("%d%% of the monthly quota of the key %s are used: at least %d of %d.",
				nearlyUp, key.Name, key.MonthlyQuota*nearlyUp/100, key.MonthlyQuota),
			Do: "Raise the quota on the page Keys, or with rcpt keys edit.",
		})
	}
	return all, nil
}
