package dashboard

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/list"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// listsView is the page with all lists.
type listsView struct {
	Rows    []listRow
	Next    string // the job after which the next page begins; empty: this is the last
	Later   bool   // it is not the first page
	MaxSize string
	Accept  string // the extensions of files that can be sent
}

// listRow is a list among others.
type listRow struct {
	store.Job
	KeyName string // of the key that sent it
	By      string // the login of who sent it here; empty: a key did, or there is one account
	Bar     []segment
	Tone    string // of its state
	Ready   string // how much is done, in percent
	Safe    string // how many of the rows can be mailed, in percent; empty: not known
}

// segment is a part of a bar of 100 units.
type segment struct {
	Tone, Name string
	X, W       float64
	Count      int64
}

// listsPage is how many lists a page has.
const listsPage = 20

func (d *Dashboard) showLists(v *visit) error {
	return d.renderLists(v, page{})
}

// renderLists shows the page, with what was wrong with a list that was sent.
func (d *Dashboard) renderLists(v *visit, p page) error {
	after := v.r.URL.Query().Get("after")
	found, err := d.config.Lists.Jobs(v.r.Context(), store.JobQuery{Before: after, Limit: listsPage + 1})
	if err != nil {
		return err
	}
	names, err := d.keyNames(v)
	if err != nil {
		return err
	}
	logins, err := d.logins(v)
	if err != nil {
		return err
	}
	view := listsView{
		Later: after != "", MaxSize: sizeText(d.config.Lists.MaxOctets()), Accept: strings.Join(list.Extensions(), ","),
	}
	if len(found) > listsPage {
		found = found[:listsPage]
		view.Next = found[listsPage-1].ID
	}
	for _, j := range found {
		row := listRowOf(j)
		row.KeyName = names[j.Key]
		if j.Key == KeyID {
			row.By = logins[j.Owner]
		}
		view.Rows = append(view.Rows, row)
	}
	p.Title, p.Nav, p.Body = "Lists", "/lists", view
	return d.render(v, "lists", p)
}

func listRowOf(j store.Job) listRow {
	row := listRow{Job: j, Bar: barOf(j), Tone: stateTone(j.State), Ready: percent(j.Done, j.Addresses)}
	if safe := groupsOf(j)[0]; safe.Whole > 0 {
		row.Safe = percent(safe.Addresses, safe.Whole) + " safe"
	}
	return row
}

func stateTone(s store.JobState) string {
	switch s {
	case store.JobDone:
		return "good"
	case store.JobFailed:
		return "bad"
	case store.JobPaused, store.JobCancelled:
		return "warn"
	}
	return "calm"
}

// sizeText writes a number of octets for people.
func sizeText(octets int64) string {
	if octets >= 1<<30 && octets%(1<<30) == 0 {
		return fmt.Sprintf("%d GB", octets>>30)
	}
	if octets >= 1<<20 {
		return fmt.Sprintf("%d MB", octets>>20)
	}
	return fmt.Sprintf("%d kB", max(1, octets>>10))
}

// partOf are the parts of a list that can be downloaded, by the names in their
// paths.
var partOf = func() map[string][]bulk.Group {
	parts := map[string][]bulk.Group{"all": nil}
	for _, group := range bulk.Groups() {
		parts[string(group)] = []bulk.Group{group}
	}
	return parts
}()

// listNamed returns the list that a path names.
func (d *Dashboard) listNamed(v *visit) (store.Job, error) {
	return d.config.Lists.Job(v.r.Context(), v.r.PathValue("id"), nil)
}

// changeList pauses, resumes or cancels a list.
func (d *Dashboard) changeList(what jobs.Change) action {
	return func(v *visit) error {
		j, err := d.listNamed(v)
		if err != nil {
			return err
		}
		// One that has ended meanwhile is shown as it is.
		if _, err := d.config.Lists.Change(v.r.Context(), v.actor(), j.ID, nil, what); err != nil && !isEnded(err) {
			return err
		}
		return v.redirect("/lists/" + j.ID)
	}
}

// verifyAgain lets the addresses of a list be verified again whose result is
// unknown.
func (d *Dashboard) verifyAgain(v *visit) error {
	j, err := d.listNamed(v)
	if err != nil {
		return err
	}
	v.takesLong()
	_, err = d.config.Lists.Again(v.r.Context(), v.actor(), j.ID, nil, nil)
	if err != nil && !errors.Is(err, store.ErrState) { // it runs already
		return err
	}
	return v.redirect("/lists/" + j.ID)
}

func (d *Dashboard) deleteList(v *visit) error {
	j, err := d.listNamed(v)
	if err != nil {
		return err
	}
	if err := d.config.Lists.Delete(v.r.Context(), v.actor(), j.ID, nil); err != nil {
		return err
	}
	return v.redirect("/lists")
}

// span writes a time that something takes, for people.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		return "about " + plural(int64(d.Round(time.Minute)/time.Minute), "minute")
	case d < 48*time.Hour:
		return "about " + plural(int64(d.Round(time.Hour)/time.Hour), "hour")
	}
	return "about " + plural(int64(d.Round(24*time.Hour)/(24*time.Hour)), "day")
}

// withoutExtensions is the name of a file without its extensions.
func withoutExtensions(name string) string {
	for _, extension := range slices.Backward(list.Extensions()) { // those of packings are the last
		if len(name) > len(extension) && strings.EqualFold(name[len(name)-len(extension):], extension) {
			name = name[:len(name)-len(extension)]
		}
	}
	return name
}
