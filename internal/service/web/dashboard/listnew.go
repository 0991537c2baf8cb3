package dashboard

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/webhook"
)

// newListView is a list before its start.
type newListView struct {
	jobs.Look
	Names   []string // of the columns
	Chosen  int      // the first that is read, from 0; -1: none
	ID      string
	Name    string
	Column  int // that is read, from 1; 0: none was chosen yet
	Columns []choice
	Plan    *jobs.Plan // nil: the column is not clear
	Takes   string
	Size    string
	Problem string // of the chosen column
	Hook    listHook
}

// listHook is what the form of a new list says of webhooks.
type listHook struct {
	URL      string
	Progress bool
	SecretAt string // the path of the page where their secret is made
}

// lastHook is the webhook of the latest list of the account: the next one is
// likely to have the same.
func (d *Dashboard) lastHook(v *visit) (listHook, error) {
	latest, err := d.config.Lists.Jobs(v.r.Context(), store.JobQuery{Owners: []string{v.account.ID}, Limit: 1})
	if err != nil || len(latest) == 0 {
		return listHook{}, err
	}
	return listHook{URL: latest[0].Webhook, Progress: latest[0].Progress}, nil
}

// hookOf reads the webhook of a form.
func hookOf(v *visit) (h listHook, faults formFaults) {
	h = listHook{URL: strings.TrimSpace(v.form("webhook")), Progress: v.form("progress") != ""}
	if h.URL == "" {
		return listHook{}, nil
	}
	if err := webhook.CheckURL(h.URL); err != nil {
		faults.add("webhook", "This URL cannot be used: "+err.Error()+".")
	}
	return h, faults
}

// choice is a column that can be chosen.
type choice struct {
	Number int
	Name   string
	Chosen bool
}

// lookRows is how many rows are shown before the start.
const lookRows = 10

func (d *Dashboard) showNewList(v *visit) error {
	column, _ := strconv.Atoi(v.r.URL.Query().Get("column"))
	return d.useDraft(v, func(l *draft) error {
		hook, err := d.lastHook(v)
		if err != nil {
			return err
		}
		return d.renderNewList(v, l, column, hook, page{})
	})
}

// format is how a list is read with a column; 0: the one that is guessed.
func format(column int) jobs.Format {
	if column <= 0 {
		return jobs.Format{}
	}
	return jobs.Format{Columns: []string{strconv.Itoa(column)}}
}

func (d *Dashboard) renderNewList(v *visit, l *draft, column int, hook listHook, p page) error {
	v.takesLong()
	hook.SecretAt = "/webhooks/receivers?key=" + KeyID
	view := newListView{ID: v.r.PathValue("id"), Name: l.Name, Size: sizeText(l.spool.Size()), Hook: hook}
	look, err := d.config.Lists.Look(l.spool, format(column), lookRows)
	if err != nil {
		return err
	}
	view.Look, view.Chosen = look, slices.IndexFunc(look.Columns, func(c jobs.Column) bool { return c.Read })
	view.Column = view.Chosen + 1
	for i, c := range look.Columns {
		view.Names = append(view.Names, c.Name)
		if look.Choices() {
			view.Columns = append(view.Columns, choice{Number: i + 1, Name: c.Name, Chosen: i == view.Chosen})
		}
	}
	view.Problem = strings.TrimSuffix(look.Problem, ".")
	var list *jobs.ListError
	if view.Chosen >= 0 && view.Problem == "" {
		if look.Choices() {
			column = view.Column // the form sends it
		}
		// Those who load the page again while it is read get what was found.
		plan, err := d.config.Lists.Plan(context.WithoutCancel(v.r.Context()), l.spool, format(column))
		switch {
		case errors.Is(err, jobs.ErrNoAddress), errors.Is(err, jobs.ErrTooLarge), errors.As(err, &list):
			view.Problem = withoutFlags(err.Error())
		case err != nil:
			return err
		default:
			view.Plan, view.Takes = &plan, takes(plan)
		}
	}
	p.Title, p.Nav, p.Body = "New list", "/lists", view
	return d.render(v, "listnew", p)
}

// takes says how long a list takes, and how long it may take.
func takes(p jobs.Plan) string {
	if p.Most == p.Least {
		return span(p.Least)
	}
	return span(p.Least) + "; up to " + strings.TrimPrefix(span(p.Most), "about ") + " if hosts ask us to come back"
}

// startList makes a job of a list that was sent.
func (d *Dashboard) startList(v *visit) error {
	column, _ := strconv.Atoi(v.form("column"))
	name := listName(v.form("name"))
	hook, faults := hookOf(v)
	started := ""
	v.takesLong()
	err := d.useDraft(v, func(l *draft) error {
		l.Name = cmp.Or(name, l.Name)
		if len(faults) > 0 {
			var p page
			p.refuse(faults)
			v.status = http.StatusUnprocessableEntity
			return d.renderNewList(v, l, column, hook, p)
		}
		j, err := d.config.Lists.StartDraft(context.WithoutCancel(v.r.Context()), l.Job, l.spool, jobs.Request{
			Owner: v.account.ID, Key: KeyID, Name: l.Name, Webhook: hook.URL,
			Progress: hook.Progress, Format: format(column),
		})
		switch {
		case errors.Is(err, store.ErrNotFound):
			return errNoPage
		case err != nil:
			var p page
			p.Error = faultText(err, d.config.Lists.MaxOctets())
			v.status = http.StatusUnprocessableEntity
			return d.renderNewList(v, l, column, hook, p)
		}
		started = j.ID
		return nil
	})
	switch {
	case errors.Is(err, errNoPage): // it was started or dropped already
		return v.redirect("/lists")
	case err != nil || started == "":
		return err
	}
	d.drafts.forget(v.r.PathValue("id"))
	return v.redirect("/lists/" + started)
}

// dropList forgets a list that was sent.
func (d *Dashboard) dropList(v *visit) error {
	id := v.r.PathValue("id")
	err := d.config.Lists.DropDraft(v.r.Context(), id, v.account.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	d.drafts.forget(id)
	return v.redirect("/lists")
}

// takesLong gives an answer time for which a list is read.
func (v *visit) takesLong() {
	// A writer that does not support this has no connection.
	_ = http.NewResponseController(v.w).SetWriteDeadline(time.Now().Add(10 * time.Minute))
}
