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
		"550 5.1.1 The sender's mailbox does not exist":                          Blocked,
		"550 5.1.1 Your mailbox does not exist, you cannot send":                 Blocked,
		"550 5.1.1 no MX for sender domain":                                      Blocked,
		"550 5.1.1 From address user unknown":                                    Ambiguous,
		"550 5.1.1 mailfrom domain unknown":                                      Blocked,
		"550 Invalid credentials, user not found":                                Ambiguous,
		"550 5.7.1 authentication: user unknown":                                 Blocked,
		"550 postmaster@example.org does not exist":                              Blocked,
		"550 No such user may connect from 192.0.2.10":                           Blocked,
		"550 5.1.1 IP address is not active":                                     Blocked,
		"550 5.1.1 Invalid IP":                                                   Blocked,
		"550 User unknown to you: there are only spamtraps here":                 Blocked,
		"550 5.4.1 Recipient address rejected: Access denied, 192.0.2.10 banned": Blocked,
		"550 5.1.1 <user@example.com> goes to 192.0.2.10":                        Ambiguous,
		"550 <user@example.com> recipient rejected, mailfrom":                    Ambiguous,
		"550 Password wrong, no such user":                                       Ambiguous,
		"550 No such user, your username is wrong":                               Ambiguous,
		"550 No such user, see your mailbox":                                     Ambiguous,
		"550 No such user: your email address":                                   Ambiguous,
		"550 No such user for mailfrom":                                          Ambiguous,
		"550 Recipient name not unique, several were found":                      Ambiguous,
		"550 unable to validate the recipient, who may or may not be listed":     Ambiguous,
		"550 User is not on our allow list":                                      Blocked,
		"550 MX of your domain is wrong, user unknown":                           Ambiguous,
		"550 5.7.13 Your user account is disabled":                               Blocked,
		"525 5.7.13 User account disabled":                                       Blocked,
		"550 This account is disabled, you cannot send":                          Ambiguous,
		"550 The account used to send this is suspended":                         Ambiguous,
		"550 User not found: authenticate as a valid user":                       Ambiguous,
		"550 Address in MAIL command not found":                                  Ambiguous,
		"550 5.1.1 user unknown to you":                                          Ambiguous,
		"550 MX record of example.org does not exist, address rejected":          Ambiguous,
		"550 HL:IHU 163 mx1,abc no such user":                                    Blocked,
		"450 MI:CEL 163 mx1,abc":                                                 RateLimited,
		"550 mail from must be one's own, no such user":                          Blocked,
		"550 mail from address must be one's own, no such user":                  Blocked,
		"550 5.2.1 host, IPv6: not for this one":                                 Ambiguous,
		// what the mailbox's owner wishes
		"550 5.1.1 user@example.com has blocked you":      Blocked,
		"550 5.1.1 refused due to recipient preferences":  Blocked,
		"550 5.1.1 BATV: invalid address":                 Blocked,
		"550 5.2.1 We do not accept mail from strangers":  Blocked,
		"550 <user@example.com> recipient rejected by us": Ambiguous,
		// a code alone, with a text that speaks of something else
		"550 5.1.1 command rejected":                   Ambiguous,
		"550 5.1.1 message was blocked":                Blocked,
		"550 5.1.1 use TLS":                            Ambiguous,
		"550 5.1.1 mail only by submission":            Ambiguous,
		"550 5.1.1 refused to 192.0.2.10":              Ambiguous,
		"550 5.1.1 unable to validate recipient":       Ambiguous,
		"550 5.2.1 mailbox is not available currently": Ambiguous,
		"550 5.2.1 busy with another session":          Ambiguous,
		"550 5.2.1 please use another server":          Ambiguous,
		"550 5.1.1 this list is for members":           Ambiguous,
		// something that belongs to a mailbox
		"550 invalid certificate for user":             Ambiguous,
		"550 user certificate not found":               Ambiguous,
		"550 unknown mailbox error":                    Ambiguous,
		"550 unknown delivery error for user":          Ambiguous,
		"550 invalid character in recipient address":   Ambiguous,
		"550 invalid recipient count":                  Ambiguous,
		"550 backend for user not found":               Ambiguous,
		"550 user database not found":                  Ambiguous,
		"550 unknown user's domain":                    Ambiguous,
		"550 domain of recipient does not exist":       Ambiguous,
		"511 recipient address has an invalid format":  Ambiguous,
		"550 mailbox locked by another session":        Ambiguous,
		"523 mailbox cannot receive messages this big": Ambiguous,
		"550 mailbox unavailable or not local":         Ambiguous,
		"550 5.1.1 unknown parameter":                  Ambiguous,
		"550 5.1.1 server of recipient unknown":        Ambiguous,
		"550 5.1.1 recipient verification problem":     Ambiguous,
		// what another host has said
		"550 5.1.1 undeliverable address: lost connection with mx.example.com":                          Temporary,
		"550 5.1.1 undeliverable address: mail transport unavailable":                                   Temporary,
		"550 5.1.1 undeliverable address: connect to mx.example.com: No route to host":                  Temporary,
		"550 5.1.1 undeliverable address: host mx.example.com[192.0.2.25] said: 451 4.3.0 User unknown": Temporary,
		"550 5.1.1 undeliverable address: host mx.example.com said: 550 later":                          Ambiguous,
		"550 undeliverable address: mx.example.com said: 554 no":                                        Ambiguous,
		// what passes
		"550 5.1.1 temporary failure in the search, unknown user":   Temporary,
		"550 directory not reachable, no such user":                 Temporary,
		"550 mail store offline, user unknown":                      Temporary,
		"550 5.1.1 MySQL server has gone away, user not found":      Temporary,
		"550 SQL error, user not found":                             Temporary,
		"550 the recipient's server is down":                        Temporary,
		"550 5.1.1 User unknown, database unavailable":              Temporary,
		"550 5.1.1 unexpected error, user not found":                Temporary,
		"550 5.1.1 undeliverable address: Connection timed out":     Temporary,
		"550 5.2.1 Mailbox under maintenance":                       Temporary,
		"550 Account disabled temporarely":                          Ambiguous,
		"550 Account disabled for exceeding receiving limits":       RateLimited,
		"550 Mailbox cannot accept mail for now because it is full": MailboxFull,
		// the domain
		"550 5.1.1 Recipient address rejected: Domain not found": NotOurDomain,
		"550 5.1.1 recipient domain unknown":                     NotOurDomain,
		"550 5.1.1 that is not one of our domains":               NotOurDomain,
		"553 5.1.2 could not find recipient domain":              NotOurDomain,
		"521 5.2.1 mail.example.net does not accept mail":        NotOurDomain,
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
		"550 <user@example.com> recipient rejected":                                               NoSuchUser,
		"550 user@example.com:unknown user":                                                       NoSuchUser,
		"550 5.1.1 undeliverable address: host mx.example.com[192.0.2.25] said: 550 User unknown": NoSuchUser,
		"550 5.1.1 undeliverable address: No such user here":                                      NoSuchUser,
		"550 5.1.1 user record not found":                                                         NoSuchUser,
		"550 [MX] User unknown":                                                                   NoSuchUser,
		"550 The recipient's address is unknown to this server":                                   NoSuchUser,
		"550 user not on this machine":                                                            NoSuchUser,
		"550 recipient not in our records":                                                        NoSuchUser,
		"550 no match for recipient":                                                              NoSuchUser,
		"550 this account no longer receives mail":                                                Disabled,
		"525 5.7.13 Disabled recipient address":                                                   Disabled,
		"550 unkown user":                                                                         NoSuchUser,
		"550 nobody by that name at this address":                                                 NoSuchUser,
		"501 5.1.3 Recipient does not exist":                                                      NoSuchUser,
		"530 5.1.1 unknown user":                                                                  NoSuchUser,
		"550 this mailbox is not on our system":                                                   NoSuchUser,
		"550 User in domain example.com does not exist":                                           NoSuchUser,
		"556 5.1.1 Invalid account. Tenant or Domain not found":                                   NoSuchUser,
		"550 user is not in our directory. Please contact us":                                     NoSuchUser,
		"550 User unknown. Your message bounced":                                                  NoSuchUser,
		"550 5.1.1 Neznan uporabnik":                                                              NoSuchUser,
		"550 invalid mailbox, it is unavailable: account is disabled":                             Disabled,
		"550 no valid recipient: account is disabled or discontinued":                             Disabled,
		"550 user account is no longer active":                                                    Disabled,
		"550 5.2.1 no mail for this one, see the directory":                                       Disabled,
		"550 Esta cuenta ha expirado":                                                             Disabled,
		"550 Casella: indirizzo bloccato per inutilizzo":                                          Disabled,
		"550 5.1.1 mailbox is full, quota exceeded, user@example.com":                             MailboxFull,
		"550 permanent failure of a recipient (user@example.com:banned)":                          Blocked,
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
		{"user@example.com", "probe@example.org", Blocked},
		{"user@example.com", "probe@example.net", NoSuchUser},
		{"user@example.com", "", NoSuchUser},
		{"postmaster@example.org", "probe@example.org", NoSuchUser},
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
		"521 mail.example.net does not accept mail":                NotOurDomain,
		"521 mail.example.net does not accept mail from 192.0.2.1": Blocked,
		"521 5.7.1 Service unavailable; client is blocked":         Blocked,
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
