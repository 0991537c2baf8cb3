package address_test

import (
	"errors"
	"fmt"

	"github.com/rcpt/rcpt/engine/address"
)

func ExampleParse() {
	for _, s := range []string{`"Info"@Bücher.example`, "жук@example.com", "first..last@example.com", "user@xn--0.example"} {
		a, err := address.Parse(s)
		var fault *address.Error
		if errors.As(err, &fault) {
			fmt.Printf("%s at byte %d: %s\n", fault.Reason, fault.Pos, fault.Detail)
			continue
		}
		fmt.Println(a.Mailbox(), a.NeedsSMTPUTF8())
	}
	// Output:
	// Info@xn--bcher-kva.example false
	// жук@example.com true
	// local_part_dot at byte 6: local-part has two dots in a row
	// invalid_a_label at byte 5: label begins with "xn--" but is not a valid A-label
}

func ExampleAddress_Canonical() {
	for _, s := range []string{"Jane.Doe+news@googlemail.com", "janedoe@gmail.com", "jane.doe+news@acme.example", "shop@jane.fastmail.com"} {
		a, err := address.Parse(s)
		fmt.Println(a.Canonical(), err)
	}
	// Output:
	// janedoe@gmail.com <nil>
	// janedoe@gmail.com <nil>
	// jane.doe+news@acme.example <nil>
	// jane@fastmail.com <nil>
}

func ExampleDomain() {
	d, err := address.Domain("ＢÜＣＨＥＲ。example")
	fmt.Println(d, err)
	// Output: xn--bcher-kva.example <nil>
}

func ExampleClean() {
	for _, s := range []string{`"Doe, Jane" <jane@a.example>`, "mailto:jane@a.example?subject=Hello", "a@b.example; c@d.example", "N/A"} {
		c := address.Clean(s)
		fmt.Printf("%q %v %q\n", c.Address, c.Several, c.Removed)
	}
	// Output:
	// "jane@a.example" false ["display name" "angle brackets"]
	// "jane@a.example" false ["mailto:"]
	// "" true []
	// "" false []
}
