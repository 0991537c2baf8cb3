package address

// Error tells why a string is not a mailbox that rcpt can verify.
type Error struct {
	// Reason is one word of a closed set.
	Reason Reason
	// Pos is the byte offset in the given string at which the fault was found.
	Pos int
	// Detail says it for people, without a period: "local-part is longer than 64 octets".
	Detail string
}

// Reason is one lower_snake word of a closed set.
type Reason string

func (e *Error) Error() string { return e.Detail }
