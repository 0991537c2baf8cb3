package replies

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/sys/yamlfile"

	"github.com/rcpt/rcpt/smtpprobe/smtp"
)

// TestRemediesFindTheirSamples checks each sample: it is read as a refusal of
// the client, and leads to its own remedy, so no entry hides another.
func TestRemediesFindTheirSamples(t *testing.T) {
	all, err := readRemedies(remedyData)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range all.list {
		host := "mx.example.net"
		if hosts := all.rules.ordered[i].hosts; len(hosts) > 0 {
			host = "mx1." + hosts[0]
		}
		for _, sample := range r.samples {
			reply, err := smtp.ParseReply(strings.Split(sample, "\n")...)
			if err != nil {
				t.Fatal(r.id, err)
			}
			q := Input{Phase: smtp.PhaseMAIL, Reply: reply, Host: host}
			class := DefaultClassifier().Read(q).Class
			if limited := []Class{ClassBlocked, ClassRateLimited, ClassTemporary}; !slices.Contains(limited, class) {
				t.Errorf("%s: %q is read as %s", r.id, sample, class)
			}
			if got := remedyFor(q); got.id != r.id {
				t.Errorf("%q leads to %q, want %q", sample, got.id, r.id)
			}
		}
		if said := r.cause + r.do; strings.Contains(said, "--") || strings.Contains(said, "rcpt ") {
			t.Errorf("%s names a command or a flag: %s", r.id, said)
		}
		if !strings.HasSuffix(r.cause, ".") || !strings.Contains(r.do, ".") || r.source == "" {
			t.Errorf("%s: cause and do are sentences, and have a source", r.id)
		}
	}
}

// TestRemedyOfAnother: what one provider says is not advice about another.
func TestRemedyOfAnother(t *testing.T) {
	reply, err := smtp.ParseReply("554 IP=192.0.2.1 - A problem occurred. (BL)")
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{"mx00.t-online.de": "t-online", "mx.example.net": ""} {
		if got := remedyFor(Input{Phase: smtp.PhaseGreeting, Reply: reply, Host: host}); got.id != want {
			t.Errorf("%s: %q, want %q", host, got.id, want)
		}
		cause, do := Remedy(Input{Phase: smtp.PhaseGreeting, Reply: reply, Host: host})
		if known := want != ""; known != (cause != "") || known != (do != "") {
			t.Errorf("%s: cause %q, do %q", host, cause, do)
		}
	}
}

// TestRemedyOfTheSender: whoever refuses a message by SPF or DMARC, the remedy
// is about that, and not about the provider's opinion of the address.
func TestRemedyOfTheSender(t *testing.T) {
	for _, tt := range []struct{ host, reply, want string }{
		{"mta7.am0.yahoodns.net", "554 5.7.9 Message not accepted for policy reasons. DMARC of acme.example says reject", "dmarc"},
		{"mx01.mail.icloud.com", "554 5.7.1 Your message was rejected due to the DMARC policy of acme.example", "dmarc"},
		{"mx00.gmx.net", "550 5.7.1 SPF check failed for acme.example", "spf"},
		{"acme-example.mail.protection.outlook.com", "550 5.7.509 Access denied, sending domain acme.example does not pass DMARC verification and has a DMARC policy of reject.", "dmarc"},
		{"gmail-smtp-in.l.google.com", "550 5.7.26 Unauthenticated email from acme.example is not accepted due to domain's DMARC policy.", "dmarc"},
		{"gmail-smtp-in.l.google.com", "550 5.7.26 Gmail requires all senders to authenticate with either SPF or DKIM.", "dkim"},
		{"mx.example.net", "550 5.7.1 SPF unauthorized mail is prohibited.", "spf"},
	} {
		reply, err := smtp.ParseReply(tt.reply)
		if err != nil {
			t.Fatal(err)
		}
		if got := remedyFor(Input{Phase: smtp.PhaseMAIL, Reply: reply, Host: tt.host}); got.id != tt.want {
			t.Errorf("%s: %q leads to %q, want %q", tt.host, tt.reply, got.id, tt.want)
		}
	}
}

// TestWrongRemedies: data that would advise everybody, or nothing, is refused.
func TestWrongRemedies(t *testing.T) {
	for _, text := range []string{
		"{id: a, cause: C., do: D., sample: [550 a]}",
		"{id: a, text: [a], do: D., sample: [550 a]}",
		"{id: a, text: [a], cause: C., do: D.}",
		"{id: a, text: [a], cause: C., do: D., sample: [550 a], color: red}",
	} {
		if _, err := readRemedies([]byte("remedies: [" + text + "]")); err == nil {
			t.Errorf("accepted: %s", text)
		}
	}
}

// TestDoctorPage: the page has every remedy.
func TestDoctorPage(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "doctor.md"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Remedies []remedyEntry `yaml:"remedies"`
	}
	if err := yamlfile.Load(remedyData, &file); err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, e := range file.Remedies {
		if !strings.HasSuffix(e.Do, ".") {
			t.Errorf("%s: what to do is a sentence", e.Rule.ID)
		}
		if !strings.Contains(page, "| "+e.Cause+" | "+e.Do+" |") || !strings.Contains(page, e.Link) {
			t.Errorf("the page lacks the remedy %s", e.Rule.ID)
		}
	}
}
