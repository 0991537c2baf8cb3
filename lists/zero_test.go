package lists

import "testing"

// TestZeroBundle checks that a Bundle without an edition is an error.
func TestZeroBundle(t *testing.T) {
	if l, err := new(Bundle).New(); err == nil {
		t.Errorf("lists %v", l.Info())
	}
}

// TestZeroLists checks that Lists that New did not make have no entries.
func TestZeroLists(t *testing.T) {
	var l Lists
	if got := l.Match("info", "gmail.com"); len(got) > 0 {
		t.Errorf("matches %v", got)
	}
	if got := l.MatchHosts("gmial.com", []string{"mx.example.com"}); len(got) > 0 {
		t.Errorf("matches of the hosts %v", got)
	}
	if got, ok := l.Suggest("gmial.com"); ok {
		t.Errorf("suggests %s", got)
	}
	if got := l.Info(); len(got) > 0 {
		t.Errorf("info %v", got)
	}
	for got := range l.Entries(KindFree) {
		t.Errorf("entry %v", got)
	}
}
