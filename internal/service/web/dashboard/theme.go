package dashboard

import "net/http"

// themeLifetime is how long a browser keeps the choice, in seconds: a year.
const themeLifetime = 365 * 24 * 60 * 60

// themeOf is the look that the visitor has chosen: "light", "dark" or "auto",
// which is as the system has it.
func themeOf(v *visit) string {
	switch theme := v.cookieText(themeCookie); theme {
	case "light", "dark":
		return theme
	}
	return "auto"
}

// setTheme keeps the choice in a cookie and goes back.
func (d *Dashboard) setTheme(v *visit) error {
	theme := v.form("theme")
	if theme != "light" && theme != "dark" {
		theme = "auto"
	}
	http.SetCookie(v.w, &http.Cookie{Name: v.cookieName(themeCookie), Value: theme, Path: "/", MaxAge: themeLifetime, HttpOnly: true,
		Secure: v.secure, SameSite: http.SameSiteLaxMode})
	return v.redirect(ownPath(v.form("back")))
}
