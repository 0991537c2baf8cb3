package wire

import (
	"errors"
	"slices"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// Extensions that may be on trial: a host offers them, and the machine behind
// it, or between us and it, may not have them.
const (
	STARTTLS   = "STARTTLS"
	PIPELINING = "PIPELINING"
)

// Trial is the extension that is in use and has not proved yet to work with
// this host; empty: there is none. If the session ends now, that may be why.
func (c *Conn) Trial() string { return c.trial }

// Try begins the trial of an extension, unless there is one already.
func (c *Conn) Try(keyword string) {
	if c.trial == "" {
		c.trial = keyword
	}
}

// Passed ends the trial of an extension: whatever happens now, it is not why.
func (c *Conn) Passed(keyword string) {
	if c.trial == keyword {
		c.trial = ""
	}
}

// FailedTrial returns the extension on whose trial the session ended with an
// error; empty: it did not. That a caller gives up is no such end, and neither
// is a reply to a group that breaks the protocol: it would do so outside of
// one.
func (c *Conn) FailedTrial(err error) string {
	var failure *smtp.Failure
	if err == nil || errors.As(err, &failure) &&
		(failure.Kind == smtp.KindCancelled || failure.Kind == smtp.KindProtocol && c.trial != STARTTLS) {
		return ""
	}
	return c.trial
}

// Shun sets which extensions are not to be used from now on.
func (c *Conn) Shun(keywords []string) {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.peer.Shunned = keywords
}

// Shunned are the extensions that the host offers and that are not used.
func (c *Conn) Shunned() []string {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	var shunned []string
	for _, keyword := range c.opening.Extensions {
		if slices.Contains(c.peer.Shunned, keyword) {
			shunned = append(shunned, keyword)
		}
	}
	return shunned
}
