package smtpprobe_test

// Parts of scripts.
const (
	// heard goes up to the answer to EHLO.
	heard = "S: 220 mx\nC: EHLO *\n"
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
	// askedBoth has heard a transaction with target and control in one group.
	askedBoth = `
		C: MAIL *
		C: RCPT *
		C: RCPT *
		C: RSET
	`
	// yesNo is the answer that accepts the target and refuses the control.
	yesNo = "S: 250 sender\nS: 250 yes\nS: 550 5.1.1 unknown\nS: 250 reset"
	// group goes up to the reading of a transaction in one group.
	group = pipelining + askedBoth
	// noEHLO is a host that has to be greeted with HELO, up to its answer to
	// that.
	noEHLO = `
		S: 220 mx
		C: EHLO *
		S: 502 what?
		C: HELO *
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
	// answers is what a host without PIPELINING says to MAIL, the target and
	// the control.
	answers = `
		C: MAIL *
		S: 250 sender
		C: RCPT *
		S: 250 yes
		C: RCPT *
		S: 550 5.1.1 unknown
	`
)

// What a client sends.
const (
	greets    = "EHLO probe.example\n"
	asksOne   = "MAIL FROM:<>\nRCPT TO:<alice@example.com>\n"
	asksBoth  = asksOne + "RCPT TO:<random@example.com>\nRSET\n"
	asksAgain = "MAIL FROM:<>\nRCPT TO:<random@example.com>\nRSET\n" // about the control alone
	quits     = "QUIT\n"
)
