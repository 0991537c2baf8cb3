package dashboard

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store"
)

// verdicts are the results in the order in which they are stacked and listed.
var verdicts = []string{
	string(rcpt.VerdictDeliverable), string(rcpt.VerdictAcceptAll),
	string(rcpt.VerdictUnknown), string(rcpt.VerdictUndeliverable),
}

// usageView is the page of what was used.
type usageView struct {
	Days      int
	Spans     []int
	Key       string // that alone; empty: all
	KeyName   string
	Names     []named // to choose a key from
	Total     int64
	Cached    int64
	Totals    []share // by result
	Reasons   []share // the most frequent ones
	Rare      []share // and the others
	Latencies []latencyRow
	Chart     chart
	Keys      []keyUsage
}

// named is a key and what people call it.
type named struct{ ID, Name string }

// share is a part of the whole.
type share struct {
	Name, Note, Tone string
	Count, Whole     int64
	Width            float64 // of a bar of 100
}

// Reason is the name in words, where it is that of a reason.
func (s share) Reason() string { return reasonName(rcpt.Reason(s.Name)) }

// Title is the name where it begins a line.
func (s share) Title() string { return strings.ToUpper(s.Name[:1]) + s.Name[1:] }

// mostReasons are shown at once.
const mostReasons = 8

// latencyRow are the percentiles of a kind of answers.
type latencyRow struct {
	Name          string
	Count         int64
	P50, P95, P99 string
}

// keyUsage is what a key was used for.
type keyUsage struct {
	named
	Count  int64
	ByTone [4]int64 // as verdicts
	Quota  quota
}

// spans are the numbers of days to choose from; the store keeps thirteen
// months.
var spans = []int{7, 30, 90}

// usageAsked is the usage that is asked for.
type usageAsked struct {
	days        int
	key         string // the ID; empty: every key
	first, last time.Time
	keys        []store.Key
	names       map[string]string // of all keys by their ID
}

func (d *Dashboard) usageAsked(v *visit) (usageAsked, error) {
	query, now := v.r.URL.Query(), d.config.Now()
	asked := usageAsked{days: spanOf(query.Get("days")), key: query.Get("key"), last: now}
	asked.first = now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-asked.days)
	var err error
	if asked.keys, err = d.config.Store.Keys(v.r.Context()); err != nil {
		return asked, err
	}
	asked.names = namesOf(asked.keys)
	if _, known := asked.names[asked.key]; !known {
		asked.key = ""
	}
	return asked, nil
}

func (a usageAsked) query() store.UsageQuery {
	return store.UsageQuery{Key: a.key, From: a.first, To: a.last}
}

func (d *Dashboard) showUsage(v *visit) error {
	asked, err := d.usageAsked(v)
	if err != nil {
		return err
	}
	used, err := d.config.Store.Usage(v.r.Context(), asked.query())
	if err != nil {
		return err
	}
	view := usageView{Days: asked.days, Spans: spans, Key: asked.key, KeyName: asked.names[asked.key]}
	view.sum(used, asked.names)
	view.Chart = chartOf(used, asked.first, asked.days)
	if err := d.addQuotas(v.r.Context(), &view, asked.keys, asked.last); err != nil {
		return err
	}
	view.Names = choices(asked.keys, asked.names)
	return d.render(v, "usage", page{Title: "Usage", Nav: "/usage", Body: view})
}

// spanOf is the number of days that was chosen.
func spanOf(text string) int {
	switch text {
	case "7":
		return 7
	case "90":
		return 90
	}
	return 30
}

// namesOf are the names of all keys by their ID, those that are not in the
// store too. Where several have one name, as a key that was rotated and its
// successor do, the end of the ID tells them apart.
func namesOf(keys []store.Key) map[string]string {
	const shown = 4 // characters of the ID
	const ofTest = " (test)"
	names, times := map[string]string{
		KeyID: "Dashboard", FixedKeyID: "RCPT_API_KEY", fixedTestKeyID: "RCPT_API_KEY" + ofTest,
	}, map[string]int{}
	for _, key := range keys {
		times[key.Name]++
	}
	for _, key := range keys {
		names[key.ID] = key.Name
		if times[key.Name] > 1 {
			names[key.ID] += " (…" + key.ID[max(0, len(key.ID)-shown):] + ")"
		}
		if key.Test {
			names[key.ID] += ofTest
		}
	}
	return names
}

// choices are the keys in the order of the store, followed by those that are
// not in it. They do not depend on what is shown.
func choices(keys []store.Key, names map[string]string) (all []named) {
	for _, key := range keys {
		all = append(all, named{key.ID, names[key.ID]})
	}
	return append(all, named{FixedKeyID, names[FixedKeyID]}, named{KeyID, names[KeyID]})
}

// sum adds the usage up, by everything that is shown.
func (view *usageView) sum(used []store.Usage, names map[string]string) {
	results, reasons, byKey := map[string]int64{}, map[string]int64{}, map[string]*keyUsage{}
	verdictOf := map[string]string{}
	var asked, remembered latency
	for _, u := range used {
		view.Total += u.Count
		results[u.Result] += u.Count
		reasons[u.Reason] += u.Count
		verdictOf[u.Reason] = u.Result
		if u.Cached {
			view.Cached += u.Count
			remembered.add(u.Latency)
		} else {
			asked.add(u.Latency)
		}
		key := byKey[u.Key]
		if key == nil {
			key = &keyUsage{named: named{u.Key, cmp.Or(names[u.Key], u.Key)}}
			byKey[u.Key] = key
		}
		key.Count += u.Count
		if i := slices.Index(verdicts, u.Result); i >= 0 {
			key.ByTone[i] += u.Count
		}
	}
	for _, verdict := range verdicts {
		view.Totals = append(view.Totals, view.share(verdict, "", toneOf(verdict), results[verdict]))
	}
	view.Reasons = view.reasons(reasons, verdictOf)
	if len(view.Reasons) > mostReasons+1 { // one more is shown rather than summarised
		view.Reasons, view.Rare = view.Reasons[:mostReasons], view.Reasons[mostReasons:]
	}
	view.Latencies = []latencyRow{asked.row("Verified"), remembered.row("Remembered")}
	for _, key := range byKey {
		view.Keys = append(view.Keys, *key)
	}
	slices.SortFunc(view.Keys, func(a, b keyUsage) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.ID, b.ID))
	})
}

func (view *usageView) reasons(counts map[string]int64, verdictOf map[string]string) (all []share) {
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		all = append(all,
			view.share(reason, reasonNote(rcpt.Reason(reason)), toneOf(verdictOf[reason]), counts[reason]))
	}
	slices.SortStableFunc(all, func(a, b share) int { return cmp.Compare(b.Count, a.Count) })
	return all
}

func (view *usageView) share(name, note, tone string, count int64) share {
	return share{
		Name: name, Note: note, Tone: tone, Count: count, Whole: view.Total,
		Width: 100 * float64(count) / float64(max(1, view.Total)),
	}
}

func (l *latency) row(name string) latencyRow {
	return latencyRow{Name: name, Count: l.count(), P50: l.text(0.50), P95: l.text(0.95), P99: l.text(0.99)}
}

// addQuotas adds how much of the month's quota is left for the keys with most
// use.
func (d *Dashboard) addQuotas(ctx context.Context, view *usageView, keys []store.Key, now time.Time) error {
	view.Keys = view.Keys[:min(keysPerPage, len(view.Keys))]
	for i := range view.Keys {
		at := slices.IndexFunc(keys, func(k store.Key) bool { return k.ID == view.Keys[i].ID })
		if at < 0 || keys[at].MonthlyQuota == 0 {
			continue
		}
		used, err := d.config.Store.QuotaUsed(ctx, keys[at].ID, now)
		if err != nil {
			return err
		}
		view.Keys[i].Quota = quota{Used: used, Limit: keys[at].MonthlyQuota}
	}
	return nil
}
