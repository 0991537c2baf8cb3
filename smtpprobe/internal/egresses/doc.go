// Package egresses chooses the egress by which a mail host is asked, and knows
// which of them work. The rules are in the package comment of smtpprobe.
//
// The package opens no connection, takes no lock and asks no clock: callers do,
// and tell it the time.
package egresses
