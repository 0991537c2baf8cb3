package list

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt"
)

// serviceFiles are results as the services write them, and what is taken of
// them: an empty string is asked again.
var serviceFiles = []struct {
	name, file, list string
	earlier          string
	want             []string
}{
	{name: "ZeroBounce", file: "a_all_results.csv", earlier: "ZeroBounce", list: `"Email Address","Name","ZB Status","ZB Sub Status","ZB Account","ZB Domain","ZB Free Email","ZB MX Found","ZB Did You Mean","ZB Processed At"
"a@acme.example","A","valid","","a","acme.example","False","true","","2026-10-01 10:11:12.123"
"b@acme.example","B","invalid","mailbox_not_found","b","acme.example","False","true","","2026-10-01 10:11:12.123"
"c@acme.example","C","invalid","possible_typo","c","acme.example","False","true","c@acme.example","2026-10-01 10:11:12.123"
"d@acme.example","D","catch-all","","d","acme.example","True","true","","2026-10-01 10:11:12.123"
"e@acme.example","E","unknown","mail_server_temporary_error","e","acme.example","False","true","","2026-10-01 10:11:12.123"
"f@acme.example","F","spamtrap","","f","acme.example","False","true","","2026-10-01 10:11:12.123"
"g@acme.example","G","do_not_mail","disposable","g","acme.example","False","true","","2026-10-01 10:11:12.123"
"h@acme.example","H","do_not_mail","role_based_catch_all","h","acme.example","False","true","","2026-10-01 10:11:12.123"
"i@acme.example","I","invalid","a_word_of_next_year","i","acme.example","False","true","",""
"j@acme.example","J","Valid","alias_address","j","acme.example","False","true","",""
`, want: []string{
		"deliverable recipient_accepted 2026-10-01 ZeroBounce said valid on 2026-10-01.",
		"undeliverable mailbox_not_found 2026-10-01 ZeroBounce said invalid, mailbox_not_found on 2026-10-01.",
		"",
		"accept-all catch_all accept-all free 2026-10-01 ZeroBounce said catch-all on 2026-10-01.",
		"",
		"unknown spam_trap trap 2026-10-01 ZeroBounce said spamtrap on 2026-10-01.",
		"unknown not_asked disposable 2026-10-01 ZeroBounce said do_not_mail, disposable on 2026-10-01.",
		"accept-all catch_all accept-all 2026-10-01 ZeroBounce said do_not_mail, role_based_catch_all on 2026-10-01.",
		"",
		"deliverable recipient_accepted undated ZeroBounce said Valid, alias_address.",
	}},
	{name: "ZeroBounce API", file: "a.json", earlier: "ZeroBounce", list: `[
{"address":"a@acme.example","status":"valid","sub_status":"","free_email":true,"did_you_mean":null,"processed_at":"2026-10-01 10:11:12.123"},
{"address":"b@acme.example","status":"abuse","sub_status":"","free_email":false,"did_you_mean":null,"processed_at":"2026-10-01 10:11:12.123"}]`,
		want: []string{"deliverable recipient_accepted free 2026-10-01 ZeroBounce said valid on 2026-10-01.", ""}},
	{name: "NeverBounce", file: "a.csv", earlier: "NeverBounce", list: "id,email,name,email_status\n1,a@acme.example,A,valid\n2,b@acme.example,B,invalid\n3,c@acme.example,C,catchall\n4,d@acme.example,D,disposable\n5,e@acme.example,E,unknown\n",
		want: []string{"deliverable recipient_accepted undated NeverBounce said valid.", "", "accept-all catch_all accept-all undated NeverBounce said catchall.", "unknown not_asked disposable undated NeverBounce said disposable.", ""}},
	{name: "Kickbox", file: "a.csv", earlier: "Kickbox", list: "email,Result,Reason,Role,Free,Disposable,Accept All,Did You Mean,Sendex\n" +
		"a@acme.example,deliverable,accepted_email,false,true,false,false,,0.9\nb@acme.example,undeliverable,rejected_email,false,false,false,false,b@acme2.example,0\n" +
		"c@acme.example,risky,low_deliverability,true,false,false,true,,0.5\nd@acme.example,risky,low_quality,false,false,true,false,,0.1\ne@acme.example,unknown,timeout,false,false,false,false,,0\n",
		want: []string{"deliverable recipient_accepted free undated Kickbox said deliverable, accepted_email.", "undeliverable mailbox_not_found undated suggests b@acme2.example Kickbox said undeliverable, rejected_email.",
			"accept-all catch_all accept-all role undated Kickbox said risky, low_deliverability.", "", ""}},
	{name: "Bouncer", file: "a.csv", earlier: "Bouncer", list: "email,status,reason,domain.name,domain.acceptAll,domain.disposable,domain.free,account.role,account.disabled,account.fullMailbox,dns.type,dns.record,provider,score,toxic,toxicity\n" +
		"a@acme.example,deliverable,accepted_email,acme.example,no,no,no,no,no,no,MX,mx.acme.example,other,100,no,0\nb@acme.example,undeliverable,rejected_email,acme.example,no,no,no,no,no,no,MX,mx.acme.example,other,0,no,0\n" +
		"c@acme.example,risky,low_deliverability,acme.example,yes,no,no,no,no,no,MX,mx.acme.example,other,50,no,0\nd@acme.example,risky,low_deliverability,acme.example,no,no,no,no,no,yes,MX,mx.acme.example,other,50,no,0\ne@acme.example,undeliverable,invalid_domain,acme.example,no,no,no,no,no,no,,,,0,no,0\n",
		want: []string{"deliverable recipient_accepted undated Bouncer said deliverable, accepted_email.", "undeliverable mailbox_not_found undated Bouncer said undeliverable, rejected_email.",
			"accept-all catch_all accept-all undated Bouncer said risky, low_deliverability.", "", ""}},
	{name: "Emailable", file: "a.csv", earlier: "Emailable", list: "Accept All,Did You Mean,Disposable,Domain,Email,Free,Mailbox Full,MX Record,Reason,Role,Score,State\n" +
		"false,,false,acme.example,a@acme.example,false,false,mx.acme.example,accepted_email,true,95,deliverable\ntrue,,false,acme.example,b@acme.example,false,false,mx.acme.example,low_deliverability,false,60,risky\n,,,acme.example,c@acme.example,,,mx.acme.example,rejected_email,,0,undeliverable\n,,,acme.example,d@acme.example,,,,timeout,,0,unknown\n",
		want: []string{"deliverable recipient_accepted role undated Emailable said deliverable, accepted_email.", "accept-all catch_all accept-all undated Emailable said risky, low_deliverability.", "undeliverable mailbox_not_found undated Emailable said undeliverable, rejected_email.", ""}},
	{name: "MillionVerifier", file: "a.csv", earlier: "MillionVerifier", list: `"email","quality","result","free","role"` + "\na@acme.example,good,ok,no,yes\nb@acme.example,bad,invalid,no,no\nc@acme.example,risky,catch_all,no,no\nd@acme.example,bad,disposable,no,no\ne@acme.example,risky,unknown,no,no\n",
		want: []string{"deliverable recipient_accepted role undated MillionVerifier said ok.", "", "accept-all catch_all accept-all undated MillionVerifier said catch_all.", "unknown not_asked disposable undated MillionVerifier said disposable.", ""}},
	{name: "DeBounce", file: "a.csv", earlier: "DeBounce", list: "Email,Result,Reason\na@acme.example,Safe to Send,Deliverable\nb@acme.example,Invalid,Bounce\nc@acme.example,Risky,Accept-All\nd@acme.example,Invalid,Spam Trap\ne@acme.example,Unknown,Unknown\n",
		want: []string{"deliverable recipient_accepted undated DeBounce said Safe to Send, Deliverable.", "", "accept-all catch_all accept-all undated DeBounce said Risky, Accept-All.", "unknown spam_trap trap undated DeBounce said Invalid, Spam Trap.", ""}},
	{name: "Bouncify", file: "a.csv", earlier: "Bouncify", list: "Email,Verification Result,Syntax Error,ISP,Role,Disposable,Trap,Verified At\na@acme.example,deliverable,false,acme,false,false,false,2026-10-01T10:11:12Z\nb@acme.example,undeliverable,false,acme,false,false,false,2026-10-01T10:11:12Z\nc@acme.example,accept-all,false,acme,true,false,true,2026-10-01T10:11:12Z\n",
		want: []string{"deliverable recipient_accepted 2026-10-01 Bouncify said deliverable on 2026-10-01.", "", "unknown spam_trap role trap 2026-10-01 Bouncify said accept-all on 2026-10-01."}},
	{name: "Reacher", file: "a.csv", earlier: "Reacher", list: "input,is_reachable,misc.is_disposable,misc.is_role_account,misc.gravatar_url,mx.accepts_mail,smtp.can_connect,smtp.has_full_inbox,smtp.is_catch_all,smtp.is_deliverable,smtp.is_disabled,syntax.is_valid_syntax,syntax.domain,syntax.username,error\n" +
		"a@acme.example,safe,false,false,,true,true,false,false,true,false,true,acme.example,a,\nb@acme.example,invalid,false,false,,true,true,false,false,false,false,true,acme.example,b,\nc@acme.example,risky,false,true,,true,true,false,true,true,false,true,acme.example,c,\nd@acme.example,risky,false,true,,true,true,false,false,true,false,true,acme.example,d,\n",
		want: []string{"deliverable recipient_accepted undated Reacher said safe.", "", "accept-all catch_all accept-all role undated Reacher said risky.", ""}},
	{name: "a column with the name alone", file: "a.csv", list: "email,email_status\na@acme.example,Verified\nb@acme.example,Guessed\nc@acme.example,valid\n", want: []string{"", "", ""}},
	{name: "states of the USA", file: "a.csv", list: "email,state,reason\na@acme.example,CA,sale\nb@acme.example,NY,sale\n", want: []string{"", ""}},
	{name: "a name is missing", file: "a.csv", list: "email,result\na@acme.example,ok\nb@acme.example,catch_all\n", want: []string{"", ""}},
	{name: "two columns are read", file: "a.csv", earlier: "NeverBounce", list: "email,mail 2,email_status\na@acme.example,b@acme.example,valid\n", want: []string{" "}},
	{name: "ours beside those of a service", file: "a.csv", earlier: Ours, list: "email,email_status,rcpt_result,rcpt_reason,rcpt_message\na@acme.example,valid,unknown,greylisted,Ours.\n", want: []string{"unknown greylisted undated Ours."}},
	{name: "a record of another program", file: "a.jsonl", earlier: Ours, list: `{"email":"a@acme.example","user":"a","domain":"acme.example","accept_all":0,"role":0,"free_email":0,"disposable":0,"spamtrap":0,"success":true,"result":"undeliverable","message":"Theirs"}` + "\n", want: []string{"undeliverable undated Theirs"}},
}

func TestServices(t *testing.T) {
	for _, c := range serviceFiles {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Format: FormatOf(c.file)}
			if strings.Contains(c.name, "two columns") {
				o.Columns = []string{"1", "2"}
			}
			r := open(t, c.list, o)
			if r.Earlier() != c.earlier {
				t.Errorf("results of %q, want %q", r.Earlier(), c.earlier)
			}
			var got []string
			for {
				row, err := r.Next()
				if err != nil {
					break
				}
				var texts []string
				for n := range row.Addresses {
					texts = append(texts, earlierText(r.EarlierResults(row.Raw), n))
				}
				got = append(got, strings.Join(texts, " "))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestServiceWords: each word means something, no layout of a service has the
// words of another, and each service says where its words are documented.
func TestServiceWords(t *testing.T) {
	for _, s := range Services() {
		if _, err := time.Parse(time.DateOnly, s.Date); err != nil || !strings.HasPrefix(s.Source, "https://") {
			t.Errorf("%s: source %q of %q", s.Name, s.Source, s.Date)
		}
		for word, means := range s.Words {
			if _, known := meanings[means]; !known && means != "again" && means != "risky" {
				t.Errorf("%s: %q is %q", s.Name, word, means)
			}
			dead := strings.Contains(word, "mailbox_not_found") || strings.Contains(word, "rejected_email")
			if means == "undeliverable" && !dead {
				t.Errorf("%s: %q does not say that the mailbox does not exist", s.Name, word)
			}
		}
		for kind := range s.Columns {
			if !strings.Contains(" accept_all role free disposable trap suggestion checked ", " "+kind+" ") {
				t.Errorf("%s: columns of %q", s.Name, kind)
			}
		}
	}
}

// earlierText is the result of an address of a row.
func earlierText(all []*rcpt.Result, n int) string {
	if n >= len(all) || all[n] == nil {
		return ""
	}
	r := all[n]
	words := []string{string(r.Verdict), string(r.Reason)}
	for _, flag := range []struct {
		set  bool
		name string
	}{{r.AcceptAll, "accept-all"}, {r.Role, "role"}, {r.Free, "free"}, {r.Disposable, "disposable"}, {r.SpamTrap, "trap"}} {
		if flag.set {
			words = append(words, flag.name)
		}
	}
	if at := r.CheckedAt; at.IsZero() {
		words = append(words, "undated")
	} else {
		words = append(words, at.Format(time.DateOnly))
	}
	if r.Suggestion != "" {
		words = append(words, "suggests "+r.Suggestion)
	}
	return strings.Join(strings.Fields(strings.Join(append(words, r.Message), " ")), " ")
}

// TestServicesDocument compares the table of the document with that of the
// program.
func TestServicesDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/from-services.md")
	if err != nil {
		t.Fatal(err)
	}
	if table := servicesTable(); !strings.HasSuffix(string(text), table) {
		t.Errorf("docs/from-services.md does not end with:\n%s", table)
	}
}

func servicesTable() string {
	var out strings.Builder
	out.WriteString("| service, where its words are documented | columns | its word | is |\n| --- | --- | --- | --- |\n")
	for _, s := range Services() {
		var columns []string
		for _, layout := range s.Layouts {
			names := append([]string{layout.Result}, layout.With...)
			if layout.Detail != "" {
				names = slices.Insert(names, 1, layout.Detail)
			}
			columns = append(columns, "`"+strings.Join(names, "`, `")+"`")
		}
		head := "[" + s.Name + "](" + s.Source + "), " + s.Date + " | " + strings.Join(columns, "; or ")
		for _, means := range []string{"deliverable", "accept-all", "undeliverable", "spam-trap", "disposable", "risky", "again"} {
			var words []string
			for word, is := range s.Words {
				if is == means {
					words = append(words, "`"+word+"`")
				}
			}
			if len(words) == 0 {
				continue
			}
			slices.Sort(words)
			out.WriteString("| " + head + " | " + strings.Join(words, ", ") + " | " + plainMeaning[means] + " |\n")
			head = " | "
		}
	}
	return out.String()
}

var plainMeaning = map[string]string{
	"deliverable": "`deliverable`", "accept-all": "`accept-all`", "undeliverable": "`undeliverable`, `mailbox_not_found`",
	"spam-trap": "`unknown`, `spam_trap`", "disposable": "`unknown`, `not_asked`, disposable",
	"risky": "`accept-all` if the column of the service for that says so; else asked again", "again": "asked again",
}
