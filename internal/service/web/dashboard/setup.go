package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/rcpt/rcpt/internal/service/store"
)

// setupLifetime is how long the link for the first account works.
const setupLifetime = 24 * time.Hour

// maxLogin is the length of a login in octets: an address of mail, the longest
// that people use, has 254.
const maxLogin = 254

// SetupURL makes a link with which the first admin can be made, once and within
// a day. It is empty when there is one already. Base is the
// address of the server, as in http://127.0.0.1:8080.
func (d *Dashboard) SetupURL(ctx context.Context, base string) (string, error) {
	if d.config.Proxy != nil {
		return "", nil
	}
	accounts, err := d.config.Store.Accounts(ctx)
	isAdmin := func(a store.Account) bool { return a.Role == store.RoleAdmin }
	if err != nil || slices.ContainsFunc(accounts, isAdmin) {
		return "", err
	}
	token := secret()
	if err := d.config.Store.CreateSetupToken(ctx, store.HashOf(token), d.config.Now().Add(setupLifetime)); err != nil {
		return "", err
	}
	return strings.TrimSuffix(base, "/") + "/setup?" + url.Values{"token": {token}}.Encode(), nil
}

// setupForm is the page of the first account.
type setupForm struct {
	Link  string // the token; empty: the link does not work
	Login string
}

func (d *Dashboard) showSetup(v *visit) error {
	token := v.r.URL.Query().Get("token")
	return d.setupPage(v, setupForm{Link: token}, nil)
}

// setupPage shows the form, or that the link does not work.
func (d *Dashboard) setupPage(v *visit, form setupForm, faults formFaults) error {
	p := page{Title: "Set up", Focus: "login"}
	if len(faults) > 0 {
		p.refuse(faults)
		v.status = http.StatusUnprocessableEntity
	}
	err := d.config.Store.CheckSetupToken(v.r.Context(), store.HashOf(form.Link))
	if errors.Is(err, store.ErrNotFound) {
		form.Link, p.Error, v.status = "", "", http.StatusNotFound
	} else if err != nil {
		return err
	}
	p.Body = form
	return d.render(v, "setup", p)
}

func (d *Dashboard) setUp(v *visit) error {
	ctx := v.r.Context()
	form := setupForm{Link: v.form("link"), Login: strings.TrimSpace(v.form("login"))}
	var faults formFaults
	faults.add("login", LoginFault(form.Login))
	faults.addPasswordFaults(form.Login, v.form("password"), v.form("repeated"))
	// The link is checked before any work is done.
	if err := d.config.Store.CheckSetupToken(ctx, store.HashOf(form.Link)); len(faults) > 0 || err != nil {
		return d.setupPage(v, form, faults)
	}
	hash, err := d.passwords.hash(ctx, v.form("password"))
	if err != nil {
		return err
	}
	account, err := d.config.Store.SetUp(ctx, store.HashOf(form.Link), store.Account{Login: form.Login, Password: hash})
	if errors.Is(err, store.ErrNotFound) { // another request was faster
		form.Link = ""
		return d.setupPage(v, form, nil)
	}
	if err != nil {
		return err
	}
	d.config.Log.InfoContext(ctx, "dashboard: the first account was made", "account", account.ID)
	if err := d.begin(v, account); err != nil {
		return err
	}
	return v.redirect(home)
}

// LoginFault says what is wrong with a new login, or nothing. Two logins that
// look the same would let one person pass for another.
func LoginFault(login string) string {
	switch {
	case login == "":
		return "Choose a login: a name or an e-mail address."
	case len(login) > maxLogin:
		return "The login is too long."
	case !utf8.ValidString(login) || strings.ContainsFunc(login, isOdd) || norm.NFKC.String(login) != norm.NFC.String(login):
		return "The login has characters that nobody could type, or that look like others: use letters, digits and signs of ASCII."
	case slices.ContainsFunc(strings.FieldsFunc(login, func(r rune) bool { return !unicode.IsLetter(r) }), isMixed):
		return "The login has a word with letters of two alphabets, which look alike."
	}
	return ""
}

// isOdd reports whether a character is no letter, mark, digit, or sign of
// ASCII, or is not seen.
func isOdd(r rune) bool {
	sign := r < unicode.MaxASCII && unicode.IsPrint(r) && r != ' '
	return !sign && !unicode.In(r, unicode.Letter, unicode.Mark, unicode.Digit) ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// isMixed reports whether a word has letters of two alphabets that share
// shapes.
func isMixed(word string) bool {
	alphabets := 0
	for _, alphabet := range []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic} {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(alphabet, r) }) {
			alphabets++
		}
	}
	return alphabets > 1
}
