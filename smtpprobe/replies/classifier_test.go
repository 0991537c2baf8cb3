package replies

import (
	"fmt"
	"github.com/rcpt/rcpt/smtpprobe/smtp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRulesReadTheirSamples checks that every rule can decide: an unreachable
// rule fails.
func TestRulesReadTheirSamples(t *testing.T) {
	classifier := DefaultClassifier()
	for _, r := range classifier.rules().ordered {
		if len(r.samples) == 0 {
			t.Errorf("rule %s has no sample", r.id)
		}
		for _, sample := range r.samples {
			reply, err := smtp.ParseReply(strings.Split(sample, "\n")...)
			if err != nil {
				t.Errorf("rule %s: %v", r.id, err)
				continue
			}
			host := "mx.example.test"
			if len(r.hosts) > 0 {
				host = "mx." + r.hosts[0]
			}
			phase := smtp.PhaseRCPT
			if len(r.phases) > 0 && !slices.Contains(r.phases, phase) {
				phase = r.phases[0]
			}
			reading := classifier.Read(Input{Phase: phase, Reply: reply, Host: host, Mailbox: "user@example.com", Sender: "probe@example.org"})
			if reading.Rule != r.id {
				t.Errorf("%q: read as %s by %s, want rule %s", sample, reading.Class, reading.Rule, r.id)
			}
		}
	}
}

// TestTraps reads replies whose words are misleading.
func TestTraps(t *testing.T) {
	tests := []struct {
		name    string
		phase   smtp.Phase
		reply   string
		mailbox string
		want    Class
	}{
		{"sender callout quotes another server", smtp.PhaseRCPT, "550-Verification failed for <me@example.org>\n550-Response: 550 5.1.1 User unknown\n550 Sender verify failed", "a@example.com", ClassBlocked},
		{"sender callout in other words", smtp.PhaseRCPT, "550-Sender callout verification failed:\n550 5.1.1 User unknown", "me@example.com", ClassBlocked},
		{"recipient callout quotes the next host", smtp.PhaseRCPT, "550-Callout verification failed:\n550 550 5.1.1 <a@example.com> User unknown", "a@example.com", ClassNoSuchUser},
		{"sender's domain not found", smtp.PhaseRCPT, "550 5.1.8 <me@example.org>: Sender address rejected: Domain not found", "a@example.com", ClassBlocked},
		{"sender unknown under a mailbox code", smtp.PhaseRCPT, "550 5.1.1 Sender address rejected: User unknown", "a@example.com", ClassBlocked},
		{"policy code, unknown mailbox", smtp.PhaseRCPT, "554 5.7.1 Unknown recipient", "a@example.com", ClassNoSuchUser},
		{"mailbox code, policy", smtp.PhaseRCPT, "550 5.1.1 Rejected for policy reasons", "a@example.com", ClassBlocked},
		{"mailbox code, block list", smtp.PhaseRCPT, "550 5.1.1 Service unavailable; listed at zen.spamhaus.org", "a@example.com", ClassBlocked},
		{"greylisting for good", smtp.PhaseRCPT, "550 5.7.1 Greylisted, come back in 5 minutes", "a@example.com", ClassGreylisted},
		{"unknown for now", smtp.PhaseRCPT, "450 4.1.1 <a@example.com>: Recipient address rejected: User unknown", "a@example.com", ClassTemporary},
		{"mailbox quota", smtp.PhaseRCPT, "552 5.2.2 Mailbox full", "a@example.com", ClassMailboxFull},
		{"the host's disk", smtp.PhaseRCPT, "452 4.3.1 Insufficient system storage", "a@example.com", ClassTemporary},
		{"relaying", smtp.PhaseRCPT, "550 5.7.1 Relaying denied. User unknown here", "a@example.com", ClassNotOurDomain},
		{"relay recipients are mailboxes", smtp.PhaseRCPT, "550 5.1.1 User unknown in relay recipient table", "a@example.com", ClassNoSuchUser},
		{"unknown user before RCPT", smtp.PhaseMAIL, "550 5.1.1 User unknown", "a@example.com", ClassBlocked},
		{"unknown user in the greeting", smtp.PhaseGreeting, "554 no such user", "a@example.com", ClassBlocked},
		{"full by a code of another class", smtp.PhaseRCPT, "550 4.2.2 Rejected", "a@example.com", ClassAmbiguous},
		{"code of another class", smtp.PhaseRCPT, "550 4.2.1 Rejected", "a@example.com", ClassAmbiguous},
		{"temporary code, permanent words", smtp.PhaseRCPT, "451 5.1.1 No such user", "a@example.com", ClassTemporary},
		{"mailbox called blocked", smtp.PhaseRCPT, "550 5.1.1 <blocked@example.com>: User unknown", "blocked@example.com", ClassNoSuchUser},
		{"mailbox called unknown.user", smtp.PhaseRCPT, "550 Rejected: unknown.user@example.com", "unknown.user@example.com", ClassAmbiguous},
		{"local-part unknown.user alone", smtp.PhaseRCPT, "550 unknown.user rejected", "unknown.user@example.com", ClassAmbiguous},
		{"bracketed local-part", smtp.PhaseRCPT, "550 <unknown> user", "unknown@example.com", ClassAmbiguous},
		{"quoted local-part", smtp.PhaseRCPT, `550 Rejected: "no such user"@example.com`, `"no such user"@example.com`, ClassAmbiguous},
		{"domain that talks", smtp.PhaseRCPT, "550 mx.user-unknown.com rejected it", "a@user-unknown.com", ClassAmbiguous},
		{"domain like a block list", smtp.PhaseRCPT, "550 5.1.1 <a@rbl.example.com>: Recipient address rejected: User unknown", "a@rbl.example.com", ClassNoSuchUser},
		{"control in a domain like a block list", smtp.PhaseRCPT, "550 5.1.1 <x@rbl.example.com>: Recipient address rejected: User unknown", "", ClassNoSuchUser},
		{"control in a domain like greylisting, under no known top-level domain", smtp.PhaseRCPT, "550 no such user in mail.greylisted.lab", "@mail.greylisted.lab", ClassNoSuchUser},
		{"next host like greylisting, under no known top-level domain", smtp.PhaseRCPT, "550 5.1.1 host mx.greylisted.lab said: no such user", "a@example.com", ClassNoSuchUser},
		{"domain like a block list, alone", smtp.PhaseRCPT, "550 rbl.example.com: no such user", "a@rbl.example.com", ClassNoSuchUser},
		{"block list by its name", smtp.PhaseRCPT, "550 5.1.1 rbl.example.org has us, no such user", "a@rbl.example.com", ClassBlocked},
		{"link that talks", smtp.PhaseRCPT, "550 Rejected, see https://example.com/user-unknown/no-such-user", "a@example.com", ClassAmbiguous},
		{"a sentence ends without a blank", smtp.PhaseRCPT, "550 User unknown.Please check the address.", "a@example.com", ClassNoSuchUser},
		{"split in the middle", smtp.PhaseRCPT, "550-Recipient address rejected: User\n550 unknown in local recipient table", "a@example.com", ClassNoSuchUser},
		{"unknown, or not allowed", smtp.PhaseRCPT, "550 No such user, or you are not allowed to write to it", "a@example.com", ClassAmbiguous},
		{"the host takes nothing now", smtp.PhaseRCPT, "451 4.3.2 System not accepting messages now", "a@example.com", ClassTemporary},
		{"names nothing", smtp.PhaseRCPT, "550 Requested action not taken", "a@example.com", ClassAmbiguous},
		{"no text", smtp.PhaseRCPT, "550", "a@example.com", ClassAmbiguous},
		{"accepted whatever it says", smtp.PhaseRCPT, "250 no such user here, but fine", "a@example.com", ClassOK},
		{"forwarded", smtp.PhaseRCPT, "251 User not local; will forward", "a@example.com", ClassOK},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reply, err := smtp.ParseReply(strings.Split(tt.reply, "\n")...)
			if err != nil {
				t.Fatal(err)
			}
			got := DefaultClassifier().Read(Input{Phase: tt.phase, Reply: reply, Host: "mx.example.test", Mailbox: tt.mailbox})
			if got.Class != tt.want {
				t.Errorf("%q read as %s by %s, want %s", tt.reply, got.Class, got.Rule, tt.want)
			}
		})
	}
}

// TestHostsOwnName checks that a mail host that names itself names no block
// list, whatever it is called, and that another host does.
func TestHostsOwnName(t *testing.T) {
	reply, err := smtp.ParseReply("550 5.1.1 mx.blacklist.example.net says: no such user")
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]Class{"mx.blacklist.example.net": ClassNoSuchUser, "mx.example.com": ClassBlocked} {
		got := DefaultClassifier().Read(Input{Phase: smtp.PhaseRCPT, Reply: reply, Host: host, Mailbox: "a@example.com"})
		if got.Class != want {
			t.Errorf("from %s: read as %s by %s, want %s", host, got.Class, got.Rule, want)
		}
	}
}

// TestAsPermanent reads 4yz replies as what their words would prove for good.
func TestAsPermanent(t *testing.T) {
	for text, want := range map[string]Class{
		"450 4.1.1 <a@example.com>: Recipient address rejected: undeliverable address: host mx.example.net said: 550 User unknown": ClassNoSuchUser,
		"450 4.1.1 <a@example.com>: Recipient address rejected: User unknown in local recipient table":                             ClassNoSuchUser,
		"450 4.1.1 a@example.com... no such user": ClassNoSuchUser,
		"450 4.1.1 <a@example.com>: Recipient address rejected: unverified address: Address verification in progress": ClassTemporary,
		"451 4.3.0 User unknown, database unavailable":                                                                ClassTemporary,
		"452 4.2.2 Mailbox full":   ClassMailboxFull,
		"450 4.2.0 Greylisted":     ClassGreylisted,
		"450 4.1.1 Sender unknown": ClassBlocked,
		"421 no such user":         ClassTemporary, // ends the session, whatever it says
		"550 5.1.1 User unknown":   ClassNoSuchUser,
		"250 ok":                   ClassOK,
	} {
		reply, err := smtp.ParseReply(text)
		if err != nil {
			t.Fatal(err)
		}
		got := DefaultClassifier().Read(Input{Phase: smtp.PhaseRCPT, Reply: reply, Mailbox: "a@example.com"})
		if got.AsPermanent != want {
			t.Errorf("%q: as a permanent refusal %s, want %s", text, got.AsPermanent, want)
		}
		if reply.Code < 500 && (got.Class == ClassNoSuchUser || got.Class == ClassDisabled) {
			t.Errorf("%q read as %s: a 4yz reply proves nothing permanently", text, got.Class)
		}
	}
}

func TestRetryHint(t *testing.T) {
	now := time.Date(2026, 11, 26, 14, 30, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"451 4.7.1 Greylisted for 5 minutes":                            5 * time.Minute,
		"450 4.2.0 Greylisted, try again in 300 seconds":                300 * time.Second,
		"421 4.7.0 wait 2 hours":                                        2 * time.Hour,
		"451 4.7.1 Greylisting in action, please come back in 00:04:59": 4*time.Minute + 59*time.Second,
		"451 4.7.1 try again in 99:00:00":                               0,
		"451 Temporarily rejected. Try again later":                     0,
		"451 mailbox checked 10 minutes ago":                            0,
		"451 try again in 9999999999999999999999 seconds":               0,
		"451 try again in 1000000 hours":                                0,
		"550 5.7.1 Greylisted, please come back after 120 seconds":      120 * time.Second,
		"451 4.3.0 Local error, try again in 600 seconds":               600 * time.Second,
		"451 4.3.0 Come back after another full 10 minutes":             10 * time.Minute,
		"451 4.3.0 In our experience, it takes 10 minutes":              0, // said too far before
		"451 4.7.1 Greylisted, please come back in 24:00:00":            24 * time.Hour,
		"451 4.7.1 Greylisted, please come back in 24:00:01":            0,
		"451 4.7.1 Greylisted, please come back in 86400 seconds":       24 * time.Hour,
		"450 4.7.1 Spam countermeasure, retry after 60 seconds":         time.Minute,
		"450 4.7.1 greylisted (defer 300s)":                             5 * time.Minute,
		"451 try again in 1h":                                           time.Hour,
		"451 try again in 1h30m":                                        90 * time.Minute,
		"451 try again in 15min":                                        15 * time.Minute,
		"451 come back in an hour":                                      time.Hour,
		"451 come back in a few minutes":                                0,
		"451 wait at least five minutes":                                5 * time.Minute,
		"451 retry in 5-10 minutes":                                     10 * time.Minute,
		"451 retry after 300":                                           5 * time.Minute,
		"451 Retry-After: 120":                                          2 * time.Minute,
		"451 error 300, try again":                                      0,
		"451 in 5 recipients":                                           0,
		"451 bitte in 5 Minuten erneut versuchen":                       5 * time.Minute,
		"451 réessayez dans 2 heures":                                   2 * time.Hour,
		"451 вернитесь через 10 минут":                                  10 * time.Minute,
		"451 请在5分钟后重试":                                                  5 * time.Minute,
		"421 4.7.0 blocked as a spam source for 2 hours":                2 * time.Hour,
		"451 4.7.1 retry after 2026-11-26 15:00 UTC":                    30 * time.Minute,
		"451 4.7.1 not before 2026-11-26T17:00:00+02:00":                30 * time.Minute,
		"451 4.7.1 blocked until Thu, 26 Nov 2026 15:00:00 +0000":       30 * time.Minute,
		"451 4.7.1 retry after 2026-11-26 14:00":                        0, // it is past
		"451 4.7.1 retry after 2026-11-30 14:00":                        0,
		"451 4.7.1 log of 2026-11-26 15:00":                             0,
		"451 4.7.1 retry after 2026-11-26T15:00:00Z":                    30 * time.Minute,
	} {
		reply, err := smtp.ParseReply(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := DefaultClassifier().Read(Input{Phase: smtp.PhaseRCPT, Reply: reply, At: now}).RetryAfter; got != want {
			t.Errorf("%q: retry after %v, want %v", text, got, want)
		}
	}
}

// TestLawsStandAboveRules tries rules that would break them.
func TestLawsStandAboveRules(t *testing.T) {
	classifier, err := NewClassifier(RuleFile{Name: "mine.yaml", Data: []byte(
		"rules: [{id: mine, class: no_such_user, phase: [mail, rcpt], code: [450, 550], text: [cat]}]")})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		phase smtp.Phase
		reply string
		want  Class
	}{
		{smtp.PhaseRCPT, "550 cat", ClassNoSuchUser},
		{smtp.PhaseRCPT, "450 cat", ClassTemporary},
		{smtp.PhaseMAIL, "550 cat", ClassBlocked},
	} {
		reply, err := smtp.ParseReply(tt.reply)
		if err != nil {
			t.Fatal(err)
		}
		if got := classifier.Read(Input{Phase: tt.phase, Reply: reply}); got.Class != tt.want || got.Rule != "mine" {
			t.Errorf("%s at %s read as %s by %s, want %s", tt.reply, tt.phase, got.Class, got.Rule, tt.want)
		}
	}
}

func TestParseRulesRefusesBadData(t *testing.T) {
	for data, want := range map[string]string{
		"rules: [{id: a, class: nonsense}]":                                               "class",
		"rules: [{class: blocked, text: [x]}]":                                            "id of its own",
		"sets: {who: [cat]}":                                                              `set "who"`,
		"rules: [{id: a, class: blocked}]":                                                "text or enhanced",
		"rules: [{id: a, class: blocked, text: [x], phase: [rctp]}]":                      "rctp",
		"rules: [{id: a, class: blocked, text: [x], code: [\"5.1.1\"]}]":                  "5.1.1",
		"rules: [{id: a, class: blocked, text: [x], enhanced: [\"550\"]}]":                "550",
		"rules: [{id: a, class: blocked, text: [x], host: [MX.Example.com]}]":             "MX.Example.com",
		"rules: [{id: a, class: blocked, text: [\"user ?.. unknown\"]}]":                  "optional",
		"rules: [{id: a, class: blocked, text: [x]}, {id: a, class: blocked, text: [x]}]": "id of its own",
		"rules: [{id: a, class: blocked, text: [\"$nobody knows\"]}]":                     "$nobody",
		"rules: [{id: a, class: blocked, text: [\"ab* c\"]}]":                             "prefix",
		"rules: [{id: a, class: blocked, text: [\"?maybe\"]}]":                            "begin and end",
		"rules: [{id: a, class: blocked, text: [\"user ..\"]}]":                           "begin and end",
		"rules: [{id: a, class: blocked, texts: [\"user\"]}]":                             "texts",
	} {
		if _, err := NewClassifier(RuleFile{Name: "mine.yaml", Data: []byte(data)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one that names %s", data, err, want)
		}
	}
}

// TestBombs: no file of rules takes gigabytes, and the error names its line.
func TestBombs(t *testing.T) {
	aliases := "sets:\n  a0: &a0 [x, x]\n"
	for i := range 30 {
		aliases += fmt.Sprintf("  a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	for data, want := range map[string]string{
		aliases: "mine.yaml: line 2: anchors",
		"rules:\n- " + strings.Repeat("[", 100_000):         "mine.yaml: line 2: more than 20",
		"rules:\n" + strings.Repeat("- ", 100_000):          "mine.yaml: line 2: more than 20",
		"rules:\n" + strings.Repeat("- {id: a}\n", 100_000): "mine.yaml: the file is longer than 256 KiB",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := NewClassifier(RuleFile{Name: "mine.yaml", Data: []byte(data)})
		runtime.ReadMemStats(&after)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.30q: error %v, want %q", data, err, want)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 10<<20 {
			t.Errorf("%.30q: %d MB", data, used>>20)
		}
	}
}

// FuzzRead checks the laws against any text: no panic, and nothing about the
// mailbox before RCPT or from a 4yz reply.
func FuzzRead(f *testing.F) {
	f.Add(550, "5.1.1 <user@example.com>: User unknown", "user@example.com")
	f.Add(451, "Greylisted, try again in 300 seconds", "blocked@example.com")
	f.Add(554, "\xff\xfe 存在しません \u00a0 ~ $ * ..", `"a b"@example.com`)
	f.Fuzz(func(t *testing.T, code int, text, mailbox string) {
		if code < 200 || code > 599 {
			t.Skip()
		}
		reply := smtp.Reply{Code: code, Lines: []string{text}}
		for _, phase := range []smtp.Phase{smtp.PhaseGreeting, smtp.PhaseMAIL, smtp.PhaseRCPT} {
			got := DefaultClassifier().Read(Input{Phase: phase, Reply: reply, Mailbox: mailbox})
			final := got.Class == ClassNoSuchUser || got.Class == ClassDisabled || got.Class == ClassMoved
			if final && (phase != smtp.PhaseRCPT || code < 500) {
				t.Errorf("%s %d %q read as %s", phase, code, text, got.Class)
			}
			if got.Class == "" || got.Rule == "" {
				t.Errorf("%d %q: no class or rule", code, text)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for name, text := range map[string]string{
		"short": "550 5.1.1 <user@example.com>: Recipient address rejected: User unknown in virtual mailbox table",
		"long":  "550 5.7.1 Service unavailable, Client host [192.0.2.10] blocked using Spamhaus. To request removal from this list see https://www.spamhaus.org/query/ip/192.0.2.10 (AS3130). [BN7NAM10FT012.eop-nam10.prod.protection.outlook.com 2026-01-01T00:00:00.000Z 08DD2A]",
	} {
		reply, err := smtp.ParseReply(text)
		if err != nil {
			b.Fatal(err)
		}
		q := Input{Phase: smtp.PhaseRCPT, Reply: reply, Host: "mx.example.com", Mailbox: "user@example.com"}
		for again, read := range map[string]func(Input) Classification{
			"first": DefaultClassifier().read, "again": DefaultClassifier().Read,
		} {
			b.Run(name+"/"+again, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					read(q)
				}
			})
		}
	}
}

// TestOrigin: a rule is found by the name that a classification has, and a
// reply that was read by its code alone has no rule.
func TestOrigin(t *testing.T) {
	file := RuleFile{Name: "ours", Data: []byte(`rules: [{id: ours, class: mailbox_full, text: [zu viele Zettel], ` +
		`sample: [452 zu viele Zettel], source: a note}]`)}
	c, err := NewClassifier(file)
	if err != nil {
		t.Fatal(err)
	}
	if source, sample, known := c.Origin("ours"); source != "a note" || sample != "452 zu viele Zettel" || !known {
		t.Errorf("source %q, sample %q, %v", source, sample, known)
	}
	for _, name := range []string{"code-5yz", ""} {
		if source, sample, known := c.Origin(name); source != "" || sample != "" || known {
			t.Errorf("%q: source %q, sample %q, %v", name, source, sample, known)
		}
	}
}
