package service

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/doctor"
	"github.com/rcpt/rcpt/internal/service/metrics"
	"github.com/rcpt/rcpt/internal/service/web/dashboard"
)

// How often a server examines its network: as long as there is a fault, so
// often that its end is seen soon.
const (
	doctorEvery = 24 * time.Hour
	doctorAgain = time.Hour
)

// mayExamine reports whether a server examines its network by itself: not where
// the network check is off, as in a private network, which has no well-known
// domains.
func mayExamine(config engine.Config) bool {
	auto := config.NetworkCheck != engine.NetworkCheckOn && config.NetworkCheck != engine.NetworkCheckOff
	switch {
	case config.Level != engine.LevelSMTP && config.Level != "", config.NetworkCheck == engine.NetworkCheckOff:
		return false
	case auto:
		return len(config.AllowNets) == 0 && config.Exchanger == nil && config.Dialer == nil
	}
	return true
}

// examine examines the network at start and then from time to time, until ctx
// ends.
func (r *running) examine(ctx context.Context) {
	if !mayExamine(r.Engine) {
		return
	}
	for {
		report, err := doctor.Run(ctx, doctor.Config{Engine: r.Engine})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			r.logger.Error("cannot examine the network", slog.String("error", err.Error()))
		default:
			r.examined(report)
		}
		wait := doctorEvery
		if !report.OK {
			wait = doctorAgain
		}
		again := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			again.Stop()
			return
		case <-again.C:
		}
	}
}

// examined keeps a report, and logs its faults.
func (r *running) examined(report doctor.Report) {
	r.report.Store(&report)
	r.alertSoon()
	for _, c := range report.Checks {
		if c.State == doctor.StateFault {
			r.logger.Warn("doctor: "+c.Found, slog.String("check", c.Name), slog.String("egress", c.Egress),
				slog.String("subject", c.Subject), slog.String("do", c.Do))
		}
	}
	if report.OK {
		r.logger.Info("doctor: " + report.Summary())
	}
}

// examinationOf is a report for the dashboard, or nil. What the checks of the
// network say anyway is left out.
func examinationOf(report *doctor.Report, status engine.NetworkStatus) *dashboard.Examination {
	if report == nil {
		return nil
	}
	e := &dashboard.Examination{At: report.At, Passed: report.Count(doctor.StateOK)}
	for _, c := range report.Checks {
		if c.State != doctor.StateFault && c.State != doctor.StateWarning {
			continue
		}
		if c.State == doctor.StateFault && ofNetwork(c, report) && saysSo(c, status) {
			continue
		}
		where := strings.TrimSpace(c.Heading() + " " + c.Subject)
		if c.Egress != "" {
			where += ", " + c.Egress
		}
		e.Findings = append(e.Findings, dashboard.Finding{
			Fault: c.State == doctor.StateFault, Where: where, Found: c.Found, Why: c.Why, Do: c.Do,
		})
	}
	slices.SortStableFunc(e.Findings, func(a, b dashboard.Finding) int { return cmp.Compare(order(a), order(b)) })
	return e
}

// saysSo reports whether the check of the network that makes the same test says
// what an examination found of it. Of a fault that it has not seen, the page
// has the finding that names it.
func saysSo(found doctor.Check, status engine.NetworkStatus) bool {
	check := status.Resolver
	if found.Name == doctor.NamePort {
		check = status.Port
	}
	seen := check.State == engine.CheckFailed || check.State == engine.CheckPassed
	return seen || found.Name != doctor.NameResolverHonest && found.Name != doctor.NamePort
}

// order puts faults before warnings.
func order(f dashboard.Finding) int {
	if f.Fault {
		return 0
	}
	return 1
}

// doctorFigures counts the checks of the last report for the metrics.
func (r *running) doctorFigures() metrics.Doctor {
	report := r.report.Load()
	if report == nil {
		return nil
	}
	counts := metrics.Doctor{}
	for _, state := range []doctor.State{doctor.StateOK, doctor.StateWarning, doctor.StateFault, doctor.StateSkipped} {
		counts[string(state)] = report.Count(state)
	}
	return counts
}
