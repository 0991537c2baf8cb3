// Package dashboard serves the pages for operators: API keys, a form to check
// an address, lists, webhooks, usage, health and the account. Each page has a
// file of its name and a template.
//
// The pages are rendered on the server and work without script; script adds
// conveniences. All assets are embedded, and pages load nothing from other
// hosts.
//
// # Forms
//
// A form with errors comes back with what was typed, except passwords. All
// errors are shown at once, each at its field, and the first wrong field has
// the focus.
//
// # Signing in
//
// The first account is made with a link from [Dashboard.SetupURL], which works
// once and for a day. Passwords are kept as argon2id (RFC 9106). Guesses are
// slowed down by account and by network; that does not lock out people on
// networks from which the account was signed in to before. A login that does
// not exist costs as much work as one that does, and gets the same answer. A
// session is a cookie of 256 random bits, of which the store has the hash. It
// ends 12 hours after the last page, 7 days after the sign-in, at sign-out, and
// with every change of the password.
//
// # Other sites
//
// Every form carries a token that only the browser with the cookie has, and
// requests from other sites are also refused ([http.CrossOriginProtection]).
// The content security policy allows no script and no style but the two files
// of this package, and no frame around a page. No redirect leads to an address
// that a request names.
//
// The dashboard does not log logins, addresses or anything else in a request.
// The addresses that were checked last are kept only by the browser.
package dashboard
