package dashboard

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/webhook"
)

// newListView is a list before its start.
type newListView struct {
	readingView
	ID      string
	Name    string
	Plan    *jobs.Plan // nil: it cannot be started like this
	Takes   string
	Size    string
	Problem string // why it cannot
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

// lookRows is how many rows are shown before the start.
const lookRows = 10

func (d *Dashboard) showNewList(v *visit) error {
	return d.useDraft(v, func(l *draft) error {
		hook, err := d.lastHook(v)
		if err != nil {
			return err
		}
		if l.typed != nil {
			l.Name, hook = cmp.Or(l.typed.name, l.Name), l.typed.hook
		}
		return d.renderNewList(v, l, readingOf(v.r.URL.Query()), hook, page{})
	})
}

// readList shows a new list as its form says that it is read. What is typed
// besides is kept.
func (d *Dashboard) readList(v *visit) error {
	at := "/new-list/" + v.r.PathValue("id")
	hook, _ := hookOf(v)
	return d.useDraft(v, func(l *draft) error {
		l.typed = &typed{listName(v.form("name")), hook}
		return v.redirect(at + "?" + readingQuery(readingOf(v.r.PostForm)))
	})
}

func (d *Dashboard) renderNewList(v *visit, l *draft, f jobs.Format, hook listHook, p page) error {
	v.takesLong()
	hook.SecretAt = "/webhooks/receivers?key=" + KeyID
	view := newListView{ID: v.r.PathValue("id"), Name: l.Name, Size: sizeText(l.spool.Size()), Hook: hook}
	look, err := d.lookAt(l, &f)
	if errors.As(err, new(*jobs.ListError)) { // what was chosen does not fit
		view.Problem = withoutFlags(err.Error())
		f = jobs.Format{}
		look, err = d.lookAt(l, &f)
	}
	if err != nil {
		return err
	}
	view.readingView = readingViewOf(&look, f)
	if view.Missing == "" && view.Problem == "" {
		var wrong *jobs.ListError
		// Those who load the page again while it is read get what was found.
		plan, err := d.config.Lists.Plan(context.WithoutCancel(v.r.Context()), l.spool, f)
		switch {
		case errors.Is(err, jobs.ErrNoAddress), errors.Is(err, jobs.ErrTooLarge), errors.As(err, &wrong):
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

// lookAt looks at a list. Where no column is chosen, f gets those that are
// named like one that was found.
func (d *Dashboard) lookAt(l *draft, f *jobs.Format) (jobs.Look, error) {
	look, err := d.config.Lists.Look(l.spool, *f, lookRows)
	if err != nil || len(f.Columns) > 0 {
		return look, err
	}
	if f.Columns = withSiblings(&look); f.Columns == nil {
		return look, nil
	}
	return d.config.Lists.Look(l.spool, *f, lookRows)
}

// startList makes a job of a list that was sent.
func (d *Dashboard) startList(v *visit) error {
	f := readingOf(v.r.PostForm)
	if v.form("sheet") != v.form("shown") { // nobody has seen it
		return d.readList(v)
	}
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
			return d.renderNewList(v, l, f, hook, p)
		}
		j, err := d.config.Lists.StartDraft(context.WithoutCancel(v.r.Context()), l.Job, l.spool, jobs.Request{
			Owner: v.account.ID, Key: KeyID, Name: l.Name, Webhook: hook.URL,
			Progress: hook.Progress, Format: f,
		})
		switch {
		case errors.Is(err, store.ErrNotFound):
			return errNoPage
		case err != nil:
			var p page
			p.Error = faultText(err, d.config.Lists.MaxOctets())
			v.status = http.StatusUnprocessableEntity
			return d.renderNewList(v, l, f, hook, p)
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

// takes says how long a list takes, and how long it may take.
func takes(p jobs.Plan) string {
	if p.Most == p.Least {
		return span(p.Least)
	}
	return span(p.Least) + "; up to " + span(p.Most) + " if hosts ask us to come back"
}
