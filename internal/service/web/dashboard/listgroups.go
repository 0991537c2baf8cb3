package dashboard

import (
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/internal/service/store"
)

// groupText is a group for people.
type groupText struct {
	Name  string
	Tone  string // of its colours
	About string
}

var groupTexts = map[bulk.Group]groupText{
	bulk.GroupSafe:  {"Safe", "good", "mail them"},
	bulk.GroupRisky: {"Risky", "warn", "you decide; the reason says why"},
	bulk.GroupBad:   {"Bad", "bad", "do not mail them"},
	bulk.GroupRetry: {"Retry", "calm", "verify them again first"},
	bulk.GroupNone:  {"No address", "blank", "nothing to mail, nothing bad"},
}

// groupCard is a group of rows with its downloads.
type groupCard struct {
	groupText
	Group     bulk.Group
	Rows      int64
	Addresses int64 // distinct ones
	Whole     int64 // rows with a result
	Wanted    bool  // only its rows are shown
	Link      string
}

// downloadPart is what can be downloaded of a list.
type downloadPart struct{ ID, Path, Name string }

// groupsOf are the groups of a list. Their shares are those of the rows that
// have a result.
func groupsOf(j store.Job) (all []groupCard) {
	var whole int64
	for _, group := range bulk.Groups() {
		n := j.Groups[string(group)]
		whole += n.Rows
		all = append(all, groupCard{groupText: groupTexts[group], Group: group, Rows: n.Rows, Addresses: n.Addresses})
	}
	for i := range all {
		all[i].Whole = whole
	}
	return all
}

// barOf shows the groups of a list as parts of its rows.
func barOf(j store.Job) (bar []segment) {
	x := 0.0
	for _, g := range groupsOf(j) {
		if g.Rows > 0 && j.Rows > 0 {
			w := 100 * float64(g.Rows) / float64(j.Rows)
			bar = append(bar, segment{Tone: g.Tone, Name: g.Name, X: x, W: w, Count: g.Rows})
			x += w
		}
	}
	if bar == nil {
		return resultsBar(j)
	}
	return bar
}

// resultsBar is that of a list whose groups were not counted.
func resultsBar(j store.Job) (bar []segment) {
	x := 0.0
	for _, name := range verdicts {
		if n := j.Results[name]; n > 0 && j.Addresses > 0 {
			w := 100 * float64(n) / float64(j.Addresses)
			bar = append(bar, segment{Tone: toneOf(name), Name: name, X: x, W: w, Count: n})
			x += w
		}
	}
	return bar
}
