package smtpprobe_test

// Beginnings of scripts.
const (
	// lockStep is a host without PIPELINING, up to the first RCPT.
	lockStep = `
		S: 220 mx
		C: EHLO *
		S: 250 mx
		C: MAIL *
		S: 250 sender
	`
	// pipelining is a host that offers it, up to MAIL.
	pipelining = `
		S: 220 mx
		C: EHLO *
		S: 250-mx
		S: 250 PIPELINING
	`
	// flight goes up to the reading of a flight.
	flight = pipelining + `
		C: MAIL *
		C: RCPT *
		C: RCPT *
	`
	// beforeTLS goes up to the answer to STARTTLS.
	beforeTLS = `
		S: 220 mx
		C: EHLO *
		S: 250-mx
		S: 250 STARTTLS
		C: STARTTLS
	`
	// starttls goes up to the end of the handshake.
	starttls = beforeTLS + `
		S: 220 go
		starttls
	`
)

// What a client sends.
const (
	greets    = "EHLO probe.example\n"
	asksOne   = greets + "MAIL FROM:<>\nRCPT TO:<alice@example.com>\n"
	asks      = asksOne + "RCPT TO:<random@example.com>\n"
	asksAgain = "RSET\nMAIL FROM:<>\nRCPT TO:<random@example.com>\n" // about the control alone
	quits     = "QUIT\n"
)
