package engine_test

import (
	"testing"

	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/lists"
)

// TestSetListsToNil checks that nil means the embedded lists, as in the
// configuration.
func TestSetListsToNil(t *testing.T) {
	none := new(lists.Lists)
	v, err := engine.New(engine.Config{Level: engine.LevelSyntax, Lists: none})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name string
		free bool
		set  *lists.Lists
	}{
		{"the embedded lists", true, nil},
		{"none", false, none},
	} {
		v.SetLists(step.set)
		r, err := v.Verify(t.Context(), "jane@gmail.com")
		if err != nil || r.Free != step.free {
			t.Errorf("%s: free %v, %v", step.name, r.Free, err)
		}
	}
}
