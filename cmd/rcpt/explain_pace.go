package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rcpt/rcpt/cmd/rcpt/internal/settings"
	"github.com/rcpt/rcpt/internal/sys/tty"
	"github.com/rcpt/rcpt/smtpprobe/pace"
	"github.com/rcpt/rcpt/smtpprobe/provider"
)

// explainPaceCommand is "rcpt explain pace".
type explainPaceCommand struct {
	settings.PaceFlags
	JSON bool   `name:"json" help:"Print a JSON object."`
	Name string `arg:"" optional:"" name:"provider" help:"A provider as in details.provider, or the name or IP address of a mail host. Default: all providers with limits of their own."`
}

// Run prints the limits in force.
func (c *explainPaceCommand) Run(std terminal) error {
	limits := c.PaceFlags.Settings()
	e := paceExplanation{General: c.general(limits), ExcludedBy: excludedBy(c.NoAskRules(), c.Name)}
	tables := allTables(limits)
	if c.Name != "" {
		table, err := settings.ProviderTable(c.Name)
		if err != nil {
			return usage(err)
		}
		tables = []pace.Table{table}
	}
	for _, table := range tables {
		e.Providers = append(e.Providers, c.providerPaceOf(limits, table))
	}
	if c.JSON {
		return json.NewEncoder(std.out).Encode(e)
	}
	if c.Name != "" {
		return e.writeOne(std.out)
	}
	return e.writeAll(std.out)
}

// allTables returns the limits of the table of providers. Most providers share
// those of one line.
func allTables(settings pace.Settings) []pace.Table {
	unknown, known := provider.Pacing("", netip.Addr{}), provider.OtherLimits()
	unknown.Provider, known.Provider = "unknown", "other known"
	all := []pace.Table{unknown, known}
	names := provider.PacingNames()
	for name := range settings.Providers {
		if !slices.Contains(names, name) {
			all = append(all, pace.Table{Provider: name})
		}
	}
	slices.SortFunc(all[2:], func(a, b pace.Table) int { return cmp.Compare(a.Provider, b.Provider) })
	for _, name := range names {
		table, _ := provider.PacingOf(name)
		if _, set := settings.Providers[name]; set || table.Limits != known.Limits {
			all = append(all, table)
		}
	}
	return all
}

// excludedBy returns the rule for whom not to ask that covers a provider or a
// mail host; empty: none does.
func excludedBy(rules []string, name string) string {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	for _, rule := range rules {
		kind, covered, _ := strings.Cut(strings.ToLower(strings.TrimSuffix(rule, ".")), ":")
		if kind == "provider" && (covered == name || covered == provider.Of(name).Name) ||
			kind == "mx" && strings.HasSuffix("."+name, "."+covered) {
			return rule
		}
	}
	return ""
}

// paceExplanation is the output of "rcpt explain pace".
type paceExplanation struct {
	General    []paceRule     `json:"general"`
	Providers  []providerPace `json:"providers"`
	ExcludedBy string         `json:"excluded_by,omitempty"` // the rule of --no-ask
}

// providerPace is how fast one provider is asked.
type providerPace struct {
	Provider string     `json:"provider"`
	Known    bool       `json:"known"`
	Limits   []paceRule `json:"limits"`
}

// paceRule is a number with its reason.
type paceRule struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
	Source string `json:"source,omitempty"`
}

func (c *explainPaceCommand) providerPaceOf(limits pace.Settings, table pace.Table) providerPace {
	rules := limits.Rules(table)
	p := providerPace{Provider: rules.Provider, Known: rules.Known}
	for _, rule := range limits.Why(table) {
		p.Limits = append(p.Limits, paceRule{rule.Name, rule.Value, string(rule.Origin), rule.Source})
	}
	first := paceRule{Name: "first_sessions_per_host", Origin: string(pace.FromDefault)}
	if rules.FirstSessions() < pace.FirstSessions {
		first.Source = "the provider allows few sessions"
	}
	first.Value = fmt.Sprint(min(rules.FirstSessions(), int(c.MaxSessionsPerHost)))
	p.Limits = append(p.Limits, first)
	return p
}

// The defaults of flags, which kong does not tell apart from values given.
const (
	usualPerHost  = 20
	usualSessions = 1000
)

// general lists the numbers that hold for all providers.
func (c *explainPaceCommand) general(s pace.Settings) []paceRule {
	full := s.WithDefaults()
	origin := func(set bool, usual pace.Preset) string {
		switch {
		case set:
			return string(pace.FromOverride)
		case full.Preset == usual:
			return string(pace.FromPreset)
		}
		return string(pace.FromDefault)
	}
	return []paceRule{
		{Name: "max-sessions-per-host", Value: fmt.Sprint(c.MaxSessionsPerHost),
			Origin: origin(c.MaxSessionsPerHost != usualPerHost, "")},
		{Name: "max-sessions", Value: fmt.Sprint(c.MaxSessions), Origin: origin(c.MaxSessions != usualSessions, "")},
		{Name: "preset", Value: string(full.Preset), Origin: origin(full.Preset != pace.Normal, "")},
		{Name: "max_pause", Value: full.MaxPause.String(), Origin: origin(s.MaxPause != 0, "")},
		{Name: "harvest.recipients", Value: limitText(full.Harvest.Recipients),
			Origin: origin(s.Harvest.Recipients != 0 && full.Preset != pace.Off, pace.Off)},
		{Name: "harvest.share", Value: fmt.Sprint(full.Harvest.Share), Origin: origin(s.Harvest.Share != 0, "")},
		{Name: "egress.sessions", Value: limitText(full.Egress.Sessions), Origin: origin(s.Egress.Sessions != 0, "")},
		{Name: "egress.first_day", Value: limitText(full.Egress.FirstDay),
			Origin: origin(s.Egress.FirstDay != 0, pace.Careful)},
	}
}

func limitText(n int) string {
	if n < 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// origins say where a number comes from.
var origins = map[string]string{
	string(pace.FromTable):    "table of providers",
	string(pace.FromDefault):  "default",
	string(pace.FromOverride): "your settings",
	string(pace.FromPreset):   "preset",
}

// writeOne prints the limits of one provider, and why.
func (e paceExplanation) writeOne(w io.Writer) error {
	one := e.Providers[0]
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	known := "not in the table of providers"
	if one.Known {
		known = "in the table of providers"
	}
	fmt.Fprintf(table, "provider\t%s\t%s\n", tty.Printable(one.Provider), known)
	if e.ExcludedBy != "" {
		fmt.Fprintf(table, "never asked\t\t--no-ask %s\n", tty.Printable(e.ExcludedBy))
	}
	for _, rule := range append(one.Limits, e.General...) {
		fmt.Fprintf(table, "%s\t%s\t%s\n", rule.Name, rule.Value, because(rule))
	}
	return table.Flush()
}

func because(rule paceRule) string {
	text := cmp.Or(origins[rule.Origin], rule.Origin)
	switch {
	case rule.Source == "":
	case rule.Origin == string(pace.FromPreset):
		text += ", instead of " + rule.Source
	default:
		text += ": " + rule.Source
	}
	return text
}

// writeAll prints the limits of all providers, a line each.
func (e paceExplanation) writeAll(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PROVIDER\tSESSIONS\tPER MINUTE\tRECIPIENTS/SESSION\tPER MINUTE\tPER DAY"+
		"\tREFUSED\tDEFERRED\tTOO FAST\tSLOW FOR\tFIRST/HOST")
	for _, p := range e.Providers {
		cells := []string{p.Provider}
		for _, rule := range p.Limits {
			cells = append(cells, compactTime(rule.Value))
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	fmt.Fprintln(table)
	for _, rule := range e.General {
		fmt.Fprintf(table, "%s\t%s\t%s\n", rule.Name, rule.Value, because(rule))
	}
	return table.Flush()
}

// compactTime is a duration without the parts that are zero at its end.
func compactTime(value string) string {
	if _, err := time.ParseDuration(value); err != nil {
		return value
	}
	value, _ = strings.CutSuffix(value, "m0s")
	if value, cut := strings.CutSuffix(value, "h0"); cut {
		return value + "h"
	}
	if !strings.HasSuffix(value, "s") {
		value += "m"
	}
	return value
}
