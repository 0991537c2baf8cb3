// Package dialogue carries out mail transactions that name recipients and send
// no mail: MAIL, RCPT for each recipient, RSET (RFC 5321 §3.3). A transaction
// tells whether its replies are in step with its commands.
//
// It does not decide what a reply proves about a mailbox, and knows nothing of
// jobs, queues and limits: that is up to package smtpprobe. What is said on a
// connection before and after, and how, is up to package wire.
package dialogue
