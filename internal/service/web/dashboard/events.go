package dashboard

import (
	"cmp"
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// eventsShown is how many events a page has, and eventsAtOnce how many are read
// at once for the file.
const (
	eventsShown  = 50
	eventsAtOnce = 1000
)

// actor is the visitor, for the events of what the visit changes.
func (v *visit) actor() store.Actor {
	if v.account == nil {
		return store.ByVisitor()
	}
	return store.ByAccount(v.account.ID, v.account.Login)
}

// eventsView is the page of events, the latest first.
type eventsView struct {
	store.EventQuery
	People []named
	Kinds  []named
	Rows   []eventRow
	Next   string // the next page; empty: this is the last
	File   string // all of them
}

// eventRow is an event for people.
type eventRow struct {
	store.Event
	Who   string
	How   string // with which means
	Words string
	Name  string // of the object
	Link  string // to the object; empty: there is no page
}

var sourceTexts = map[rows.Source]string{
	rows.FromPage: "Dashboard", rows.FromAPI: "API key", rows.FromCommand: "Command line",
	rows.FromProxy: "Reverse proxy",
}

// eventsAsked reads which events are wanted, and who has an account: their
// logins are shown in full, and those of others as they were kept.
func (d *Dashboard) eventsAsked(v *visit) (q store.EventQuery, people []named, err error) {
	query := v.r.URL.Query()
	q = store.EventQuery{
		By: query.Get("by"), What: store.What(query.Get("what")), Before: query.Get("before"), Limit: eventsShown,
	}
	accounts, err := d.config.Store.Accounts(v.r.Context())
	for _, a := range accounts {
		people = append(people, named{a.ID, a.Login})
	}
	return q, people, err
}

func (d *Dashboard) showEvents(v *visit) error {
	q, people, err := d.eventsAsked(v)
	if err != nil {
		return err
	}
	all, err := d.config.Store.Events(v.r.Context(), q)
	if err != nil {
		return err
	}
	view := eventsView{EventQuery: q, People: people}
	for _, kind := range rows.Whats {
		view.Kinds = append(view.Kinds, named{string(kind.What), upperFirst(kind.Words)})
	}
	for _, e := range all {
		view.Rows = append(view.Rows, rowOfEvent(e, people))
	}
	if q.By != "" && len(all) > 0 && nameIn(people, q.By) == "" { // a key, or somebody who has left
		view.People = append(view.People, named{q.By, view.Rows[0].Who})
	}
	these := url.Values{"by": {q.By}, "what": {string(q.What)}}
	view.File = "/events.csv?" + these.Encode()
	if len(all) == eventsShown {
		these.Set("before", all[len(all)-1].ID)
		view.Next = "/events?" + these.Encode()
	}
	return d.render(v, "events", page{Title: "Events", Nav: "/events", Body: view})
}

func rowOfEvent(e store.Event, people []named) eventRow {
	row := eventRow{
		Event: e, How: sourceTexts[e.By.From], Words: e.What.Words(),
		Who:  cmp.Or(nameIn(people, e.By.ID), e.By.Name, e.By.ID, "Somebody"),
		Name: cmp.Or(nameIn(people, e.Object), e.Name),
	}
	kind, _, _ := strings.Cut(e.Object, "_")
	switch {
	case e.What == rows.ListDeleted:
	case kind == "job":
		row.Link = "/lists/" + e.Object
	case kind == "msg":
		row.Link = "/webhooks/" + e.Object
	}
	return row
}

// nameIn is the name of an ID among some; empty: it is not there.
func nameIn(all []named, id string) string {
	for _, one := range all {
		if one.ID == id {
			return one.Name
		}
	}
	return ""
}

// upperFirst begins a text with a capital letter.
func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// eventColumns are those of the file.
var eventColumns = []string{
	"time", "id", "who_id", "who", "how", "event", "event_text", "object_id", "object", "detail",
}

// exportEvents sends all events that the page leads to, the latest first. They
// are read while they are sent; after a fault within, the connection is cut
// off, so that a part does not look like the whole.
func (d *Dashboard) exportEvents(v *visit) error {
	q, people, err := d.eventsAsked(v)
	if err != nil {
		return err
	}
	q.Limit = eventsAtOnce
	all, err := d.config.Store.Events(v.r.Context(), q)
	if err != nil {
		return err
	}
	v.takesLong()
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="rcpt-events.csv"`)
	out := csv.NewWriter(v.w)
	if err := out.Write(eventColumns); err != nil {
		panic(http.ErrAbortHandler)
	}
	for len(all) > 0 {
		if err := writeEvents(out, all, people); err != nil {
			panic(http.ErrAbortHandler)
		}
		q.Before = all[len(all)-1].ID
		if all, err = d.config.Store.Events(v.r.Context(), q); err != nil {
			d.config.Log.WarnContext(v.r.Context(), "dashboard: a download broke off", "error", err)
			panic(http.ErrAbortHandler)
		}
	}
	out.Flush()
	return nil
}

func writeEvents(out *csv.Writer, all []store.Event, people []named) error {
	for _, e := range all {
		row := rowOfEvent(e, people)
		if err := out.Write([]string{
			iso(e.At), e.ID, spreadsheetText(e.By.ID), spreadsheetText(row.Who), string(e.By.From), string(e.What), row.Words,
			spreadsheetText(e.Object), spreadsheetText(row.Name), spreadsheetText(e.Detail),
		}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
