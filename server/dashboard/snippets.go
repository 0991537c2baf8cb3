package dashboard

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed snippets
var snippetFiles embed.FS

// snippetTemplates are programs, not pages: the page escapes what comes of them.
var snippetTemplates = template.Must(template.ParseFS(snippetFiles, "snippets/*.txt"))

// snippet is a program to copy, in a language.
type snippet struct {
	ID, Language, Code string
}

// snippets are small programs that verify an address with the key, or with the key of the environment where it is empty. A key has letters,
// digits and underscores only, which mean nothing in any of the languages.
func snippets(base, key string) []snippet {
	all := []snippet{{ID: "curl", Language: "curl"}, {ID: "go", Language: "Go"}, {ID: "python", Language: "Python"}, {ID: "js", Language: "JavaScript"}}
	for i := range all {
		var code strings.Builder
		if err := snippetTemplates.ExecuteTemplate(&code, all[i].ID+".txt", struct{ Base, Key string }{base, key}); err == nil {
			all[i].Code = strings.TrimSpace(code.String())
		}
	}
	return all
}
