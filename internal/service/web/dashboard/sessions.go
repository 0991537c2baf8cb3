package dashboard

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"github.com/rcpt/rcpt/internal/service/store"
)

// How long a sign-in lasts, after the last page and in all. An expiry is moved
// now and then and not with every page, because each time is a commit.
const (
	idleTimeout     = 12 * time.Hour
	absoluteTimeout = 7 * 24 * time.Hour
	extendEvery     = 5 * time.Minute
)

// The cookies. Over TLS they have the prefix with which a browser takes them
// from this host only, and only encrypted (RFC 6265bis §4.1.3.2).
const (
	sessionCookie = "rcpt_session"
	formCookie    = "rcpt_form" // for forms that are shown before the sign-in
	themeCookie   = "rcpt_theme"
	securePrefix  = "__Host-"
)

// recognise finds the session and the account of a visit.
func (d *Dashboard) recognise(v *visit) error {
	if d.config.Proxy != nil {
		return d.recogniseByProxy(v)
	}
	text := v.cookieText(sessionCookie)
	if text == "" {
		v.cookie = v.cookieText(formCookie)
		return nil
	}
	ctx := v.r.Context()
	session, account, err := d.config.Store.Session(ctx, store.HashOf(text))
	if errors.Is(err, store.ErrNotFound) {
		v.dropCookie(sessionCookie)
		v.cookie = v.cookieText(formCookie)
		return nil
	}
	if err != nil {
		return err
	}
	v.cookie, v.session, v.account = text, session, &account
	return d.extend(ctx, session)
}

// extend moves the expiry of a session that is in use, and never beyond its
// whole time.
func (d *Dashboard) extend(ctx context.Context, session store.Session) error {
	expires := earlier(d.config.Now().Add(idleTimeout), session.Created.Add(absoluteTimeout))
	if expires.Sub(session.Expires) < extendEvery {
		return nil
	}
	err := d.config.Store.ExtendSession(ctx, session.Hash, expires)
	if errors.Is(err, store.ErrNotFound) {
		return nil // it has just ended, with the next page
	}
	return err
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// begin signs the account in, as it was when its password was checked. The
// session always gets a new ID, and the session of the browser's cookie ends,
// so that a planted cookie is useless.
func (d *Dashboard) begin(v *visit, account store.Account) error {
	ctx, by := v.r.Context(), store.ByAccount(account.ID, account.Login)
	if old := v.cookieText(sessionCookie); old != "" {
		if err := d.config.Store.EndSession(ctx, by, store.HashOf(old)); err != nil {
			return err
		}
	}
	text := secret()
	now := d.config.Now()
	session := store.Session{Hash: store.HashOf(text), Account: account.ID, Created: now, Expires: now.Add(idleTimeout)}
	if err := d.config.Store.CreateSession(ctx, by, session); err != nil {
		return err
	}
	if err := d.stillValid(ctx, session, account); err != nil {
		return err
	}
	if !d.encrypted(v.r) && d.public != nil && d.public.Scheme == "https" {
		d.plain.Do(func() {
			d.config.Log.WarnContext(ctx, "dashboard: somebody signed in without TLS, although the public URL has it: "+
				"is the reverse proxy in --trusted-proxy, and does it set X-Forwarded-Proto?")
		})
	}
	client := d.config.Client(v.r)
	d.throttle.welcome(account.Login, client)
	if err := d.config.Store.RememberNetwork(ctx, account.ID, networkOf(client).String()); err != nil {
		d.config.Log.WarnContext(ctx, "dashboard: the network of a sign-in is not remembered", "error", err)
	}
	v.cookie, v.session = text, session
	v.setCookie(sessionCookie, text, http.SameSiteLaxMode)
	v.dropCookie(formCookie)
	return nil
}

// stillValid ends the new session if the password was changed after it was
// checked: the change ended only the sessions before it.
func (d *Dashboard) stillValid(ctx context.Context, begun store.Session, account store.Account) error {
	now, err := d.config.Store.Account(ctx, account.ID)
	if err != nil || now.Password == account.Password {
		return err
	}
	return errors.Join(errForged, d.config.Store.EndSession(ctx, store.ByAccount(account.ID, account.Login), begun.Hash))
}

// secret is 256 random bits as text.
func secret() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// token returns the token of our forms. It is derived from the cookie, which
// other sites can neither read nor set, and does not reveal the cookie.
func (v *visit) token() string {
	if v.cookie == "" {
		v.cookie = secret()
		v.setCookie(formCookie, v.cookie, http.SameSiteStrictMode)
	}
	return tokenOf(v.cookie)
}

func tokenOf(cookie string) string {
	mac := hmac.New(sha256.New, []byte(cookie))
	mac.Write([]byte("rcpt form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (v *visit) tokenHolds() bool {
	return v.cookie != "" && subtle.ConstantTimeCompare([]byte(v.form("token")), []byte(tokenOf(v.cookie))) == 1
}

func (v *visit) cookieName(name string) string {
	if v.secure {
		return securePrefix + name
	}
	return name
}

func (v *visit) cookieText(name string) string {
	cookie, err := v.r.Cookie(v.cookieName(name))
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (v *visit) setCookie(name, value string, site http.SameSite) {
	http.SetCookie(v.w, &http.Cookie{
		Name: v.cookieName(name), Value: value, Path: "/", HttpOnly: true, Secure: v.secure, SameSite: site,
	})
}

func (v *visit) dropCookie(name string) {
	http.SetCookie(v.w, &http.Cookie{
		Name: v.cookieName(name), Path: "/", MaxAge: -1, HttpOnly: true,
		Secure: v.secure, SameSite: http.SameSiteLaxMode,
	})
}
