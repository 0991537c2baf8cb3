package lists_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/lists"
)

func ExampleLists_Has() {
	l, err := lists.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Has(lists.KindDisposable, "", "mailinator.com"), l.Has(lists.KindRole, "support", ""), l.Has(lists.KindFree, "", "gmail.com"))
	// Output: true true true
}

func TestHas(t *testing.T) {
	l, err := lists.New(
		lists.Addition{Kind: lists.KindAllow, Name: "ours", From: strings.NewReader("sales@partner.example\n")},
		lists.Addition{Kind: lists.KindSpamTrap, Name: "ours", From: strings.NewReader("bait@a.example\n")},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		list          lists.Kind
		local, domain string
		want          bool
	}{
		{lists.KindRole, "sales", "a.example", true},
		{lists.KindRole, "sales", "partner.example", false}, // allowed
		{lists.KindAllow, "sales", "partner.example", true},
		{lists.KindDisposable, "sales", "a.example", false},
		{lists.KindSpamTrap, "bait", "a.example", true},
		{lists.KindSpamTrap, "other", "a.example", false},
	} {
		if got := l.Has(tt.list, tt.local, tt.domain); got != tt.want {
			t.Errorf("%s: %s@%s: %v", tt.list, tt.local, tt.domain, got)
		}
	}
	for weak := range l.Entries(lists.KindSpamTrap) { // a hint is none
		if local, domain, ok := strings.Cut(weak.Entry, "@"); ok && weak.Confidence == lists.ConfidenceWeak && l.Has(lists.KindSpamTrap, local, domain) {
			t.Errorf("%s is a weak hint", weak.Entry)
		}
	}
	if n := testing.AllocsPerRun(100, func() { l.Has(lists.KindDisposable, "alice", "mailinator.com") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
