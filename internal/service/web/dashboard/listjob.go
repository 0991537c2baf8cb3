package dashboard

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/transfer"
)

// listView is the page of a list.
type listView struct {
	store.Job
	SentBy   string // the account that may change it
	Progress progressView
	Rows     []resultRow
	Search   string
	Group    bulk.Group // only rows of it; empty: all
	Chips    []groupCard
	Before   *comparison // nil: it is compared with none
	pager
}

// progressView is the part of the page that changes while a list is verified.
type progressView struct {
	store.Job
	Tone    string
	Bar     []segment
	Summary string // empty: there is no result
	Groups  []groupCard
	Percent string
	Points  int64  // the same as a whole number
	Pace    string // how fast it goes on, and how long it takes; empty: it does not
	Waiting []headway.Waiting
	Live    bool  // it may still change by itself
	Unknown int64 // addresses that can be verified again; zero: none, or not now
	Reasons []share
	Rare    []share // the less frequent ones
}

func (d *Dashboard) showList(v *visit) error {
	j, err := d.listNamed(v)
	if err != nil {
		return err
	}
	view := listView{Job: j}
	if view.SentBy, err = d.sentBy(v, j); err != nil {
		return err
	}
	if mine, _ := d.may(v, "POST /lists/{id}/pause", view.SentBy); !mine {
		view.Webhook = hostOnly(view.Webhook)
	}
	if view.Progress, err = d.progressOf(v, j); err != nil {
		return err
	}
	err = d.browse(v, &view)
	if errors.Is(err, jobs.ErrDamaged) { // the list says so from now on
		view.Progress.Job, err = d.listNamed(v)
	}
	if err != nil {
		return err
	}
	if view.Before, err = d.compared(v, j); err != nil {
		return err
	}
	title := j.Name
	if view.Progress.Live {
		title = view.Progress.Percent + " · " + title
	}
	return d.render(v, "list", page{Title: title, Nav: "/lists", Body: view})
}

// comparison is an earlier list beside a list.
type comparison struct {
	ID, Name  string
	Then, Now string // the share of the bad ones
}

// compared compares a list that has ended with the one that it names, if that
// is there.
func (d *Dashboard) compared(v *visit, j store.Job) (*comparison, error) {
	if j.ComparedWith == "" || !j.State.Ended() {
		return nil, nil
	}
	with, err := d.config.Lists.Job(v.r.Context(), j.ComparedWith, nil)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return &comparison{with.ID, with.Name, badShare(with), badShare(j)}, err
}

// badShare is how many of the addresses of a list are bad.
func badShare(j store.Job) string {
	return percent(j.Groups[string(bulk.GroupBad)].Addresses, j.Addresses)
}

// progressOf tells how far a list is.
func (d *Dashboard) progressOf(v *visit, j store.Job) (progressView, error) {
	p := progressView{
		Job: j, Tone: stateTone(j.State), Bar: barOf(j),
		Summary: summaryOf(j), Groups: groupsOf(j), Percent: percent(j.Done, j.Addresses), Live: !j.State.Ended(),
	}
	if j.Addresses > 0 {
		p.Points = 100 * j.Done / j.Addresses
	}
	if j.State == store.JobDone {
		by, err := d.sentBy(v, j)
		if again, _ := d.may(v, "POST /lists/{id}/again", by); again && err == nil {
			p.Unknown = j.Results[string(rcpt.VerdictUnknown)]
		}
	}
	p.count()
	if !p.Live || j.State == store.JobPaused {
		return p, nil
	}
	h, err := d.config.Lists.Headway(v.r.Context(), j)
	if err != nil {
		return p, err
	}
	p.Waiting, p.Pace = h.Waiting, paceText(j, h)
	return p, nil
}

// paceText is how fast a list goes on, and how long it still takes.
func paceText(j store.Job, h jobs.Headway) string {
	rate, left := rateText(h.Rate)+" a second", span(h.Left)+" left"
	switch {
	case h.Rate > 0 && h.Left >= 0:
		return rate + "; " + left
	case h.Rate > 0:
		return rate
	case h.Left >= 0:
		return left
	case len(h.Waiting) > 0 && h.Waiting[0].For == headway.ForNetwork:
		return "Waiting for the network"
	case j.Done == 0:
		return "Starting …"
	}
	return "How long it still takes is not known"
}

func rateText(rate float64) string {
	if rate < 10 {
		return fmt.Sprintf("%.1f", rate)
	}
	return groupedCount(int64(rate))
}

// count sorts the reasons of a list.
func (l *progressView) count() {
	names := slices.SortedFunc(maps.Keys(l.Job.Reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(l.Job.Reasons[b], l.Job.Reasons[a]), cmp.Compare(a, b))
	})
	for _, name := range names {
		n := l.Job.Reasons[name]
		l.Reasons = append(l.Reasons, share{
			Name: name, Note: reasonNote(rcpt.Reason(name)), Tone: toneOf(string(rcpt.Reason(name).Verdict())),
			Count: n, Whole: l.Addresses, Width: 100 * float64(n) / float64(max(1, l.Addresses)),
		})
	}
	if len(l.Reasons) > mostReasons {
		l.Reasons, l.Rare = l.Reasons[:mostReasons], l.Reasons[mostReasons:]
	}
}

// onceOf reads the boxes of a download. Who wants each person once wants each
// address once.
func onceOf(ticked []string) jobs.Once {
	switch {
	case slices.Contains(ticked, string(jobs.OnceCanonical)):
		return jobs.OnceCanonical
	case slices.ContainsFunc(ticked, func(value string) bool { return value != "" }):
		return jobs.OnceAddress
	}
	return ""
}

// downloadList sends the rows of a list.
func (d *Dashboard) downloadList(v *visit) error {
	j, err := d.listNamed(v)
	if err != nil {
		return err
	}
	part, extension, found := strings.Cut(v.r.PathValue("file"), ".")
	groups, known := partOf[part]
	format, supported := list.ResultNamed(extension)
	if !found || !known || !supported {
		return errNoPage
	}
	begun, err := transfer.Download{
		By: v.actor(), Job: j, As: format, Patience: 5 * patience,
		Output:      jobs.Output{Groups: groups, Once: onceOf(v.r.URL.Query()["once"])},
		Disposition: "attachment; filename*=UTF-8''" + url.PathEscape(j.Name+"."+part+"."+extension),
	}.Send(v.r.Context(), d.config.Lists, v.w)
	if errors.As(err, new(*jobs.BusyError)) && !begun {
		return d.refuseList(v, faultStatus(err), faultText(err, 0))
	}
	if err != nil && !begun {
		return err
	}
	if err != nil {
		d.config.Log.WarnContext(v.r.Context(), "dashboard: a download broke off", "error", err)
		panic(http.ErrAbortHandler) // half a file must not look like a whole one
	}
	return nil
}
