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
	"sync"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/transfer"
)

// listView is the page of a list.
type listView struct {
	store.Job
	Progress progressView
	Rows     []resultRow
	Search   string
	Group    bulk.Group // only rows of it; empty: all
	Chips    []groupCard
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
	Points  int64    // the same as a whole number
	Rate    string   // empty: nothing is being asked
	Left    string   // empty: not known
	Waiting []string // for what; empty: for nothing
	Live    bool     // it may still change by itself
	Reasons []share
	Rare    []share // the less frequent ones
}

func (d *Dashboard) showList(v *visit) error {
	j, err := d.listNamed(v)
	if err != nil {
		return err
	}
	view := listView{Job: j}
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
	title := j.Name
	if view.Progress.Live {
		title = view.Progress.Percent + " · " + title
	}
	return d.render(v, "list", page{Title: title, Nav: "/lists", Body: view})
}

// progressOf tells how far a list is.
func (d *Dashboard) progressOf(v *visit, j store.Job) (progressView, error) {
	p := progressView{
		Job: j, Tone: stateTone(j.State), Bar: barOf(j),
		Groups: groupsOf(j), Percent: percent(j.Done, j.Addresses), Live: !j.State.Ended(),
	}
	if j.Addresses > 0 {
		p.Points = 100 * j.Done / j.Addresses
	}
	p.count()
	if !p.Live || j.State == store.JobPaused {
		return p, nil
	}
	waiting, next, err := d.config.Lists.Waits(v.r.Context(), j.ID)
	if err != nil {
		return p, err
	}
	now := d.config.Now()
	if waiting > 0 {
		p.Waiting = append(p.Waiting, fmt.Sprintf("%s answered “later”; the next is asked again in %s.", addresses(waiting), spanTo(next.Sub(now))))
	}
	if held := heldUp(d.config.Health(v.r.Context()).Pace); held != "" {
		p.Waiting = append(p.Waiting, held)
	}
	rate := d.pace.of(j, now)
	if rate > 0 {
		p.Rate = fmt.Sprintf("%s a second", rateText(rate))
		left := time.Duration(float64(max(0, j.Addresses-j.Done-waiting)) / rate * float64(time.Second))
		p.Left = span(max(left, next.Sub(now)))
	}
	return p, nil
}

// heldUp says for which provider most addresses wait on this server; empty: for
// none.
func heldUp(all []Pace) string {
	waiting := map[string]int{}
	var most Pace
	for _, p := range all {
		if waiting[p.Provider] += p.Waiting; waiting[p.Provider] > waiting[most.Provider] {
			most = p
		}
	}
	if most.Provider == "" {
		return ""
	}
	verb := " wait for "
	if waiting[most.Provider] == 1 {
		verb = " waits for "
	}
	text := "On this server " + addresses(int64(waiting[most.Provider])) + verb + most.Provider + "."
	switch {
	case !most.Until.IsZero():
		text += fmt.Sprintf(" It is paused until %s: %s.", most.Until.UTC().Format("15:04 UTC"), most.Reason)
	case most.Slowed:
		text += " It is asked slowly: " + most.Reason + "."
	}
	return text
}

func addresses(n int64) string {
	if n == 1 {
		return "1 address"
	}
	return groupedCount(n) + " addresses"
}

func spanTo(d time.Duration) string {
	if d < time.Minute {
		return "less than a minute"
	}
	return plural(int64(d.Round(time.Minute)/time.Minute), "minute")
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
			Name: name, Note: reasonNote(engine.Reason(name)), Tone: toneOf(string(engine.Reason(name).Verdict())),
			Count: n, Whole: l.Done, Width: 100 * float64(n) / float64(max(1, l.Done)),
		})
	}
	if len(l.Reasons) > mostReasons {
		l.Reasons, l.Rare = l.Reasons[:mostReasons], l.Reasons[mostReasons:]
	}
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
		Job: j, Output: jobs.Output{Groups: groups}, As: format, Patience: 5 * patience,
		Disposition: "attachment; filename*=UTF-8''" + url.PathEscape(j.Name+"."+part+"."+extension),
	}.Send(v.r.Context(), d.config.Lists, v.w)
	if errors.As(err, new(*jobs.BusyError)) && !begun {
		return d.refuseList(v, faultStatus(err), faultText(err, 0))
	}
	if err != nil {
		d.config.Log.WarnContext(v.r.Context(), "dashboard: a download broke off", "error", err)
		panic(http.ErrAbortHandler) // half a file must not look like a whole one
	}
	return nil
}

// pace measures how fast lists advance: while somebody looks, over the last
// minute, and otherwise since their start.
type pace struct {
	mu   sync.Mutex
	seen map[string][]mark
}

// mark is how many addresses of a list were done at a time.
type mark struct {
	at   time.Time
	done int64
}

const (
	paceOver = time.Minute
	paceJobs = 1000 // lists of which marks are kept
)

// of returns addresses a second; 0: not known.
func (p *pace) of(j store.Job, now time.Time) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil || len(p.seen) > paceJobs {
		p.seen = make(map[string][]mark)
	}
	marks := append(p.seen[j.ID], mark{now, j.Done})
	for len(marks) > 2 && now.Sub(marks[1].at) > paceOver {
		marks = marks[1:]
	}
	p.seen[j.ID] = marks
	from := marks[0]
	if now.Sub(from.at) < 3*time.Second || now.Sub(from.at) > 2*paceOver {
		from = mark{at: j.Started}
	}
	took := now.Sub(from.at).Seconds()
	if from.at.IsZero() || took <= 0 {
		return 0
	}
	return float64(j.Done-from.done) / took
}
