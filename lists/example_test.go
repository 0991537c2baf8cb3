package lists_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rcpt/rcpt/lists"
)

func Example() {
	l, err := lists.New(lists.Addition{Kind: lists.Allow, Name: "ours.txt", From: strings.NewReader("sales@partner.example # a person")})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range append(l.Match("Support+web", "a.mailinator.com"), l.Match("sales", "partner.example")...) {
		fmt.Println(m.List, m.Entry)
	}
	// Output:
	// role support
	// disposable mailinator.com
	// allow sales@partner.example
}

// The lists work without the engine: whether a domain is disposable or a
// local-part names a role is a look-up in memory.
func ExampleLists_Match() {
	l, err := lists.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	on := func(kind lists.Kind, local, domain string) bool {
		return slices.ContainsFunc(l.Match(local, domain), func(m lists.Match) bool { return m.List == kind })
	}
	fmt.Println(on(lists.Disposable, "", "mailinator.com"), on(lists.Disposable, "", "example.com"))
	fmt.Println(on(lists.Free, "", "gmail.com"), on(lists.Role, "postmaster", ""))
	// Output:
	// true false
	// true true
}

func ExampleLists_Suggest() {
	l, err := lists.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Suggest("gmial.com"))
	fmt.Println(l.Suggest("example.com"))
	// Output:
	// gmail.com true
	//  false
}
