package lists_test

import (
	"fmt"
	"strings"

	"github.com/rcpt/rcpt/lists"
)

func Example() {
	l, err := lists.New(lists.Addition{Kind: lists.KindAllow, Name: "ours.txt", From: strings.NewReader("sales@partner.example # a person")})
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
