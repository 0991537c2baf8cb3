// Package transaction carries out mail transactions that name recipients and
// send no mail: MAIL, RCPT for each recipient, RSET (RFC 5321 §3.3). What was
// said is one value of facts ([belief.Outcome]), which tells whether the
// replies were in step with their commands.
//
// It does not decide what a reply proves about a mailbox: that is up to package
// belief. It knows nothing of jobs, queues and limits: that is up to package
// smtpprobe. What is said on a connection before and after, and how, is up to
// package wire.
package transaction
