package smtpprobe_test

import "testing"

// TestSecondTransaction: a control that was not called unknown is asked for
// alone, where the answer matters.
func TestSecondTransaction(t *testing.T) {
	const tooMany = group + `
		S: 250 sender
		S: 250 yes
		S: 452 4.5.3 too many recipients
		S: 250 reset
		C: MAIL FROM:<>
		C: RCPT TO:<random@example.com>
		C: RSET
	`
	const inTurn = lockStep + `
		C: RCPT TO:<alice@example.com>
		S: 250 yes
		C: RCPT TO:<random@example.com>
	`
	testDialogues(t, []dialogue{
		{
			name:   "a control beyond the limit on recipients gets a transaction of its own",
			host:   tooMany + "S: 250 sender\nS: 550 5.1.1 unknown\nS: 250 reset",
			client: greets + asksBoth + asksAgain + quits,
			found:  goodFound,
		},
		{
			name:   "no second transaction for a target that was refused",
			host:   group + "S: 250 sender\nS: 550 5.1.1 unknown\nS: 452 4.5.3 too many recipients\nS: 250 reset",
			client: greets + asksBoth + quits,
			found:  "greeting 220, ehlo 250, mail 250, target 550, control 452",
		},
		{
			name:   "the limit stands when the second MAIL is refused",
			host:   tooMany + "S: 450 enough\nS: 503 no MAIL\nS: 250 reset",
			client: greets + asksBoth + asksAgain + quits,
			found:  "greeting 220, ehlo 250, mail 250, target 250, control 452",
		},
		{
			name:   "the limit stands when the server leaves instead",
			host:   tooMany + "S: 421 enough",
			client: greets + asksBoth + asksAgain + quits,
			found:  "greeting 220, ehlo 250, mail 250, target 250, control 452",
		},
		{
			name: "a control that is refused for good for being the second gets one, too",
			host: inTurn + `
				S: 550 bounce messages have only one recipient
				C: RSET
				S: 250 reset
				C: MAIL *
				S: 250 sender
				C: RCPT TO:<random@example.com>
				S: 550 Unrouteable address`,
			client: greets + asksBoth + asksAgain + quits,
			found:  goodFound,
		},
		{
			name: "a control that is refused by policy gets one, too, and the target behind it",
			host: inTurn + `
				S: 550 5.7.1 blocked
				C: RSET
				S: 250 reset
				C: MAIL *
				S: 250 sender
				C: RCPT TO:<random@example.com>
				S: 550 5.7.1 blocked
				C: RSET
				S: 250 reset
				C: MAIL *
				S: 250 sender
				C: RCPT TO:<alice@example.com>
				S: 550 5.7.1 blocked
				C: RSET
				S: 250 reset`,
			client: greets + asksBoth + asksAgain + asksOne + "RSET\n" + quits,
			found:  goodFound + ", behind 550",
		},
		{
			name: "the second transaction in lock-step",
			host: inTurn + `
				S: 452 too many recipients
				C: RSET
				S: 250 reset
				C: MAIL *
				S: 250 sender
				C: RCPT TO:<random@example.com>
				S: 250 yes`,
			client: greets + asksBoth + asksAgain + quits,
			found:  "greeting 220, ehlo 250, mail 250, target 250, control 250",
		},
	})
}

// Test421: it says that the host is about to go (RFC 5321 §3.8), whatever it is
// a reply to.
func Test421(t *testing.T) {
	testDialogues(t, []dialogue{
		{
			name:   "no control after the target's 421",
			host:   lockStep + "C: RCPT *\nS: 421 enough",
			client: greets + asksOne + quits,
			found:  "greeting 220, ehlo 250, mail 250, target 421",
		},
		{
			name: "421 to everything in the group",
			host: group + `
				S: 250 sender
				raw: 421 enough\r\n421 enough\r\n`,
			client: greets + asksBoth + quits,
			found:  "greeting 220, ehlo 250, mail 250, target 421",
		},
		{
			name: "the control's reply after the target's 421 does not matter",
			host: group + `
				S: 250 sender
				raw: 421 enough\r\n250 yes\r\n`,
			client: greets + asksBoth + quits,
			found:  "greeting 220, ehlo 250, mail 250, target 421",
		},
		{
			name: "421 unasked stands for the control's reply",
			host: lockStep + `
				C: RCPT *
				raw: 550 no\r\n421 too many errors\r\n`,
			client: greets + asksOne + quits,
			found:  "greeting 220, ehlo 250, mail 250, target 550, control 421",
		},
	})
}
