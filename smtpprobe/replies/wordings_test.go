package replies

import (
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"strings"
	"testing"
)

// TestNotAboutTheMailbox reads refusals that use the words or codes of a dead
// mailbox for something else. None proves a mailbox dead.
func TestNotAboutTheMailbox(t *testing.T) {
	checkClasses(t, map[string]Class{
		// the client
		"550 5.1.1 The sender's mailbox does not exist":                          ClassBlocked,
		"550 5.1.1 Your mailbox does not exist, you cannot send":                 ClassBlocked,
		"550 5.1.1 no MX for sender domain":                                      ClassBlocked,
		"550 5.1.1 From address user unknown":                                    ClassAmbiguous,
		"550 5.1.1 mailfrom domain unknown":                                      ClassBlocked,
		"550 Invalid credentials, user not found":                                ClassAmbiguous,
		"550 5.7.1 authentication: user unknown":                                 ClassBlocked,
		"550 postmaster@example.org does not exist":                              ClassBlocked,
		"550 No such user may connect from 192.0.2.10":                           ClassBlocked,
		"550 5.1.1 IP address is not active":                                     ClassBlocked,
		"550 5.1.1 Invalid IP":                                                   ClassBlocked,
		"550 User unknown to you: there are only spamtraps here":                 ClassBlocked,
		"550 5.4.1 Recipient address rejected: Access denied, 192.0.2.10 banned": ClassBlocked,
		"550 5.1.1 <user@example.com> goes to 192.0.2.10":                        ClassAmbiguous,
		"550 <user@example.com> recipient rejected, mailfrom":                    ClassAmbiguous,
		"550 Password wrong, no such user":                                       ClassAmbiguous,
		"550 No such user, your username is wrong":                               ClassAmbiguous,
		"550 No such user, see your mailbox":                                     ClassAmbiguous,
		"550 No such user: your email address":                                   ClassAmbiguous,
		"550 No such user for mailfrom":                                          ClassAmbiguous,
		"550 Recipient name not unique, several were found":                      ClassAmbiguous,
		"550 unable to validate the recipient, who may or may not be listed":     ClassAmbiguous,
		"550 User is not on our allow list":                                      ClassBlocked,
		"550 MX of your domain is wrong, user unknown":                           ClassAmbiguous,
		"550 5.7.13 Your user account is disabled":                               ClassBlocked,
		"525 5.7.13 User account disabled":                                       ClassBlocked,
		"550 This account is disabled, you cannot send":                          ClassAmbiguous,
		"550 The account used to send this is suspended":                         ClassAmbiguous,
		"550 User not found: authenticate as a valid user":                       ClassAmbiguous,
		"550 Address in MAIL command not found":                                  ClassAmbiguous,
		"550 5.1.1 user unknown to you":                                          ClassAmbiguous,
		"550 MX record of example.org does not exist, address rejected":          ClassAmbiguous,
		"550 HL:IHU 163 mx1,abc no such user":                                    ClassBlocked,
		"450 MI:CEL 163 mx1,abc":                                                 ClassRateLimited,
		"550 mail from must be one's own, no such user":                          ClassBlocked,
		"550 mail from address must be one's own, no such user":                  ClassBlocked,
		"550 5.2.1 host, IPv6: not for this one":                                 ClassAmbiguous,
		"550 Customer account not found for connecting IP 192.0.2.1":             ClassAmbiguous,
		"550 The address 192.0.2.1 does not exist in DNS":                        ClassAmbiguous,
		"550 Your reseller account is deactivated":                               ClassAmbiguous,
		"550 5.2.1 The relay account has been disabled":                          ClassAmbiguous,
		"550 The hosting account has been suspended":                             ClassBlocked,
		"550 You are not a user of this system":                                  ClassAmbiguous,
		"550 You are no longer a customer of ours":                               ClassAmbiguous,
		"550 The account you are using does not exist":                           ClassAmbiguous,
		"550 unknown user at your end":                                           ClassAmbiguous,
		"550 the bind user is not valid":                                         ClassAmbiguous,
		"550 5.1.1 Return-Path address unknown":                                  ClassAmbiguous,
		// the domain, or the machine
		"550 no account found for domain example.com":          ClassAmbiguous,
		"550 mailbox not found on this node, try the other MX": ClassAmbiguous,
		"550 recipient address not checked: backend not found": ClassAmbiguous,
		"550 account manager not found":                        ClassAmbiguous,
		// until when, and how
		"550 user not found; we are migrating, please retry":      ClassAmbiguous,
		"550 User does not exist on backend, try again later":     ClassAmbiguous,
		"550 user not found: directory is being rebuilt":          ClassAmbiguous,
		"550 maybe unknown user":                                  ClassAmbiguous,
		"550 user may not exist":                                  ClassAmbiguous,
		"550 Account not active yet":                              ClassAmbiguous,
		"550 all mailboxes are closed today":                      ClassAmbiguous,
		"550 5.2.1 mailbox disabled, too many messages this hour": ClassAmbiguous,
		"550 mailbox moved to another server":                     ClassAmbiguous,
		"550 mailbox closed on weekends":                          ClassAmbiguous,
		"550 address no longer accepts mail without TLS":          ClassAmbiguous,
		"550 account not accepting mail over IPv6":                ClassAmbiguous,
		// what the mailbox's owner wishes
		"550 5.1.1 user@example.com has blocked you":      ClassBlocked,
		"550 5.1.1 refused due to recipient preferences":  ClassBlocked,
		"550 5.1.1 BATV: invalid address":                 ClassBlocked,
		"550 5.2.1 We do not accept mail from strangers":  ClassBlocked,
		"550 <user@example.com> recipient rejected by us": ClassAmbiguous,
		// a code alone, with a text that speaks of something else
		"550 5.1.1 command rejected":                   ClassAmbiguous,
		"550 5.1.1 message was blocked":                ClassBlocked,
		"550 5.1.1 use TLS":                            ClassAmbiguous,
		"550 5.1.1 mail only by submission":            ClassAmbiguous,
		"550 5.1.1 refused to 192.0.2.10":              ClassAmbiguous,
		"550 5.1.1 unable to validate recipient":       ClassAmbiguous,
		"550 5.2.1 mailbox is not available currently": ClassAmbiguous,
		"550 5.2.1 busy with another session":          ClassAmbiguous,
		"550 5.2.1 please use another server":          ClassAmbiguous,
		"550 5.1.1 this list is for members":           ClassAmbiguous,
		// something that belongs to a mailbox
		"550 invalid certificate for user":             ClassAmbiguous,
		"550 user certificate not found":               ClassAmbiguous,
		"550 unknown mailbox error":                    ClassAmbiguous,
		"550 unknown delivery error for user":          ClassAmbiguous,
		"550 invalid character in recipient address":   ClassAmbiguous,
		"550 invalid recipient count":                  ClassRateLimited, // a number of them
		"550 backend for user not found":               ClassAmbiguous,
		"550 user database not found":                  ClassAmbiguous,
		"550 unknown user's domain":                    ClassAmbiguous,
		"550 domain of recipient does not exist":       ClassAmbiguous,
		"511 recipient address has an invalid format":  ClassAmbiguous,
		"550 mailbox locked by another session":        ClassAmbiguous,
		"523 mailbox cannot receive messages this big": ClassAmbiguous,
		"550 mailbox unavailable or not local":         ClassAmbiguous,
		"550 5.1.1 unknown parameter":                  ClassAmbiguous,
		"550 5.1.1 server of recipient unknown":        ClassAmbiguous,
		"550 5.1.1 recipient verification problem":     ClassAmbiguous,
		// what another host has said
		"550 5.1.1 undeliverable address: lost connection with mx.example.com":                          ClassTemporary,
		"550 5.1.1 undeliverable address: mail transport unavailable":                                   ClassTemporary,
		"550 5.1.1 undeliverable address: connect to mx.example.com: No route to host":                  ClassTemporary,
		"550 5.1.1 undeliverable address: host mx.example.com[192.0.2.25] said: 451 4.3.0 User unknown": ClassTemporary,
		"550 5.1.1 undeliverable address: host mx.example.com said: 550 later":                          ClassAmbiguous,
		"550 undeliverable address: mx.example.com said: 554 no":                                        ClassAmbiguous,
		// what passes
		"550 5.1.1 temporary failure in the search, unknown user":   ClassTemporary,
		"550 directory not reachable, no such user":                 ClassTemporary,
		"550 mail store offline, user unknown":                      ClassTemporary,
		"550 5.1.1 MySQL server has gone away, user not found":      ClassTemporary,
		"550 SQL error, user not found":                             ClassTemporary,
		"550 the recipient's server is down":                        ClassTemporary,
		"550 5.1.1 User unknown, database unavailable":              ClassTemporary,
		"550 5.1.1 unexpected error, user not found":                ClassTemporary,
		"550 5.1.1 undeliverable address: Connection timed out":     ClassTemporary,
		"550 5.2.1 Mailbox under maintenance":                       ClassTemporary,
		"550 Account disabled temporarely":                          ClassTemporary,
		"550 Account disabled for exceeding receiving limits":       ClassRateLimited,
		"550 Mailbox cannot accept mail for now because it is full": ClassMailboxFull,
		// the domain
		"550 5.1.1 Recipient address rejected: Domain not found": ClassNotOurDomain,
		"550 5.1.1 recipient domain unknown":                     ClassNotOurDomain,
		"550 5.1.1 that is not one of our domains":               ClassNotOurDomain,
		"553 5.1.2 could not find recipient domain":              ClassNotOurDomain,
		"521 5.2.1 mail.example.net does not accept mail":        ClassNotOurDomain,
	})
}

// TestCodeAloneContradicted checks that an enhanced status code about the
// mailbox is not believed if the text is about something else.
func TestCodeAloneContradicted(t *testing.T) {
	for _, code := range []string{"5.1.1", "5.2.1"} {
		if got := readAtRCPT(t, "550 "+code+" gone"); verdictOf(got.Class) != "undeliverable" {
			t.Errorf("%s alone read as %s by %s", code, got.Class, got.Rule)
		}
		for _, text := range []string{
			"connecting failed", "wrong interface", "improper pipelining", "TLS", "encrypted sessions", "weak ciphers", "authentification invalide",
			"say hello", "protocol", "syntax", "command", "transaction failed", "no permission", "lacks permissions", "no permit", "a prohibition", "refused",
			"denied", "banned", "blocked", "probing", "not welcome", "the owner does not want it", "postmaster only", "mail rejected",
			"mail rejete", "deferred", "temporary", "currently", "busy", "one moment", "retry", "timeout", "timed out", "unreachable", "down", "closing",
			"maintenance", "locked by a process", "processing", "disk", "trouble", "configuration", "misconfigured", "local error", "local problem",
			"could not be opened", "service not active", "server not known", "see the mail server", "another server", "no mail hosts", "wrong region", "wrong regions", "route to it",
			"your fault", "not for you",
			"account server unavailable", "program error", "system error", "system failure", "overloaded", "resources", "cannot allocate memory", "milter", "script",
			"alias file not read", "being upgraded", "migrated", "in transit", "not ready", "quarantined", "forged", "mismatch", "due to content",
			"relay", "quota", "full", "storage", "restricts who may write", "domain locked", "domain inactive", "domain disabled", "domain suspended", "IPv6", "members",
			"subscribers",
		} {
			if got := readAtRCPT(t, "550 "+code+" "+text); verdictOf(got.Class) != "unknown" {
				t.Errorf("%s %q read as %s by %s", code, text, got.Class, got.Rule)
			}
		}
	}
}

// TestDeadInOtherWords reads refusals that must still be recognised: advice and
// unusual words beside what proves a mailbox dead.
func TestDeadInOtherWords(t *testing.T) {
	checkClasses(t, map[string]Class{
		"550 <user@example.com> recipient rejected":                                               ClassNoSuchUser,
		"550 user@example.com:unknown user":                                                       ClassNoSuchUser,
		"550 5.1.1 undeliverable address: host mx.example.com[192.0.2.25] said: 550 User unknown": ClassNoSuchUser,
		"550 5.1.1 undeliverable address: No such user here":                                      ClassNoSuchUser,
		"550 5.1.1 user record not found":                                                         ClassNoSuchUser,
		"550 [MX] User unknown":                                                                   ClassNoSuchUser,
		"550 The recipient's address is unknown to this server":                                   ClassNoSuchUser,
		"550 user not on this machine":                                                            ClassNoSuchUser,
		"550 recipient not in our records":                                                        ClassNoSuchUser,
		"550 no match for recipient":                                                              ClassNoSuchUser,
		"550 this account no longer receives mail":                                                ClassDisabled,
		"525 5.7.13 Disabled recipient address":                                                   ClassDisabled,
		"550 unkown user":                                                                         ClassNoSuchUser,
		"550 nobody by that name at this address":                                                 ClassNoSuchUser,
		"501 5.1.3 Recipient does not exist":                                                      ClassNoSuchUser,
		"530 5.1.1 unknown user":                                                                  ClassNoSuchUser,
		"550 this mailbox is not on our system":                                                   ClassNoSuchUser,
		"550 User in domain example.com does not exist":                                           ClassNoSuchUser,
		"556 5.1.1 Invalid account. Tenant or Domain not found":                                   ClassNoSuchUser,
		"550 user is not in our directory. Please contact us":                                     ClassNoSuchUser,
		"550 User unknown. Your message bounced":                                                  ClassNoSuchUser,
		"550 5.1.1 Neznan uporabnik":                                                              ClassNoSuchUser,
		"550 invalid mailbox, it is unavailable: account is disabled":                             ClassDisabled,
		"550 no valid recipient: account is disabled or discontinued":                             ClassDisabled,
		"550 user account is no longer active":                                                    ClassDisabled,
		"550 5.2.1 no mail for this one, see the directory":                                       ClassDisabled,
		"550 Esta cuenta ha expirado":                                                             ClassDisabled,
		"550 Casella: indirizzo bloccato per inutilizzo":                                          ClassDisabled,
		"550 5.1.1 mailbox is full, quota exceeded, user@example.com":                             ClassMailboxFull,
		"550 permanent failure of a recipient (user@example.com:banned)":                          ClassBlocked,
	})
}

// TestOurPostmaster checks that the postmaster of our own domain, which hosts
// that verify senders also ask for, counts as our address; the postmaster of
// another domain, or the one that is verified, does not.
func TestOurPostmaster(t *testing.T) {
	const text = "550 Postmaster@example.org: no such user"
	for _, tt := range []struct {
		mailbox, sender string
		want            Class
	}{
		{"user@example.com", "probe@example.org", ClassBlocked},
		{"user@example.com", "probe@example.net", ClassNoSuchUser},
		{"user@example.com", "", ClassNoSuchUser},
		{"postmaster@example.org", "probe@example.org", ClassNoSuchUser},
	} {
		reply, err := smtp.ParseReply(text)
		if err != nil {
			t.Fatal(err)
		}
		got := DefaultClassifier().Read(Input{Phase: smtp.PhaseRCPT, Reply: reply, Host: "mx.example.test", Mailbox: tt.mailbox, Sender: tt.sender})
		if got.Class != tt.want {
			t.Errorf("%s asked by %q: read as %s by %s, want %s", tt.mailbox, tt.sender, got.Class, got.Rule, tt.want)
		}
	}
}

// TestHostThatTakesNoMail checks the greeting of RFC 7504; other refusals in a
// greeting concern the client.
func TestHostThatTakesNoMail(t *testing.T) {
	for text, want := range map[string]Class{
		"521 mail.example.net does not accept mail":                ClassNotOurDomain,
		"521 mail.example.net does not accept mail from 192.0.2.1": ClassBlocked,
		"521 5.7.1 Service unavailable; client is blocked":         ClassBlocked,
	} {
		reply, err := smtp.ParseReply(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := DefaultClassifier().Read(Input{Phase: smtp.PhaseGreeting, Reply: reply}); got.Class != want {
			t.Errorf("%q read as %s by %s, want %s", text, got.Class, got.Rule, want)
		}
	}
}

// checkClasses fails where a refusal is read as another class than it says.
func checkClasses(t *testing.T, classes map[string]Class) {
	t.Helper()
	for reply, want := range classes {
		if got := readAtRCPT(t, reply); got.Class != want {
			t.Errorf("%q read as %s by %s, want %s", reply, got.Class, got.Rule, want)
		}
	}
}

// readAtRCPT reads a refusal of user@example.com where our reverse-path is
// probe@example.org.
func readAtRCPT(t *testing.T, text string) Classification {
	t.Helper()
	reply, err := smtp.ParseReply(strings.Split(text, "\n")...)
	if err != nil {
		t.Fatal(err)
	}
	return DefaultClassifier().Read(Input{
		Phase: smtp.PhaseRCPT, Reply: reply, Host: "mx.example.test", Mailbox: "user@example.com", Sender: "probe@example.org",
	})
}

// TestSomethingElseInOrdinaryWords reads refusals that have words for a dead
// mailbox beside others, by which they are about something else or pass.
func TestSomethingElseInOrdinaryWords(t *testing.T) {
	checkClasses(t, map[string]Class{
		"550 No more invalid recipients accepted":                                                ClassRateLimited,
		"550 5.1.1 Sorry, no more recipients in this session":                                    ClassRateLimited,
		"550 5.1.1 451 User unknown, try later":                                                  ClassTemporary,
		"550 4.1.1 User unknown":                                                                 ClassTemporary,
		"550 4.2.1 Mailbox disabled":                                                             ClassTemporary,
		"550 mailbox not found in this cluster node, retry":                                      ClassTemporary,
		"550 User's mailbox directory does not exist (NFS down), try later":                      ClassTemporary,
		"550 5.1.1 mailbox does not exist yet, provisioning in progress, try again":              ClassTemporary,
		"550 Postfach derzeit gesperrt, bitte spaeter versuchen":                                 ClassTemporary,
		"550 account inactive for the moment":                                                    ClassTemporary,
		"550 5.2.1 mailbox closed for holidays until Monday":                                     ClassTemporary,
		"550 5.1.1 user not on this server, use the primary MX":                                  ClassAmbiguous,
		"550 5.4.1 Recipient address rejected: Access denied. Your IP is throttled":              ClassRateLimited,
		"550 5.1.1 message too large":                                                            ClassAmbiguous,
		"550 5.1.1 Bad sequence of commands":                                                     ClassAmbiguous,
		"550 5.1.1 recipient paused delivery until 08:00":                                        ClassTemporary,
		"550 No such person authorized to send":                                                  ClassBlocked,
		"550 invalid bounce: no such bounce recipient":                                           ClassBlocked,
		"550 5.4.6 routing loop detected: user unknown at final hop":                             ClassTemporary,
		"550 5.1.1 User unknown. Please check the recipient's address and try again":             ClassNoSuchUser,
		"550 5.4.1 Recipient address rejected: Access denied. [AM0.mail.protection.outlook.com]": ClassNoSuchUser,
	})
}

// TestPartsOfAMailbox denies and locks what belongs to a mailbox, or stands
// behind its address, in every order of words. None of it is the mailbox.
func TestPartsOfAMailbox(t *testing.T) {
	parts := strings.Fields("certificate password session policy filter license domain server connection key " +
		"header encoding gateway backend file store process rule group list tenant plan feature protocol folder device")
	said := []string{
		"unknown", "invalid", "not found", "does not exist", "could not be found", "nonexistent",
		"is disabled", "has expired", "is closed", "is locked", "is suspended", "is inactive",
	}
	for _, part := range parts {
		for _, what := range said {
			for _, form := range []string{
				"550 PART of the user SAID", "550 PART for mailbox SAID", "550 user PART SAID", "550 recipient's PART SAID",
				"550 <user@example.com>: PART SAID", "550 PART SAID for user <user@example.com>",
			} {
				checkNotDead(t, strings.NewReplacer("PART", part, "SAID", what).Replace(form))
			}
		}
		for _, what := range []string{"unknown", "invalid", "expired", "disabled", "closed", "bad", "no such"} {
			for _, form := range []string{
				"550 SAID PART for user", "550 SAID PART <user@example.com>", "550 <user@example.com>: SAID PART",
				"550 SAID user PART", "550 SAID mailbox PART", "550 5.1.1 SAID PART of recipient",
			} {
				checkNotDead(t, strings.NewReplacer("PART", part, "SAID", what).Replace(form))
			}
		}
	}
}

func checkNotDead(t *testing.T, text string) {
	t.Helper()
	if got := readAtRCPT(t, text); verdictOf(got.Class) == "undeliverable" {
		t.Errorf("%q read as %s by %s", text, got.Class, got.Rule)
	}
}
