// Package snippets has example programs that verify an address with this
// server, for its pages.
package snippets

import (
	"embed"
	"net/http"
	"strings"
	"text/template"
)

//go:embed programs
var files embed.FS

// programs are not escaped for HTML; the page that shows one escapes it.
var programs = template.Must(template.ParseFS(files, "programs/*.txt"))

// Snippet is a program in a language.
type Snippet struct {
	ID, Language, Code string
}

// Of returns programs that use the server at base with the key or, if it is
// empty, with the key in the environment. A key has only letters, digits and
// underscores, and a base from [Base] has no characters that are special in one
// of the languages.
func Of(base, key string) []Snippet {
	all := []Snippet{
		{ID: "curl", Language: "curl"}, {ID: "go", Language: "Go"},
		{ID: "python", Language: "Python"}, {ID: "js", Language: "JavaScript"},
	}
	for i := range all {
		var code strings.Builder
		if err := programs.ExecuteTemplate(&code, all[i].ID+".txt", struct{ Base, Key string }{base, key}); err == nil {
			all[i].Code = strings.TrimSpace(code.String())
		}
	}
	return all
}

// unnamed takes the place of a host that cannot be shown.
const unnamed = "YOUR-SERVER"

const hostCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:[]"

// Base is the URL at which the client of a request reaches the server, unless
// the requested host has characters that are special in a shell or a string.
// The host becomes part of programs that people copy, and a link to the page
// with a crafted host must not inject code into them.
func Base(r *http.Request, encrypted bool) string {
	scheme, host := "http://", r.Host
	if encrypted {
		scheme = "https://"
	}
	if host == "" || strings.ContainsFunc(host, func(c rune) bool { return !strings.ContainsRune(hostCharacters, c) }) {
		host = unnamed
	}
	return scheme + host
}
