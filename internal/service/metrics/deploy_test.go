package metrics

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/dnsresolve"
	"github.com/rcpt/rcpt/smtpprobe"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"go.yaml.in/yaml/v4"
)

const deploy = "../../../deploy/"

// dashboard is what the tests read of a dashboard.
type dashboard struct {
	Annotations struct{ List []struct{ Expr string } }
	Panels      []panel
}

type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int }
	FieldConfig              struct{ Defaults struct{ Unit string } }
	Targets                  []struct{ Expr, LegendFormat string }
}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	text, err := os.ReadFile(deploy + "grafana/rcpt.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// alerts are the rules of a file of alerts.
type alerts struct {
	Groups []struct {
		Rules []struct {
			Alert, Expr string
			Labels      struct{ Severity string }
			Annotations struct{ Summary, Description string }
		}
	}
}

func readAlerts(t *testing.T) (a alerts) {
	t.Helper()
	text, err := os.ReadFile(deploy + "prometheus/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// expressions are all that the dashboard and the alerts ask Prometheus, by
// where they stand.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	d := readDashboard(t)
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			all[p.Title+": "+target.LegendFormat] = target.Expr
		}
	}
	for _, a := range d.Annotations.List {
		all["annotation"] = a.Expr
	}
	for _, group := range readAlerts(t).Groups {
		for _, rule := range group.Rules {
			all[rule.Alert] = rule.Expr
		}
	}
	return all
}

var (
	selector = regexp.MustCompile(`([a-z_]+)\{([^}]*)\}`)
	matcher  = regexp.MustCompile(`([a-z_]+)(=~|!~|!=|=)"([^"]*)"`)
	metric   = regexp.MustCompile(`\b(?:rcpt|go|process)_[a-z_]+`)
	grouping = regexp.MustCompile(`\b(?:by|on|group_left) \(([^)]*)\)`)
)

// fromScraper are the labels that Prometheus itself adds.
var fromScraper = []string{"job", "instance"}

// TestDashboardAndAlertsAskForWhatThereIs: every metric that they name exists,
// with the labels and values that they want of it.
func TestDashboardAndAlertsAskForWhatThereIs(t *testing.T) {
	there := exported(t)
	for where, expr := range expressions(t) {
		names := metric.FindAllString(matcher.ReplaceAllString(expr, ""), -1)
		known := slices.Clone(fromScraper)
		for _, name := range names {
			if there[name] == nil {
				t.Errorf("%s: there is no metric %s", where, name)
			}
			for label := range there[name] {
				known = append(known, label)
			}
		}
		for _, selected := range selector.FindAllStringSubmatch(expr, -1) {
			for _, m := range matcher.FindAllStringSubmatch(selected[2], -1) {
				wantLabel(t, where, there[selected[1]], m[1], m[2], m[3])
			}
		}
		for _, group := range grouping.FindAllStringSubmatch(expr, -1) {
			for label := range strings.SplitSeq(group[1], ",") {
				if label = strings.TrimSpace(label); label != "" && !slices.Contains(known, label) {
					t.Errorf("%s: none of %v has the label %q", where, names, label)
				}
			}
		}
	}
}

// wantLabel holds that a metric has a label, with each value that a matcher
// asks for.
func wantLabel(t *testing.T, where string, labels map[string][]string, label, operator, values string) {
	t.Helper()
	if slices.Contains(fromScraper, label) {
		return
	}
	if labels[label] == nil {
		t.Errorf("%s: no label %q", where, label)
		return
	}
	wanted := []string{values}
	if strings.HasSuffix(operator, "~") {
		wanted = strings.Split(values, "|")
	}
	for _, value := range wanted {
		if !slices.Contains(labels[label], value) {
			t.Errorf("%s: %s is never %q", where, label, value)
		}
	}
}

// exported are the metrics that can be scraped, with their labels and the
// values of these.
func exported(t *testing.T) map[string]map[string][]string {
	t.Helper()
	m := newMetrics(t)
	hooks := m.Hooks()
	for _, cached := range []bool{true, false} {
		for status := range dnsStatuses {
			hooks.Resolved(t.Context(), dnsresolve.Findings{Lookups: []dnsresolve.Lookup{{Type: "MX", Status: dnsresolve.Status(status), Cached: cached}}}, 0)
		}
	}
	for kind := range failures {
		hooks.Probed(t.Context(), smtpprobe.Findings{Sessions: []smtpprobe.Session{{Failure: &smtp.Failure{Kind: smtp.Kind(kind)}}}}, 0)
	}
	line := regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? `)
	all := map[string]map[string][]string{}
	for _, found := range line.FindAllStringSubmatch(scraped(t, m), -1) {
		if all[found[1]] == nil {
			all[found[1]] = map[string][]string{}
		}
		for _, label := range matcher.FindAllStringSubmatch(found[2], -1) {
			all[found[1]][label[1]] = append(all[found[1]][label[1]], label[3])
		}
	}
	return all
}

// TestEveryMetricIsShown: what is worth counting is worth looking at.
func TestEveryMetricIsShown(t *testing.T) {
	var asked strings.Builder
	for _, expr := range expressions(t) {
		asked.WriteString(expr)
	}
	documented, err := os.ReadFile("../../../docs/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	part := regexp.MustCompile(`_(bucket|sum|count)$`)
	for name := range exported(t) {
		if !strings.HasPrefix(name, "rcpt_") {
			continue
		}
		if name = part.ReplaceAllString(name, ""); !strings.Contains(string(documented), "`"+name) {
			t.Errorf("docs/monitoring.md does not explain %s", name)
		}
		if !strings.Contains(asked.String(), name) && !slices.Contains(forTheCurious, name) {
			t.Errorf("neither a panel nor an alert uses %s", name)
		}
	}
}

// forTheCurious are metrics that need no panel.
var forTheCurious = []string{"rcpt_keys", "rcpt_smtp_pool_hosts", "rcpt_store_commits_total", "rcpt_store_connections_in_use", "rcpt_store_connections_open"}

// TestDashboardLayout checks that each panel has a number and a place of its
// own and says what it shows.
func TestDashboardLayout(t *testing.T) {
	taken, numbers := map[[2]int]string{}, map[int]bool{}
	for _, p := range readDashboard(t).Panels {
		if numbers[p.ID] || p.ID == 0 {
			t.Errorf("%s: number %d is taken", p.Title, p.ID)
		}
		numbers[p.ID] = true
		if p.Type != "row" && (p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0) {
			t.Errorf("%s: no description, no unit or nothing to show", p.Title)
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				place := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if taken[place] != "" || place[0] >= 24 {
					t.Fatalf("%s lies upon %q, or beyond the edge", p.Title, taken[place])
				}
				taken[place] = p.Title
			}
		}
	}
}

// TestAlertsSayWhatToDo checks that each alert has a severity, a summary and a
// section in the documentation.
func TestAlertsSayWhatToDo(t *testing.T) {
	documented, err := os.ReadFile("../../../docs/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range readAlerts(t).Groups {
		for _, rule := range group.Rules {
			if !slices.Contains([]string{"warning", "critical"}, rule.Labels.Severity) || rule.Annotations.Summary == "" || rule.Annotations.Description == "" {
				t.Errorf("%s: no severity, summary or description", rule.Alert)
			}
			if !strings.Contains(string(documented), "`"+rule.Alert+"`") {
				t.Errorf("docs/monitoring.md does not mention %s", rule.Alert)
			}
		}
	}
}

// TestPromtool has Prometheus check its files, if its tool is installed.
func TestPromtool(t *testing.T) {
	tool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed (Debian: prometheus): expressions are checked for their names only")
	}
	inGrafana := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*")
	rules := map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": func() (all []any) {
		for _, expr := range expressions(t) {
			all = append(all, map[string]any{"record": "tried", "labels": map[string]any{"n": len(all)}, "expr": inGrafana.Replace(expr)})
		}
		return all
	}()}}}
	text, err := yaml.Marshal(rules)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rules.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{
		{"check", "rules", file},
		{"check", "config", deploy + "prometheus/prometheus.yml"},
		{"test", "rules", deploy + "prometheus/alerts_test.yml"},
	} {
		if out, err := exec.Command(tool, arguments...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(arguments, " "), err, out)
		}
	}
	lint := exec.Command(tool, "check", "metrics")
	lint.Stdin = strings.NewReader(scraped(t, newMetrics(t)))
	if out, err := lint.CombinedOutput(); err != nil {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
}
