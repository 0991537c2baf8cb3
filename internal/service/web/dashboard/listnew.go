package dashboard

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/rcpt/rcpt/internal/list"
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
	listExtras
	Sinces   []choice
	Earlier  string // whose results the list has itself; empty: none
	Mails    bool   // mail can be sent
	SecretAt string // the path of the page where the secret of webhooks is made
}

// listExtras is what the form of a new list says besides its name and how it is
// read.
type listExtras struct {
	URL      string // of the webhook
	Progress bool
	Notify   string // the address for a mail when the list is done
	Since    string // the ID of the list whose results are taken, or [jobs.SinceSelf]
	Date     string // when those of the list itself were found that do not say so
}

// lastExtras are those of the latest list of the account: the next one is
// likely to have the same.
func (d *Dashboard) lastExtras(v *visit) (listExtras, error) {
	latest, err := d.config.Lists.Jobs(v.r.Context(), store.JobQuery{Owners: []string{v.account.ID}, Limit: 1})
	if err != nil || len(latest) == 0 {
		return listExtras{}, err
	}
	return listExtras{URL: latest[0].Webhook, Progress: latest[0].Progress, Notify: latest[0].Notify}, nil
}

// extrasOf reads the extras of a form.
func (d *Dashboard) extrasOf(v *visit) (x listExtras, faults formFaults) {
	x = listExtras{
		URL: strings.TrimSpace(v.form("webhook")), Progress: v.form("progress") != "",
		Notify: strings.TrimSpace(v.form("notify")), Since: v.form("since"),
		Date: strings.TrimSpace(v.form("since_date")),
	}
	if _, err := jobs.ReadDay(x.Date); x.Date != "" && err != nil {
		faults.add("since_date", "This must be a day that has been.")
	}
	if x.URL == "" {
		x.Progress = false
	} else if err := webhook.CheckURL(x.URL); err != nil {
		faults.add("webhook", "This URL cannot be used: "+err.Error()+".")
	}
	if !d.config.Mails {
		x.Notify = ""
	}
	if x.Notify != "" {
		if err := jobs.CheckNotify(x.Notify); err != nil {
			faults.add("notify", "No mail can be sent there: "+err.Error()+".")
		}
	}
	return x, faults
}

// sinceLists is how many lists are offered whose results can be taken.
const sinceLists = 50

// earlierName is what people call those whose results a list has.
func earlierName(look *jobs.Look) string {
	if look.Earlier == list.Ours {
		return "an earlier run of rcpt"
	}
	return look.Earlier
}

// sinceChoices are the lists whose results can be taken.
func (d *Dashboard) sinceChoices(v *visit, earlier, chosen string) ([]choice, error) {
	done, err := d.config.Lists.Jobs(v.r.Context(),
		store.JobQuery{Owners: []string{v.account.ID}, State: store.JobDone, Limit: sinceLists})
	all := []choice{{Name: "All addresses", Chosen: chosen == ""}}
	if earlier != "" {
		name := "Those without a result in the file, which has results of " + earlier
		all = append(all, choice{Value: jobs.SinceSelf, Name: name, Chosen: chosen == jobs.SinceSelf})
	}
	for _, j := range done {
		name := "What is new since " + j.Name + ", " + day(j.Created)
		all = append(all, choice{Value: j.ID, Name: name, Chosen: chosen == j.ID})
	}
	return all, err
}

// request is what is to become of a list.
func request(v *visit, l *draft, f jobs.Format, x listExtras) jobs.Request {
	since := jobs.Since{List: x.Since}
	if at, err := jobs.ReadDay(x.Date); err == nil && x.Since == jobs.SinceSelf {
		since.Date = at
	}
	return jobs.Request{
		By: v.actor(), Owner: v.account.ID, Key: KeyID, Name: l.Name, Webhook: x.URL, Progress: x.Progress, Format: f,
		Notify: x.Notify, Since: since,
	}
}

// lookRows is how many rows are shown before the start.
const lookRows = 10

func (d *Dashboard) showNewList(v *visit) error {
	return d.useDraft(v, func(l *draft) error {
		extras, err := d.lastExtras(v)
		if err != nil {
			return err
		}
		if l.typed != nil {
			l.Name, extras = cmp.Or(l.typed.name, l.Name), l.typed.listExtras
		}
		return d.renderNewList(v, l, readingOf(v.r.URL.Query()), extras, page{})
	})
}

// readList shows a new list as its form says that it is read. What is typed
// besides is kept.
func (d *Dashboard) readList(v *visit) error {
	at := "/new-list/" + v.r.PathValue("id")
	extras, _ := d.extrasOf(v)
	return d.useDraft(v, func(l *draft) error {
		l.typed = &typed{listName(v.form("name")), extras}
		return v.redirect(at + "?" + readingQuery(readingOf(v.r.PostForm)))
	})
}

func (d *Dashboard) renderNewList(v *visit, l *draft, f jobs.Format, x listExtras, p page) error {
	v.takesLong()
	view := newListView{
		ID: v.r.PathValue("id"), Name: l.Name, Size: sizeText(l.spool.Size()), listExtras: x,
		Mails: d.config.Mails, SecretAt: "/webhooks/receivers?key=" + KeyID,
	}
	look, err := d.lookAt(l, &f)
	if errors.As(err, new(*jobs.ListError)) { // what was chosen does not fit
		view.Problem = withoutFlags(err)
		f = jobs.Format{}
		look, err = d.lookAt(l, &f)
	}
	if err != nil {
		return err
	}
	view.readingView = readingViewOf(&look, f)
	if view.Missing == "" && view.Problem == "" {
		if err := d.plan(v, l, f, &view); err != nil {
			return err
		}
	}
	view.Earlier = earlierName(&look)
	if view.Sinces, err = d.sinceChoices(v, view.Earlier, x.Since); err != nil {
		return err
	}
	p.Title, p.Nav, p.Body = "New list", "/lists", view
	return d.render(v, "listnew", p)
}

// plan counts what would be asked, or says why it cannot.
func (d *Dashboard) plan(v *visit, l *draft, f jobs.Format, view *newListView) error {
	// Those who load the page again while it is read get what was found.
	plan, err := d.config.Lists.Plan(context.WithoutCancel(v.r.Context()), l.spool, request(v, l, f, view.listExtras))
	switch {
	case errors.Is(err, jobs.ErrNoAddress), errors.Is(err, jobs.ErrTooLarge), errors.As(err, new(*jobs.ListError)):
		view.Problem = withoutFlags(err)
	case errors.Is(err, jobs.ErrNoSince):
		view.Problem = "the list whose results were to be taken is deleted"
	case err != nil:
		return err
	default:
		view.Plan, view.Takes = &plan, takes(plan)
	}
	return nil
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
	extras, faults := d.extrasOf(v)
	started := ""
	v.takesLong()
	err := d.useDraft(v, func(l *draft) error {
		l.Name = cmp.Or(name, l.Name)
		if len(faults) > 0 {
			var p page
			p.refuse(faults)
			v.status = http.StatusUnprocessableEntity
			return d.renderNewList(v, l, f, extras, p)
		}
		j, err := d.config.Lists.StartDraft(
			context.WithoutCancel(v.r.Context()), l.Job, l.spool, request(v, l, f, extras))
		switch {
		case errors.Is(err, store.ErrNotFound):
			return errNoPage
		case err != nil:
			var p page
			p.Error = faultText(err, d.config.Lists.MaxOctets())
			v.status = http.StatusUnprocessableEntity
			return d.renderNewList(v, l, f, extras, p)
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
