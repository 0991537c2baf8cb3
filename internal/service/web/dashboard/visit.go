package dashboard

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/rcpt/rcpt/internal/exchange"
	"github.com/rcpt/rcpt/internal/service/store"
)

// maxForm bounds the body of a request: the longest form is that for a key with
// its networks. maxOpenForm bounds that of a visitor without a session: a login
// and two passwords.
const (
	maxForm     = 64 << 10
	maxOpenForm = 8 << 10
)

// visit is one request, its account, and the answer.
type visit struct {
	w       http.ResponseWriter
	r       *http.Request
	body    io.Reader      // of r, as it arrives
	left    io.Reader      // the body that is not wanted; nil: it is read
	account *store.Account // nil: not signed in
	session store.Session
	cookie  string // the session's text, or that of the cookie for forms before there is one
	secure  bool   // the browser speaks TLS
	status  int    // of the page; 0: 200
}

// action serves a visit; what it cannot do is an error.
type action func(v *visit) error

// What a visit can end with besides a page, and besides the errors of the
// store.
var (
	errNoPage   = errors.New("there is no such page")
	errNoDraft  = fmt.Errorf("the list does not wait any more: %w", errNoPage)
	errForged   = errors.New("the request did not come from one of our forms")
	errTooLong  = errors.New("the form is too long")
	errKeyEnded = errors.New("the key is revoked or expired")
	errReplaced = errors.New("the key has already been replaced")
)

// serve makes a handler of an action.
func (d *Dashboard) serve(needs access, do action) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{w: w, r: r, body: r.Body, secure: d.encrypted(r)}
		if err := d.admitted(v, needs, do); err != nil {
			d.fail(v, err)
		}
		exchange.Linger(w, v.left)
	}
}

// admitted carries the request out if the account may do so and the form is
// genuine. The body of a request that shows no cookie is not read. Whoever
// sends a form slowly may have lost the account or the role meanwhile.
func (d *Dashboard) admitted(v *visit, needs access, do action) error {
	entered, err := d.enter(v, needs)
	if !entered || err != nil {
		return err
	}
	if v.r.Method == http.MethodPost {
		if v.cookie == "" {
			v.leaveBody()
			return errForged
		}
		if needs.streams {
			return do(v)
		}
		if err := v.readForm(); err != nil {
			v.leaveBody()
			return err
		}
		if entered, err := d.enter(v, needs); !entered || err != nil {
			return err
		}
	}
	return do(v)
}

// enter finds out who visits, and whether they may. Who has to sign in first is
// led there.
func (d *Dashboard) enter(v *visit, needs access) (entered bool, err error) {
	v.account = nil
	if err := d.recognise(v); err != nil {
		return false, err
	}
	if !needs.anybody && v.account == nil {
		v.leaveBody()
		return false, v.redirect(signInPath(v.r))
	}
	if err := needs.admits(v.account, func() (string, error) { return needs.owner(d, v) }); err != nil {
		v.leaveBody()
		return false, err
	}
	return true, nil
}

// readForm reads the form of a POST.
func (v *visit) readForm() error {
	most := int64(maxForm)
	if v.account == nil {
		most = maxOpenForm
	}
	if v.r.ContentLength > most {
		return errTooLong
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, most)
	if err := v.r.ParseForm(); err != nil {
		return errTooLong
	}
	if !v.tokenHolds() {
		return errForged
	}
	return nil
}

// leaveBody ends the connection after the response if the request has a body:
// package net/http would wait for the rest of it, which may take long.
func (v *visit) leaveBody() {
	if v.r.ContentLength == 0 {
		return
	}
	v.w.Header().Set("Connection", "close")
	v.left = v.body
}

// signInPath is the sign-in page for a visitor that wanted r, with the page to
// come back to.
func signInPath(r *http.Request) string {
	if r.Method != http.MethodGet || ownPath(r.URL.Path) == home {
		return "/sign-in"
	}
	return "/sign-in?next=" + url.QueryEscape(ownPage(r.URL.RequestURI()))
}

// home is the landing page after the sign-in.
const home = "/"

// ownPath returns the path if it is one of our pages, and otherwise that of the
// first page, so that no link leads elsewhere.
func ownPath(given string) string {
	switch given {
	case home, "/keys", "/keys/new", "/lists", "/webhooks", "/webhooks/receivers", "/check", "/usage", "/health", "/team", "/events", "/account", "/sign-in":
		return given
	}
	return home
}

// kept are the parameters that select a part of a page. Others report what was
// done.
var kept = []string{"days", "key", "show", "page", "by", "what"}

// ownPage is a page of ours with the parameters that belong to it, as [ownPath]
// has it.
func ownPage(given string) string {
	asked, err := url.ParseRequestURI(given)
	if err != nil || asked.Host != "" {
		return home
	}
	query := url.Values{}
	for _, name := range kept {
		if value := asked.Query().Get(name); value != "" {
			query.Set(name, value)
		}
	}
	at := ownPath(asked.Path)
	if at != asked.Path || len(query) == 0 {
		return at
	}
	return at + "?" + query.Encode()
}

// redirect sends the browser to a page of ours, with GET.
func (v *visit) redirect(to string) error {
	if v.left != nil && v.r.Method == http.MethodPost { // it has no text then
		v.w.Header().Set("Content-Length", "0")
	}
	http.Redirect(v.w, v.r, to, http.StatusSeeOther)
	return nil
}

// form is the value of a field of a form that was posted.
func (v *visit) form(name string) string { return v.r.PostFormValue(name) }

// refused answers every request with an error, and reads no body.
func (d *Dashboard) refused(err error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{w: w, r: r, body: r.Body, secure: d.encrypted(r)}
		v.leaveBody()
		d.fail(v, cmp.Or(d.recognise(v), err))
		exchange.Linger(w, v.left)
	}
}

// fail shows the visitor what failed. Faults of the server are logged.
func (d *Dashboard) fail(v *visit, err error) {
	p := problem{
		Heading: "Something went wrong", Text: "The server could not do this. Its log says why.",
		Status: http.StatusInternalServerError,
	}
	var early *earlyError
	switch {
	case errors.Is(err, errNoDraft):
		p = problem{Heading: "This list does not wait any more", Status: http.StatusNotFound,
			Text: "It was started or discarded, its hour is over, or a newer one took its place. Send the file again."}
	case errors.Is(err, errNoPage), errors.Is(err, store.ErrNotFound):
		p = problem{Heading: "Page not found", Text: "There is nothing at this address.", Status: http.StatusNotFound}
	case errors.Is(err, errForged):
		p = problem{Heading: "This form is no longer valid", Status: http.StatusForbidden,
			Text: "It was made for another session, or sent from another site. Open the page again and repeat what you did."}
	case errors.Is(err, errAsserted):
		p = problem{Heading: "You could not be signed in", Status: http.StatusForbidden,
			Text: "The proxy in front of this server names you twice, or in a way that is no login. The server's log says so, too."}
	case errors.Is(err, errRole):
		p = problem{Heading: "Your role does not allow this", Status: http.StatusForbidden,
			Text: "An admin can give you another role, or do it for you. Account says which role you have."}
	case errors.Is(err, errOthers):
		p = problem{Heading: "This belongs to somebody else", Status: http.StatusForbidden,
			Text: "You see it, but only its owner and admins can change it."}
	case errors.Is(err, errTooLong):
		p = problem{
			Heading: "This form cannot be read", Text: "It is too long or damaged.", Status: http.StatusBadRequest,
		}
	case errors.Is(err, errKeyEnded):
		p = problem{Heading: "This key has ended", Status: http.StatusConflict,
			Text: "It is revoked or expired and can no longer be changed. Create a new key instead."}
	case errors.Is(err, errReplaced):
		p = problem{Heading: "This key has already been replaced", Status: http.StatusConflict,
			Text: "It has a successor. Rotate the successor, or revoke it first."}
	case errors.Is(err, store.ErrLastAdmin):
		p = problem{Heading: "There must be an admin", Status: http.StatusConflict,
			Text: "This is the only one. Make somebody else an admin first."}
	case errors.As(err, &early):
		p = problem{Heading: "Not so fast", Text: v.tooOften(early.wait), Status: http.StatusTooManyRequests}
	case errors.Is(err, store.ErrTooMany):
		p = problem{Heading: "Too many tests", Status: http.StatusTooManyRequests,
			Text: "Ten tests have not been answered yet. Try again when they are."}
	case errors.Is(err, errBusy), errors.Is(err, store.ErrUnavailable):
		v.w.Header().Set("Retry-After", strconv.Itoa(retrySoon))
		p = problem{Heading: "Not right now", Text: "The server cannot do this at the moment. Try again in a few seconds.",
			Status: http.StatusServiceUnavailable}
	}
	if p.Status >= http.StatusInternalServerError && !errors.Is(err, errBusy) && v.r.Context().Err() == nil {
		d.config.Log.ErrorContext(v.r.Context(), "dashboard", "route", v.r.Pattern, "error", err)
	}
	v.status = p.Status
	if err := d.render(v, "problem", page{Title: p.Heading, Body: p}); err != nil {
		http.Error(v.w, p.Text, p.Status)
	}
}

// retrySoon is the Retry-After value in seconds when the server or the database
// is busy.
const retrySoon = 5

// problem is a page that says what went wrong.
type problem struct {
	Heading, Text string
	Status        int
}
