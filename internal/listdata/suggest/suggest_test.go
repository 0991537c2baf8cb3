package suggest

import (
	"strings"
	"testing"
)

// someTargets are "domain/weight", some neighbours of which are in someKnown.
const someTargets = `
	gmail.com/1000 yahoo.com/300 hotmail.com/300 outlook.com/250 icloud.com/120 aol.com/80 live.com/60 msn.com/40 me.com/20 ymail.com/10
	googlemail.com/20 protonmail.com/20 proton.me/15 fastmail.com/4 rediffmail.com/15 btinternet.com/15 rogers.com/6 sky.com/8 qq.com/150 163.com/80
	mail.ru/150 yandex.ru/100 rambler.ru/15 inbox.ru/6 gmx.de/80 gmx.net/40 web.de/80 t-online.de/40 freenet.de/15
	comcast.net/40 verizon.net/15 charter.net/10 earthlink.net/5 bell.net/4 laposte.net/15
	orange.fr/40 wanadoo.fr/15 free.fr/30 libero.it/30 alice.it/5 uol.com.br/15 telenet.be/5 ziggo.nl/5 seznam.cz/20 wp.pl/20
	yahoo.fr/20 yahoo.co.uk/30 yahoo.co.in/20 yahoo.co.jp/40 yahoo.com.br/20 yahoo.ca/10 hotmail.fr/30 hotmail.co.uk/30 hotmail.de/10 outlook.de/5
`

// someKnown are real domains near to targets.
const someKnown = "mail.com gmx.com gmx.at ymail.ru cloud.com hotmail.gr live.ca love.com"

func someSuggester() *Suggester {
	known := make(map[string]bool)
	for domain := range strings.FieldsSeq(someKnown) {
		known[domain] = true
	}
	return New(parseTargets(someTargets), func(domain string) bool { return known[domain] })
}

func parseTargets(text string) []Target {
	var targets []Target
	for entry := range strings.FieldsSeq(text) {
		domain, digits, _ := strings.Cut(entry, "/")
		weight := 0
		for _, d := range digits {
			weight = 10*weight + int(d-'0')
		}
		targets = append(targets, Target{domain, weight})
	}
	return targets
}

func TestSuggest(t *testing.T) {
	s := someSuggester()
	for _, tt := range []struct{ slip, typed, want string }{
		{"swapped", "gmial.com gmali.com gamil.com mgail.com", "gmail.com"},
		{"swapped", "hotmial.com ohtmail.com", "hotmail.com"},
		{"swapped", "yhaoo.com", "yahoo.com"},
		{"swapped", "protonmial.com", "protonmail.com"},
		{"missing", "gmal.com gmil.com gmai.com", "gmail.com"},
		{"missing", "yaho.com yhoo.com", "yahoo.com"},
		{"missing", "hotmil.com hotmai.com otmail.com", "hotmail.com"},
		{"missing", "outlok.com", "outlook.com"},
		{"missing", "iclod.com icoud.com", "icloud.com"},
		{"missing", "t-onlin.de tonline.de", "t-online.de"},
		{"doubled", "gmaill.com ggmail.com", "gmail.com"},
		{"doubled", "yahooo.com", "yahoo.com"},
		{"beside", "gnail.com gmsil.com gmaik.com hmail.com", "gmail.com"},
		{"beside", "hormail.com hotnail.com", "hotmail.com"},
		{"beside", "outllok.com", "outlook.com"},
		{"beside on other keyboards", "gmqil.com", "gmail.com"},
		{"beside on other keyboards", "hotlail.com", "hotmail.com"},
		{"too many", "gmaiol.com gmnail.com 1gmail.com gmail2.com gm-ail.com", "gmail.com"},
		{"alike", "gmai1.com", "gmail.com"},
		{"alike", "h0tmail.com", "hotmail.com"},
		{"alike", "yah00.com", "yahoo.com"},
		{"stray in a long name", "gogglemail.com", "googlemail.com"},
		{"stray in a long name", "protenmail.com", "protonmail.com"},
		{"stray in a popular name", "hotmeil.com", "hotmail.com"},
		{"stray in a popular name", "gemail.com gmall.com", "gmail.com"},
		{"stray in a popular name", "yahho.com", "yahoo.com"},
		{"two in a long name", "prtonmial.com protnmal.com", "protonmail.com"},
		{"in four letters", "lvie.com liive.com", "live.com"},
		{"in four letters", "mial.ru maill.ru", "mail.ru"},
		{"under a country", "hotmial.fr", "hotmail.fr"},
		{"under a country", "yaho.co.uk", "yahoo.co.uk"},

		{"no such TLD", "gmail.con gmail.comm gmail.cmo gmail.ocm gmail.c0m gmail.vom gmail.com1 gmail.come gmail.co.m", "gmail.com"},
		{"no such TLD", "yahoo.con", "yahoo.com"},
		{"no such TLD", "live.con", "live.com"},
		{"no such TLD", "aol.con", "aol.com"},
		{"no such TLD", "me.con", "me.com"},
		{"no such TLD", "comcast.nte", "comcast.net"},
		{"no such TLD", "verizon.met", "verizon.net"},
		{"no such TLD", "web.dee", "web.de"},
		{"no such TLD", "gmx.dee", "gmx.de"},
		{"no such TLD", "wanadoo.ft", "wanadoo.fr"},
		{"no such TLD", "orange.fe", "orange.fr"},
		{"no such TLD", "libero.ti", "libero.it"},
		{"no such TLD", "mail.ri", "mail.ru"},
		{"no such TLD", "yandex.r", "yandex.ru"},
		{"no such TLD", "yahoo.couk yahoo.co.u yahoo.co.ik yahoo.co.ukk", "yahoo.co.uk"},
		{"no such TLD, of a known domain", "mail.con", "mail.com"},
		{"no such TLD, of a known domain", "gmx.vom", "gmx.com"},
		{"a TLD better known as a slip", "gmail.co gmail.cm gmail.om gmial.cm", "gmail.com"},
		{"a TLD better known as a slip", "yahoo.co", "yahoo.com"},
		{"a TLD better known as a slip", "outlook.cm", "outlook.com"},
		{"a TLD better known as a slip", "aol.cm", "aol.com"},
		{"a TLD better known as a slip", "comcast.ne comcast.et", "comcast.net"},
		{"in name and TLD", "gmial.con gmaill.cmo", "gmail.com"},
		{"in name and TLD", "lvie.con", "live.com"},
		{"in name and TLD", "wanado.ft", "wanadoo.fr"},
		{"in name and TLD", "seznma.zc", "seznam.cz"},
		{"TLD missing", "gmail gmial", "gmail.com"},
		{"TLD missing, the heavier", "yahoo", "yahoo.com"},
		{"TLD missing, the heavier", "hotmial", "hotmail.com"},
		{"TLD cut, the heavier", "hotmail.c", "hotmail.com"},
		{"TLD twice", "gmail.com.com gmail.comcom gmail.com.con", "gmail.com"},
		{"TLD twice", "web.de.de", "web.de"},
		{"no dot", "gmailcom gmail-com", "gmail.com"},
		{"no dot", "mecom", "me.com"},
		{"no dot", "yahoocouk yahooco.uk", "yahoo.co.uk"},
		{"dot elsewhere", "gmai.lcom gmailc.om g.mail.com", "gmail.com"},
		{"www", "www.gmail.com www.gmial.com www.gmail.con", "gmail.com"},
		{"www, of a known domain", "www.gmx.at", "gmx.at"},

		{"no such TLD, of any domain", "acme.con acme.cmo acme.c0m acme.comm acme.vom acme.co.m www.acme.con", "acme.com"},
		{"no such TLD, of any domain", "acme.ner acme.nte acme.nt acme.nett", "acme.net"},
		{"no such TLD, of any domain", "acme.ogr acme.or acme.orgg", "acme.org"},
		{"no such TLD, of any domain", "acme.dee", "acme.de"},
		{"no such TLD, of any domain", "acme.couk acme.co.u acme.co.ik", "acme.co.uk"},
		{"no such TLD, of any domain", "x.con", "x.com"},
		{"no such TLD, of a sub-domain", "mail.acme.con", "mail.acme.com"},
	} {
		for typed := range strings.FieldsSeq(tt.typed) {
			if got, ok := s.Suggest(typed); got != tt.want || !ok {
				t.Errorf("%s: Suggest(%q) = %q, %t, want %q", tt.slip, typed, got, ok, tt.want)
			}
		}
	}
}

func TestSilent(t *testing.T) {
	s := someSuggester()
	for _, tt := range []struct{ why, domains string }{
		{"target", "gmail.com yahoo.co.uk me.com t-online.de"},
		{"known", someKnown},
		{"ordinary", "acme.com acme.co.uk acme.de example.org marriott.com university.edu xn--bcher-kva.de"},
		{"wrong letter far away in a short name", "hotel.com ymall.com tandem.ru horizon.net chapter.net slide.it"},
		{"two slips in a short name", "gamli.com yhao.com cilodu.com carer.net"},
		{"two stray letters", "pretonmael.com ootleek.com"},
		{"two slips in a popular name", "ohmail.com ozmail.com"},
		{"stray first letter", "email.com kmail.com pcloud.com wahoo.com lastmail.com"},
		{"letters before a long word", "internet.com ezfastmail.com k-online.de e-online.de online.de"},
		{"three letters", "aol.de alo.com aoll.com men.com mee.com qqq.com gmc.de gmxx.de wen.de webb.de man.com mns.com wpp.pl 162.com"},
		{"four letters", "like.com life.com lives.com olive.com mails.ru nail.ru freed.fr bells.net sell.net"},
		{"another TLD that exists", "lvie.cm yahoo.hk yahoo.ie outlook.it hotmail.se libero.ir wanadoo.gr gmail.fr gmail.de gmail.com.br web.dk libero.io orange.com verizon.com"},
		{"short name under co", "aol.co me.co live.co sky.co"},
		{"slip under co", "cloud.co mail.co roger.co"},
		{"sub-domain", "mail.gmial.com eu.hotmial.com gmail.acme.com www2.gmail.com"},
		{"www of any domain", "www.acme.com"},
		{"no such TLD, nothing near", "acme.test acme.example acme.invalid acme.localhost acme.local acme.lan acme.corp acme.home acme.internal acme.intranet acme.onion acme.qz"},
		{"no such TLD, any country", "acme.dr acme.fe acme.u acme.dek"},
		{"dotless, nothing near", "localhost acme com mailer hub al m mail web me"},
		{"no domain", ". .. .com .con a. a.. con. www. - 192.0.2.1 1.1 ::1"},
		{"too long", strings.Repeat("gmail", 13) + ".com gmail." + strings.Repeat("com", 22)},
	} {
		for domain := range strings.FieldsSeq(tt.domains) {
			if got, ok := s.Suggest(domain); ok || got != "" {
				t.Errorf("%s: Suggest(%q) = %q, %t, want none", tt.why, domain, got, ok)
			}
		}
	}
	if got, ok := s.Suggest(""); ok {
		t.Errorf("nothing typed: %q", got)
	}
}

func TestWithoutTargets(t *testing.T) {
	s := New(nil, nil)
	if got, ok := s.Suggest("gmial.com"); ok {
		t.Errorf("gmial.com: %q, want none", got)
	}
	if got, _ := s.Suggest("acme.con"); got != "acme.com" {
		t.Errorf("acme.con: %q, want acme.com", got)
	}
}

func TestOrdinaryMissesDoNotAllocate(t *testing.T) {
	s := someSuggester()
	for _, domain := range []string{"acme.com", "hotel.com", "mail.acme.co.uk", "localhost"} {
		if n := testing.AllocsPerRun(100, func() { s.Suggest(domain) }); n != 0 {
			t.Errorf("%s: %v allocations", domain, n)
		}
	}
}
