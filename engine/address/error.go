package address

import "fmt"

// Error tells why a string is not a mailbox, or what is irregular about one.
type Error struct {
	// Reason is one word of a closed set.
	Reason Reason `json:"reason"`
	// Pos is the byte offset in the given string at which the fault was found.
	Pos int `json:"pos"`
	// Detail says it for people, without a period: "local-part is longer than
	// 64 octets".
	Detail string `json:"detail"`
}

func (e *Error) Error() string { return e.Detail }

// shift moves the position by n bytes: from an offset in a part to one in the
// whole.
func (e *Error) shift(n int) *Error {
	e.Pos += n
	return e
}

func fail(reason Reason, pos int, format string, args ...any) *Error {
	return &Error{Reason: reason, Pos: pos, Detail: fmt.Sprintf(format, args...)}
}

// Reason is one lower_snake word of a closed set.
type Reason string

// The outline of the address.
const (
	ReasonEmpty         Reason = "empty"            // nothing was given
	ReasonMissingAt     Reason = "missing_at"       // no "@"
	ReasonSecondAt      Reason = "second_at"        // "@" in the domain
	ReasonEmptyLocal    Reason = "empty_local_part" // nothing before "@"
	ReasonEmptyDomain   Reason = "empty_domain"     // nothing after "@"
	ReasonAngleBracket  Reason = "angle_bracket"    // <user@example.com>
	ReasonSourceRoute   Reason = "source_route"     // @relay.example:user@example.com
	ReasonDisplayName   Reason = "display_name"     // Joe <user@example.com>
	ReasonHeaderComment Reason = "comment"          // user(comment)@example.com
	ReasonURIScheme     Reason = "uri_scheme"       // mailto:user@example.com
)

// Characters that may stand nowhere in an address.
const (
	ReasonIllFormedUTF8 Reason = "ill_formed_utf8"       // not UTF-8
	ReasonLineBreak     Reason = "line_break"            // CR, LF, U+2028, U+2029
	ReasonControl       Reason = "control_character"     // any other C0 control, DEL, C1 control
	ReasonBidiControl   Reason = "bidi_control"          // turns the direction of writing, such as U+202E
	ReasonInvisible     Reason = "invisible_character"   // such as U+200B; a joiner without letters to join
	ReasonNoncharacter  Reason = "noncharacter"          // never a character, such as U+FFFE
	ReasonReplacement   Reason = "replacement_character" // U+FFFD, U+FFFC: what stood there was lost on the way here
	ReasonSpace         Reason = "space"                 // or a tab, outside of quotes; beyond ASCII, anywhere
)

// The local-part.
const (
	ReasonLocalCharacter Reason = "local_part_character" // ASCII that only quotes allow
	ReasonLocalDot       Reason = "local_part_dot"       // a dot first, last, or after a dot
	ReasonQuoting        Reason = "quoting"              // not closed, or not around the whole local-part
	ReasonQuotedPair     Reason = "quoted_pair"          // backslash before anything but a printable ASCII character
)

// The domain.
const (
	// not a letter, digit, hyphen or dot, nor mapped to one by UTS #46
	ReasonDomainCharacter Reason = "domain_character"
	ReasonEmptyLabel      Reason = "empty_label"  // a dot first or after a dot
	ReasonTrailingDot     Reason = "trailing_dot" // a dot last
	ReasonLabelHyphen     Reason = "label_hyphen" // a hyphen first or last in a label
	// hyphens third and fourth in a label beyond ASCII, RFC 5891 §4.2.3.1
	ReasonReservedLabel    Reason = "reserved_label"
	ReasonInvalidALabel    Reason = "invalid_a_label"           // "xn--" without a valid U-label behind it
	ReasonInvalidULabel    Reason = "invalid_u_label"           // a leading combining mark, a joiner out of context
	ReasonBidiRule         Reason = "bidi_rule"                 // directions of writing mixed against RFC 5893
	ReasonDotless          Reason = "dotless_domain"            // one label; refused by policy
	ReasonNumericTLD       Reason = "numeric_tld"               // last label all digits; refused by policy
	ReasonAddressLiteral   Reason = "address_literal"           // well-formed, refused by policy
	ReasonMalformedLiteral Reason = "malformed_address_literal" // "[" without an address that RFC 5321 §4.1.3 knows
)

// Lengths, counted as sent.
const (
	ReasonLocalTooLong   Reason = "local_part_too_long" // over 64 octets
	ReasonLabelTooLong   Reason = "label_too_long"      // over 63 octets
	ReasonDomainTooLong  Reason = "domain_too_long"     // over 253 octets
	ReasonAddressTooLong Reason = "address_too_long"    // over 254 octets, or far over it before conversion
)
