package list

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGuess: which column of CSV is read, and what is said of that.
func TestGuess(t *testing.T) {
	for _, c := range []struct {
		name, list   string
		read, others string
		notices      []string
		refused      string
	}{
		{name: "Outlook, French", list: "Nom,Adresse de messagerie,Type de messagerie,Nom complet de l'adresse de messagerie,Adresse de messagerie 2\n" +
			"A,a@acme.example,SMTP,A (a@acme.example),x@acme.example\nB,b@acme.example,SMTP,b@acme.example,\n",
			read: `2 "Adresse de messagerie"`, others: `5 "Adresse de messagerie 2" (1 of 2 rows)`},
		{name: "Outlook, Polish", list: "Imię,Adres e-mail,Typ e-mail,Nazwa wyświetlana e-mail\nA,a@acme.example,SMTP,a@acme.example\n", read: `2 "Adres e-mail"`},
		{name: "Outlook, Korean", list: "성,전자 메일 유형,전자 메일 주소,전자 메일 표시 이름\nA,SMTP,a@acme.example,a@acme.example\n", read: `3 "전자 메일 주소"`},
		{name: "Outlook in a language without known names", list: "A,Epasta adrese,Epasta tips,Epasta vārds\nx,a@acme.example,SMTP,a@acme.example\ny,b@acme.example,SMTP,b@acme.example\n",
			read: `2 "Epasta adrese"`},
		{name: "a name before the address", list: "Anzeigename,Primäre E-Mail-Adresse,Sekundäre E-Mail-Adresse\na@acme.example,a@acme.example,x@acme.example\nB,b@acme.example,\n",
			read: `2 "Primäre E-Mail-Adresse"`, others: `3 "Sekundäre E-Mail-Adresse" (1 of 2 rows)`},
		{name: "a name before the address, unknown", list: "Vārds,E-pasta\na@acme.example,a@acme.example\nB,b@acme.example\nc@acme.example,c@acme.example\n", read: `2 "E-pasta"`},
		{name: "Google", list: "Name,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,Website 1 - Value\nA,* Work,a@acme.example,Home,b@acme.example,https://social.example/@a\nB,,c@acme.example,,,\n",
			read: `3 "E-mail 1 - Value"`, others: `5 "E-mail 2 - Value" (1 of 2 rows)`},
		{name: "word and none", list: "Contact,Work e-mail,Boss\n1,a@acme.example,z@acme.example\n2,b@acme.example,z@acme.example\n", read: `2 "Work e-mail"`, others: `3 "Boss" (2 of 2 rows)`},
		{name: "words that are about others", list: "E-mail opt-in,E-mail type,E-mail count,Kontakt\nyes,html,3,a@acme.example\nno,text,0,b@acme.example\n", read: `4 "Kontakt"`},
		{name: "the name and not the addresses", list: "Name,Mail,Kontakt\nA,ja,a@acme.example\nB,nein,b@acme.example\n", read: `3 "Kontakt"`,
			notices: []string{`Column 2 "Mail" holds no addresses in 2 rows`}},
		{name: "a survey", list: "ID,Email Address,What is your email?,\n,,Open-Ended Response,Comment\n1,,a@acme.example,ok\n", read: `3 "What is your email?"`,
			notices: []string{`Column 2 "Email Address" holds no addresses in 2 rows`}},
		{name: "two known names", list: "email,e-mail\na@acme.example,\n,b@acme.example\nc@acme.example,d@acme.example\n", read: `1 "email"`, others: `2 "e-mail" (2 of 3 rows)`},
		{name: "the fuller of two known names", list: "mail,email\n,a@acme.example\nc@acme.example,b@acme.example\n", read: `2 "email"`, others: `1 "mail" (1 of 2 rows)`},
		{name: "R's row numbers", list: "\"email\",\"name\"\n\"1\",\"a@acme.example\",\"A\"\n\"2\",\"b@acme.example\",\"B\"\n", read: `2 "email"`,
			notices: []string{"The row with the names of the columns has one cell less than the others: the first column has no name"}},
		{name: "a comma behind each row", list: "email,name\na@acme.example,A,\nb@acme.example,B,\n", read: `1 "email"`},
		{name: "bars and two addresses", list: "id|emails\n1|a@acme.example,b@acme.example\n2|c@acme.example,d@acme.example\n", read: `2 "emails"`},
		{name: "bars and two addresses without header", list: "1|a@acme.example,b@acme.example\n2|c@acme.example,d@acme.example\n", read: "2"},
		{name: "unclear", list: "work,home\na@acme.example,b@acme.example\n", refused: "more than one column may hold the addresses"},
		{name: "a header alone", list: "Name,E-mail 1 - Value\n", read: `2 "E-mail 1 - Value"`, notices: []string{"The list names its columns and has no rows"}},
		{name: "a word alone is not enough", list: "Name,Mailing City\nA,Berlin\n", refused: `found the columns 1 "Name", 2 "Mailing City"; none holds addresses: write`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := NewReader(strings.NewReader(c.list), Options{Format: CSV})
			if c.refused != "" {
				if !errors.As(err, new(*FormatError)) || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("error %v, want %s", err, c.refused)
				}
				return
			}
			check(t, err)
			read, others := r.Columns()
			if got := strings.Join(read, ", "); got != c.read {
				t.Errorf("reads %s, want %s", got, c.read)
			}
			if got := strings.Join(others, ", "); got != c.others {
				t.Errorf("others are %s, want %s", got, c.others)
			}
			if diff := cmp.Diff(c.notices, r.Notices()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestGuessField: which field of JSON is read.
func TestGuessField(t *testing.T) {
	for _, c := range []struct {
		name, list, read string
		notices          []string
	}{
		{"the default", `{"Mail":"a@acme.example","email":"b@acme.example"}`, "email", nil},
		{"in capitals, and empty", `{"EMAIL":null,"n":"1"}`, "email", nil},
		{"a known name beside others", `{"user_email":"a@acme.example","cc":"b@acme.example"}`, "user_email", []string{`Reading the field "user_email"`}},
		{"the default is empty", `{"email":null,"Mail":"a@acme.example"}`, "Mail", []string{`Column 1 "email" holds no addresses in 1 row`, `Reading the field "Mail"`}},
		{"a word", `{"work_email":"a@acme.example","boss":"b@acme.example"}`, "work_email", []string{`Reading the field "work_email"`}},
		{"a link", `{"url":"https://social.example/@a","contact":"a@acme.example"}`, "contact", []string{`Reading the field "contact"`}},
	} {
		r := open(t, c.list+"\n", Options{Format: JSONLines})
		if got := strings.Join(r.ReadNames(), ", "); got != c.read {
			t.Errorf("%s: reads %s", c.name, got)
		}
		if diff := cmp.Diff(c.notices, r.Notices()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestShifted: the row of names gets the empty one that it lacks.
func TestShifted(t *testing.T) {
	const list = "email name\n1 a@acme.example A\n2 b@acme.example B\n"
	got := written(t, strings.ReplaceAll(list, " ", "\t"), Options{}, Output{Format: CSV})
	if want := strings.ReplaceAll(" email name @\n1 a@acme.example A #\n2 b@acme.example B #\n", " ", "\t"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLooksLikeAddress: what a guess takes for an address.
func TestLooksLikeAddress(t *testing.T) {
	for _, cell := range []string{
		"a@acme.example", " a@acme.example. ", "Jane <a@acme.example>", "mailto:a@acme.example", "a@acme.example; b@acme.example",
		"ａ＠acme.example", "jörg@bücher.example", "почта@почта.рф", "a@acme.example\nb@acme.example", "o'neil@acme.example", "a+b@acme.example",
	} {
		if !looksLikeAddress(cell) {
			t.Errorf("%q is none", cell)
		}
	}
	for _, cell := range []string{
		"", "@", "a@", "@a", "@a.example", "name@role", "org@home", "https://social.example/@alice", "social.example/@alice", "https://user:pw@host.example/x",
		"user:pw@host.example", "ftp://user@host.example", "//user@host.example", "3 @ 2.50", "pkg@1.2.3", "1|a@acme.example", "1|a@acme.example,b@acme.example",
		"ƒtƒ@ƒbƒNƒX", "a@acme.example\nx", "Jane a@acme.example", "git@host.example:repo", "@alice@social.example",
	} {
		if looksLikeAddress(cell) {
			t.Errorf("%q is one", cell)
		}
	}
}

// TestAddressNames: each row of the table is used, and says where it is from.
func TestAddressNames(t *testing.T) {
	for line := range strings.Lines(addressNamesText) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case len(cells) != 4 || cells[2] == "" || cells[3] == "":
			t.Errorf("%q", line)
		case cells[0] == "name" && isAddressName(cells[1]), cells[0] == "word" && hasAddressWord(cells[1]):
		default:
			t.Errorf("%q is not used", line)
		}
	}
	for _, name := range []string{"Name", "Postal code", "Почтовый индекс", "", "電話"} {
		if isAddressName(name) || hasAddressWord(name) {
			t.Errorf("%q is the name of a column with addresses", name)
		}
	}
}
