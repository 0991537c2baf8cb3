package guide

import "strings"

// shelf is what somebody with a purpose reads.
type shelf struct {
	Name, About string
	Documents   []document
}

// shelves are those of the first page: a name, a sentence, and the files in the
// order in which they are read.
var shelves = []struct{ name, about, files string }{
	{"I have a list", "Clean it here or on the command line, and know what its words mean.",
		"dashboard planning gate from-services"},
	{"I have a sign-up form", "Ask from your program, and let people in rightly.",
		"signup http testing webhooks switching from-services"},
	{"I run the server", "Install it, watch it, and let it grow.",
		"deploy doctor egress monitoring pacing scaling security privacy"},
	{"I write Go", "The engine in your own program.",
		"embedding from-aftership architecture"},
	{"I use the command", "Every command and flag, and how verdicts come about.",
		"commands agents replies lists performance"},
}

// shelvesOf puts documents on their shelves. One may stand on several.
func shelvesOf(all []document) []shelf {
	byName := map[string]document{}
	for _, d := range all {
		byName[strings.TrimPrefix(d.Path, Path+"/")] = d
	}
	var filled []shelf
	for _, s := range shelves {
		next := shelf{Name: s.name, About: s.about}
		for _, file := range strings.Fields(s.files) {
			if d, found := byName[file]; found {
				next.Documents = append(next.Documents, d)
			}
		}
		filled = append(filled, next)
	}
	return filled
}
