package replies

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestAfterDATA reads replies to a message that went to jane@acme.example, and
// perhaps to others. One proves something about her mailbox only if it names it
// alone, under an enhanced status code that is about addresses or mailboxes.
func TestAfterDATA(t *testing.T) {
	for text, want := range map[string]Class{
		// about the mailbox
		"550 5.1.1 <jane@acme.example>: Recipient address rejected: User unknown in local recipient table":        ClassNoSuchUser,
		"550 5.1.1 <Jane@Acme.Example> User doesn't exist: jane@acme.example":                                     ClassNoSuchUser,
		"550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient jane@acme.example not found by SMTP address lookup": ClassNoSuchUser,
		"550 5.2.1 The account jane@acme.example is disabled":                                                     ClassDisabled,
		"552 5.2.2 <jane@acme.example> Quota exceeded (mailbox for user is full)":                                 ClassMailboxFull,
		"452 4.2.2 <jane@acme.example> Quota exceeded (mailbox for user is full)":                                 ClassMailboxFull,
		"450 4.1.1 <jane@acme.example>: User unknown":                                                             ClassTemporary,
		// about some mailbox of the message
		"550 5.1.1 User unknown":                                                                   ClassAmbiguous,
		"550 5.1.1 RESOLVER.ADR.RecipNotFound; not found":                                          ClassAmbiguous,
		"550 5.2.1 The email account that you tried to reach is disabled":                          ClassAmbiguous,
		"552 5.2.2 Mailbox full":                                                                   ClassAmbiguous,
		"550 5.1.1 <joe@acme.example>: User unknown":                                               ClassAmbiguous,
		"550 5.1.1 <jane@acme.example>,<joe@acme.example>: User unknown":                           ClassAmbiguous,
		"550-5.1.1 Message to jane@acme.example refused\n550 5.1.1 joe@acme.example: User unknown": ClassAmbiguous,
		"554 sorry, no mailbox here by that name (#5.1.1)":                                         ClassAmbiguous,
		"550 No such user here":                                                                    ClassAmbiguous,
		"550 <jane@acme.example>: No such user here":                                               ClassAmbiguous,
		"550 5.7.1 <jane@acme.example>: No such user here":                                         ClassBlocked,
		"550 5.0.0 <jane@acme.example>: No such user here":                                         ClassAmbiguous,
		"550 5.4.1 Recipient address rejected: Access denied. [acme.protection.outlook.com]":       ClassBlocked,
		// about the message or its sender
		"550 5.1.1 <jane@acme.example>: rejected for policy reasons":                              ClassBlocked,
		"550 5.1.8 <news@shop.example>: Sender address rejected: Domain not found":                ClassBlocked,
		"550 5.1.1 <news@shop.example>: Sender address rejected: User unknown":                    ClassBlocked,
		"550 5.7.1 Spam message rejected":                                                         ClassBlocked,
		"554 5.7.0 Reject, id=12345-01 - SPAM":                                                    ClassBlocked,
		"550 5.7.26 This mail has been blocked because the sender is unauthenticated.":            ClassBlocked,
		"550 5.7.509 Access denied, sending domain shop.example does not pass DMARC verification": ClassBlocked,
		"552 5.3.4 Message size exceeds fixed limit":                                              ClassAmbiguous,
		"554 5.6.1 Body type not supported by remote host":                                        ClassAmbiguous,
		"554 5.0.0 Transaction failed":                                                            ClassAmbiguous,
		"550 Message refused":                                                                     ClassBlocked,
		"451 4.7.1 Greylisted, please try again in 300 seconds":                                   ClassGreylisted,
		"451 4.3.0 Temporary lookup failure":                                                      ClassTemporary,
		"250 2.0.0 Ok: queued as 4XyZ":                                                            ClassOK,
	} {
		reply, err := smtp.ParseReply(strings.Split(text, "\n")...)
		if err != nil {
			t.Fatal(err)
		}
		q := Input{Phase: smtp.PhaseDATA, Reply: reply, Host: "mx.acme.example", Mailbox: "jane@acme.example", Sender: "news@shop.example"}
		if got := DefaultClassifier().Read(q); got.Class != want {
			t.Errorf("%q is read as %s by %s, want %s", text, got.Class, got.Rule, want)
		}
		q.Mailbox = "@acme.example"
		if got := DefaultClassifier().Read(q); got.Class.Dead() {
			t.Errorf("%q proves a mailbox dead that is not known", text)
		}
	}
}

// TestSamplesAfterDATA reads what rules know of replies to RCPT as replies to a
// message for somebody else: none is about that mailbox.
func TestSamplesAfterDATA(t *testing.T) {
	for _, r := range DefaultClassifier().rules().ordered {
		for _, sample := range r.samples {
			reply, err := smtp.ParseReply(strings.Split(sample, "\n")...)
			if err != nil {
				t.Fatal(r.id, err)
			}
			q := Input{Phase: smtp.PhaseDATA, Reply: reply, Host: "mx.acme.example", Mailbox: "jane@acme.example"}
			if got := DefaultClassifier().Read(q); got.Class.AboutMailbox() && reply.Refused() {
				t.Errorf("%q is read as %s", sample, got.Class)
			}
		}
	}
}
