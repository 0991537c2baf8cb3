//go:build e2e && linux

package e2e

// verdict is a question and the answer it must get.
type verdict struct {
	name   string
	ask    question
	result string
	reason string
	host   string // the mail host whose reply decided; empty: not looked at
}

func at(address string) question { return question{address: address} }

func postfixCases() []verdict {
	return []verdict{
		{"local table, mailbox", at("alice@local.pf.example"), "deliverable", "recipient_accepted", "stock.postfix.example"},
		{"local table, no mailbox", at("nosuch@local.pf.example"), "undeliverable", "mailbox_not_found", "stock.postfix.example"},
		{"local table, role address", at("postmaster@local.pf.example"), "deliverable", "recipient_accepted", ""},
		{"virtual mailbox table, mailbox", at("alice@mailbox.pf.example"), "deliverable", "recipient_accepted", ""},
		{"virtual mailbox table, no mailbox", at("nosuch@mailbox.pf.example"), "undeliverable", "mailbox_not_found", ""},
		{"virtual alias table, mailbox", at("alice@alias.pf.example"), "deliverable", "recipient_accepted", ""},
		{"virtual alias table, no mailbox", at("nosuch@alias.pf.example"), "undeliverable", "mailbox_not_found", ""},
		{"relay table, mailbox", at("alice@relay.pf.example"), "deliverable", "recipient_accepted", ""},
		{"relay table, no mailbox", at("nosuch@relay.pf.example"), "undeliverable", "mailbox_not_found", ""},
		{"catch-all", at("anybody@catchall.pf.example"), "accept-all", "catch_all", ""},
		{"relocated", at("moved@mailbox.pf.example"), "undeliverable", "mailbox_moved", ""},
		{"relay access denied, 454", at("alice@notserved.pf.example"), "unknown", "not_our_domain", ""},
		{"relay access denied, 554", question{address: "alice@notserved.strict.pf.example", mailFrom: "alice@probe.example"},
			"unknown", "not_our_domain", ""},

		{"full, 452 4.2.2", at("full@mailbox.pf.example"), "unknown", "mailbox_full", ""},
		{"full, 552 5.2.2", at("fuller@mailbox.pf.example"), "unknown", "mailbox_full", ""},
		{"full, 450 4.2.2", at("heavy@mailbox.pf.example"), "unknown", "mailbox_full", ""},
		{"disabled, 550 5.2.1", at("disabled@mailbox.pf.example"), "undeliverable", "mailbox_disabled", ""},
		{"deferred by policy, 450 4.7.1", at("tempfail@mailbox.pf.example"), "unknown", "blocked", ""},
		{"421 at RCPT", at("closing@mailbox.pf.example"), "unknown", "temporary_failure", ""},

		{"no STARTTLS, no PIPELINING", at("alice@ascii.pf.example"), "deliverable", "recipient_accepted", ""},
		{"no STARTTLS, no PIPELINING, no mailbox", at("nosuch@ascii.pf.example"), "undeliverable", "mailbox_not_found", ""},
		{"STARTTLS required", at("alice@encrypt.pf.example"), "deliverable", "recipient_accepted", ""},
		{"STARTTLS required, no mailbox", at("nosuch@encrypt.pf.example"), "undeliverable", "mailbox_not_found", ""},
		{"STARTTLS fails", at("alice@brokentls.pf.example"), "deliverable", "recipient_accepted", ""},
		{"STARTTLS fails, no mailbox", at("nosuch@brokentls.pf.example"), "undeliverable", "mailbox_not_found", ""},

		{"greylisting before the mailbox", at("nosuch@greyfirst.pf.example"), "unknown", "greylisted", ""},
		{"greylisting after the mailbox", at("nosuch@greylast.pf.example"), "undeliverable", "mailbox_not_found", ""},
		{"postscreen's wait", at("alice@screen.pf.example"), "deliverable", "recipient_accepted", ""},
		{"postscreen's wait, no mailbox", at("nosuch@screen.pf.example"), "undeliverable", "mailbox_not_found", ""},

		{"block list of postscreen", at("alice@screenrbl.pf.example"), "unknown", "blocked", ""},
		{"block list", at("alice@rbl.pf.example"), "unknown", "blocked", ""},
		{"block list, no mailbox", at("nosuch@rbl.pf.example"), "unknown", "blocked", ""},
		{"client refused at RCPT", at("nosuch@client.pf.example"), "unknown", "blocked", ""},
		{"client refused at once", at("nosuch@noconnect.pf.example"), "unknown", "blocked", ""},
		{"null reverse-path refused", at("nosuch@strict.pf.example"), "unknown", "blocked", ""},
		{"HELO name not qualified", question{address: "nosuch@strict.pf.example", helo: "probe", mailFrom: "alice@probe.example"},
			"unknown", "blocked", ""},
		{"HELO name not found", question{address: "nosuch@strict.pf.example", helo: "no.such.example", mailFrom: "alice@probe.example"},
			"unknown", "blocked", ""},
		{"sender's domain not found", question{address: "nosuch@strict.pf.example", mailFrom: "alice@no.such.example"},
			"unknown", "blocked", ""},
		{"strict host content", question{address: "alice@strict.pf.example", mailFrom: "alice@probe.example"},
			"deliverable", "recipient_accepted", ""},
		{"strict host content, no mailbox", question{address: "nosuch@strict.pf.example", mailFrom: "alice@probe.example"},
			"undeliverable", "mailbox_not_found", ""},

		{"one recipient a transaction", at("alice@onlyone.pf.example"), "deliverable", "recipient_accepted", ""},
		{"one recipient a transaction, no mailbox", at("nosuch@onlyone.pf.example"), "undeliverable", "mailbox_not_found", ""},
		{"one error a session", at("alice@stress.pf.example"), "deliverable", "recipient_accepted", ""},
		{"one error a session, no mailbox", at("nosuch@stress.pf.example"), "undeliverable", "mailbox_not_found", ""},
		{"recipient verification passes at the next host", at("alice@verify.pf.example"), "unknown", "control_inconclusive", ""},
		{"recipient verification fails at the next host", at("nosuch@verify.pf.example"), "unknown", "temporary_failure", ""},

		{"IDN", at("alice@bücher.example"), "deliverable", "recipient_accepted", ""},
		{"IDN, no mailbox", at("nosuch@BÜCHER.example"), "undeliverable", "mailbox_not_found", ""},
		{"SMTPUTF8", at("用户@bücher.example"), "deliverable", "recipient_accepted", ""},
		{"SMTPUTF8, ASCII domain", at("jürgen@mailbox.pf.example"), "deliverable", "recipient_accepted", ""},
		{"SMTPUTF8, no mailbox", at("用戶@bücher.example"), "undeliverable", "mailbox_not_found", ""},
		{"SMTPUTF8 not offered", at("jürgen@ascii.pf.example"), "undeliverable", "smtputf8_unsupported", ""},
	}
}

func eximCases() []verdict {
	return []verdict{
		{"mailbox", at("alice@stock.ex.example"), "deliverable", "recipient_accepted", "stock.exim.example"},
		{"no mailbox", at("nosuch@stock.ex.example"), "undeliverable", "mailbox_not_found", "stock.exim.example"},
		{"alias", at("alice@alias.ex.example"), "deliverable", "recipient_accepted", ""},
		{"alias fails", at("gone@alias.ex.example"), "undeliverable", "mailbox_disabled", ""},
		{"alias fails with a code", at("left@alias.ex.example"), "undeliverable", "mailbox_not_found", ""},
		{"alias deferred", at("later@alias.ex.example"), "unknown", "temporary_failure", ""},
		{"no alias", at("nosuch@alias.ex.example"), "undeliverable", "mailbox_not_found", ""},
		{"catch-all", at("anybody@catchall.ex.example"), "accept-all", "catch_all", ""},
		{"quota left", at("alice@quota.ex.example"), "deliverable", "recipient_accepted", ""},
		{"over quota", at("full@quota.ex.example"), "unknown", "mailbox_full", ""},
		{"over quota, no mailbox", at("nosuch@quota.ex.example"), "undeliverable", "mailbox_not_found", ""},
		{"relay not permitted", at("alice@notserved.ex.example"), "unknown", "not_our_domain", ""},
		{"recipient callout", at("alice@relay.ex.example"), "deliverable", "recipient_accepted", ""},
		{"recipient callout, no mailbox", at("nosuch@relay.ex.example"), "undeliverable", "mailbox_not_found", ""},
		{"recipient callout to nobody", at("alice@deadrelay.ex.example"), "unknown", "temporary_failure", ""},
		{"block list", at("alice@rbl.ex.example"), "unknown", "blocked", ""},
		{"sender callout passes", question{address: "alice@callout.ex.example", mailFrom: "alice@probe.example"},
			"deliverable", "recipient_accepted", ""},
		{"sender callout passes, no mailbox", question{address: "nosuch@callout.ex.example", mailFrom: "alice@probe.example"},
			"undeliverable", "mailbox_not_found", ""},
		{"sender callout refused", question{address: "alice@callout.ex.example", mailFrom: "nosuch@probe.example"},
			"unknown", "blocked", ""},
		{"sender callout refused, remembered", question{address: "nosuch@callout.ex.example", mailFrom: "nosuch@probe.example"},
			"unknown", "blocked", ""},
		{"sender unrouteable", question{address: "alice@callout.ex.example", mailFrom: "alice@no.such.example"},
			"unknown", "blocked", ""},
		{"sender callout impossible", question{address: "alice@callout.ex.example", mailFrom: "alice@dead.example"},
			"unknown", "blocked", ""},
		{"slow greeting and slow replies", at("alice@slow.ex.example"), "deliverable", "recipient_accepted", ""},
		{"refused at once", at("nosuch@reject.ex.example"), "unknown", "blocked", ""},
		{"421 greeting", at("nosuch@full.ex.example"), "unknown", "rate_limited", ""},
		{"451 greeting", at("nosuch@busy.ex.example"), "unknown", "temporary_failure", ""},
		{"rate limit", at("nosuch@ratelimit.ex.example"), "unknown", "rate_limited", ""},
		{"SMTPUTF8 not offered", at("jürgen@stock.ex.example"), "undeliverable", "smtputf8_unsupported", ""},
	}
}

func opensmtpdCases() []verdict {
	return []verdict{
		{"virtual mailbox", at("alice@stock.bsd.example"), "deliverable", "recipient_accepted", "stock.opensmtpd.example"},
		{"no virtual mailbox", at("nosuch@stock.bsd.example"), "undeliverable", "mailbox_not_found", "stock.opensmtpd.example"},
		{"system user", at("bob@system.bsd.example"), "deliverable", "recipient_accepted", ""},
		{"no system user", at("nosuch@system.bsd.example"), "undeliverable", "mailbox_not_found", ""},
		{"catch-all", at("anybody@catchall.bsd.example"), "accept-all", "catch_all", ""},
		{"filter refuses the client", at("nosuch@filter.bsd.example"), "unknown", "blocked", ""},
	}
}

func dnsCases() []verdict {
	return []verdict{
		{"implicit MX, A", at("alice@implicit.dns.example"), "deliverable", "recipient_accepted", "implicit.dns.example"},
		{"implicit MX, AAAA", at("alice@implicit6.dns.example"), "deliverable", "recipient_accepted", "implicit6.dns.example"},
		{"implicit MX, no mailbox", at("nosuch@implicit.dns.example"), "undeliverable", "mailbox_not_found", ""},
		{"domain is an alias", at("alice@cname.dns.example"), "deliverable", "recipient_accepted", "stock.postfix.example"},
		{"MX is an alias", at("alice@mxcname.dns.example"), "deliverable", "recipient_accepted", ""},
		{"dead primary", at("alice@deadprimary.dns.example"), "deliverable", "recipient_accepted", "stock.postfix.example"},
		{"dead primary, no mailbox", at("nosuch@deadprimary.dns.example"), "undeliverable", "mailbox_not_found", "stock.postfix.example"},
		{"primary says 421", at("alice@fullprimary.dns.example"), "deliverable", "recipient_accepted", "stock.postfix.example"},
		{"primary says 451", at("alice@busyprimary.dns.example"), "deliverable", "recipient_accepted", "stock.postfix.example"},
		{"backup accepts all", at("alice@backup.dns.example"), "deliverable", "recipient_accepted", "stock.postfix.example"},
		{"backup accepts all, no mailbox", at("nosuch@backup.dns.example"), "undeliverable", "mailbox_not_found", "stock.postfix.example"},
		{"first MX has no address", at("alice@halfmissing.dns.example"), "deliverable", "recipient_accepted", "stock.postfix.example"},
		{"answer needs TCP", at("alice@many.dns.example"), "deliverable", "recipient_accepted", "stock.postfix.example"},
		{"nobody there", at("alice@alldead.dns.example"), "unknown", "connection_failed", ""},
		{"null MX", at("alice@null.dns.example"), "undeliverable", "null_mx", ""},
		{"neither MX nor address", at("alice@nodata.dns.example"), "undeliverable", "no_mail_host", ""},
		{"MX without address", at("alice@gonemx.dns.example"), "undeliverable", "no_mail_host", ""},
		{"no such domain", at("alice@no.such.example"), "undeliverable", "domain_not_found", ""},
		{"validation fails", at("alice@bogus.example"), "unknown", "dns_temporary", ""},
		{"lame delegation", at("alice@lame.example"), "unknown", "dns_temporary", ""},
		{"dead name server", at("alice@unserved.example"), "unknown", "dns_temporary", ""},
		{"loopback only", question{address: "alice@selfmx.dns.example", stranger: true}, "undeliverable", "mx_reserved_address", ""},
		{"loopback and private", question{address: "alice@local.pf.example", stranger: true}, "unknown", "mx_reserved_address", ""},
	}
}
