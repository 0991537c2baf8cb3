// Package snippets has small programs that verify an address with this server,
// to copy from its pages.
package snippets

import (
	"embed"
	"net/http"
	"strings"
	"text/template"
)

//go:embed programs
var files embed.FS

// programs are no pages: the page that shows one escapes it.
var programs = template.Must(template.ParseFS(files, "programs/*.txt"))

// Snippet is a program in a language.
type Snippet struct {
	ID, Language, Code string
}

// Of returns programs that ask the server at base with the key, or with that of
// the environment where it is empty. A key has letters, digits and underscores
// only, and a base from [Base] nothing else that means anything in one of the
// languages.
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

// Base is where the client of a request reaches the server, unless the
// requested host has characters with a meaning in a shell or a string: it
// becomes part of programs to copy, and a link to the page by another name must
// not be able to write into them.
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
