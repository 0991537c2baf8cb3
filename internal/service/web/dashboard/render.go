package dashboard

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
)

//go:embed templates
var templateFiles embed.FS

// views are the templates of the pages, by name.
type views map[string]*template.Template

// page is what a template is given.
type page struct {
	Title  string
	Nav    string // the path of the entry of the menu that is open
	Notice string // something was done
	Error  string // something of the form is wrong
	Faults formFaults
	Focus  string // the field at which the page begins
	Body   any
	Login  string // empty: not signed in
	Token  string
	Theme  string
	Path   string // to come back to
	Lists  bool   // there is a page for lists
	Fault  string // of the server's own network, for pages that are about asking mail hosts
	Alarm  string // the same for the menu of all pages

	may func(pattern, owner string) (bool, error)
}

// May reports whether the visitor may use a route, for a thing of the account
// where the route is about one. Nothing else is offered.
func (p page) May(pattern string, owner ...string) (bool, error) {
	if p.may == nil {
		return false, nil
	}
	return p.may(pattern, strings.Join(owner, ""))
}

// parseViews reads the templates: each page's own, with the layout around and
// the common parts.
func parseViews(assets map[string]asset) (views, error) {
	served := map[string]string{}
	for at, a := range assets {
		served[a.name] = at
	}
	funcs := template.FuncMap{
		"asset": func(name string) string { return served[name] },
		"count": groupedCount, "brief": briefCount, "rate": keyring.RateText,
		"burst": func(k store.Key) int64 { return int64(keyring.BurstOf(k)) },
		"long":  func(n int) int64 { return int64(n) }, "day": day, "lastday": lastDay, "moment": moment,
		"time": momentHTML, "clock": clockHTML, "iso": iso, "percent": percent,
		"part":  func(id, path, name string) downloadPart { return downloadPart{id, path, name} },
		"roles": func(chosen store.Role) roleChoice { return roleChoice{roleTexts, chosen} },
		"steps": stepNames, "took": took, "within": func(p page, body any) page { p.Body = body; return p },
	}
	layout, err := template.New("layout").Funcs(funcs).ParseFS(templateFiles, "templates/layout/*.html")
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(templateFiles, "templates/*.html")
	all := views{}
	for _, file := range files {
		t, err := layout.Clone()
		if err != nil {
			return nil, err
		}
		if t, err = t.ParseFS(templateFiles, file); err != nil {
			return nil, err
		}
		all[strings.TrimSuffix(path.Base(file), ".html")] = t
	}
	return all, err
}

// render sends a page.
func (d *Dashboard) render(v *visit, name string, p page) error {
	p.Token, p.Theme = v.token(), themeOf(v)
	p.may = func(pattern, owner string) (bool, error) { return d.may(v, pattern, owner) }
	p.Path = ownPath(v.r.URL.Path)
	p.Lists = d.config.Lists != nil
	if p.Lists {
		p.Alarm = d.config.Lists.Network().Sentence()
	}
	if p.Nav == "/lists" || p.Nav == "/check" {
		p.Fault = p.Alarm
	}
	if v.account != nil {
		p.Login = v.account.Login
	} else if p.Path == home {
		p.Path = "/sign-in"
	}
	return d.send(v, name, "layout", p)
}

// send executes a template into memory first: a fault in it must not leave half
// a page.
func (d *Dashboard) send(v *visit, name, part string, data any) error {
	var text bytes.Buffer
	if err := d.views[name].ExecuteTemplate(&text, part, data); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if v.status == 0 {
		v.status = http.StatusOK
	}
	if v.left != nil { // it is sent before the handler ends
		v.w.Header().Set("Content-Length", strconv.Itoa(text.Len()))
	}
	v.w.WriteHeader(v.status)
	_, _ = text.WriteTo(v.w) // the browser may have gone
	return nil
}
