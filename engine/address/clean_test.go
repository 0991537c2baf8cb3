package address

import (
	"slices"
	"strings"
	"testing"
)

var cleanings = []struct {
	in, want string
	removed  string // with commas
}{
	{"jane@a.example", "jane@a.example", ""},
	{" jane@a.example ", "jane@a.example", "blank"},
	{"\u00a0jane@a.example\u3000\t\r\n", "jane@a.example", "blank"},
	{"\ufeffjane@a.example", "jane@a.example", "invisible character"},
	{"Jane <a..b@docomo.ne.jp>", "a..b@docomo.ne.jp", "display name,angle brackets"},
	{"mailto:jane@a_b.example.", "jane@a_b.example", "mailto:,trailing dot"},
	{" [jane@a_b.example] ", "jane@a_b.example", "blank,quotes"},
	{"a[b@a.example", "a[b@a.example", ""},
	{"jane@a_b.example; jane@a_b.example", "jane@a_b.example", "repeated address"},
	{"a..b@a.example", "a..b@a.example", ""}, // no address
	{"jane@a.example\u200d", "jane@a.example", "invisible character"},
	{"jane@a.ex\u200bample", "jane@a.ex\u200bample", ""},              // IDNA ignores it
	{"jane@a.example\u200b", "jane@a.example", "invisible character"}, // the same mailbox without it
	{"\u200b \u200fjane@a.example\u2069", "jane@a.example", "invisible character,blank"},
	{"ja\u00adne@a.example", "jane@a.example", "invisible character"},
	{"ja\u200bne@a.example ", "jane@a.example", "blank,invisible character"},
	{"\u202djane@a.example\u202c", "jane@a.example", "invisible character"},
	{"\u202eelpmaxe.a@enaj", "\u202eelpmaxe.a@enaj", ""},
	{" می\u200cخواهم@a.example", "می\u200cخواهم@a.example", "blank"},
	{"<می\u200cخو\u200bاهم@a.example>", "می\u200cخواهم@a.example", "angle brackets,invisible character"},
	{"Jane <jane@a.example>", "jane@a.example", "display name,angle brackets"},
	{`"Doe, Jane" <jane@a.example>`, "jane@a.example", "display name,angle brackets"},
	{`Doe, Jane <jane@a.example>`, "jane@a.example", "display name,angle brackets"},
	{`"a <b@c.example>" <jane@a.example>`, "jane@a.example", "display name,angle brackets"},
	{"<jane@a.example>", "jane@a.example", "angle brackets"},
	{"jane@a.example>", "jane@a.example", "angle brackets"},
	{"<jane@a.example", "jane@a.example", "angle brackets"},
	{"<jane@a.example> Jane", "jane@a.example", "display name,angle brackets"},
	{"Jane<jane@a.example>;", "jane@a.example", "display name,angle brackets"},
	{"jane@a.example <jane@a.example>", "jane@a.example", "display name,angle brackets"},
	{"jane@a.example<mailto:jane@a.example>", "jane@a.example", "display name,angle brackets,mailto:"},
	{"Jane < jane@a.example >", "jane@a.example", "display name,angle brackets,blank"},
	{"mailto:jane@a.example", "jane@a.example", "mailto:"},
	{"MAILTO:jane%2Bnews@a.example?subject=Hello, x@y.example", "jane+news@a.example", "mailto:"},
	{"mailto://jane@a.example", "jane@a.example", "mailto:"},
	{"mailto:jane%40a.example", "jane@a.example", "mailto:"},
	{"<mailto:jane@a.example?subject=%3Cb@c%3E>", "jane@a.example", "angle brackets,mailto:"},
	{"mailto:a%zz@a.example", "a%zz@a.example", "mailto:"},
	{"SMTP:jane@a.example", "jane@a.example", "label"},
	{"E-Mail: jane@a.example", "jane@a.example", "label,blank"},
	{"jane%40a.example", "jane@a.example", "percent encoding"},
	{"jane@a.example.", "jane@a.example", "trailing dot"},
	{"jane@a.example。", "jane@a.example", "trailing dot"},
	{"jane@a.example. ;,", "jane@a.example", "separator,blank,trailing dot"},
	{"jane@a.example;", "jane@a.example", "separator"},
	{"jane@a.example；", "jane@a.example", "full-width character,separator"},
	{"ｊａｎｅ＠ａ．ｅｘａｍｐｌｅ", "jane@a.example", "full-width character"},
	{"山田＜ｊａｎｅ＠ａ．ｅｘａｍｐｌｅ＞", "jane@a.example", "full-width character,display name,angle brackets"},
	{"jane＠a.example", "jane@a.example", "full-width character"},
	{"ｊane@a.example", "ｊane@a.example", ""}, // valid
	{"<ｊane@a.example>", "ｊane@a.example", "angle brackets"},
	{"jane@a.example (Jane Doe)", "jane@a.example", "comment,blank"},
	{"jane(at work (always))@a.example", "jane@a.example", "comment"},
	{"(jane@a.example)", "jane@a.example", "quotes"},
	{`"jane@a.example"`, "jane@a.example", "quotes"},
	{"'jane@a.example'", "jane@a.example", "quotes"},
	{"„jane@a.example“", "jane@a.example", "quotes"},
	{"“jane@a.example”", "jane@a.example", "quotes"},
	{"jane@a.example”", "jane@a.example", "quotes"},
	{"jane@a.example\"", "jane@a.example", "quotes"},
	{"jane@a.рф", "jane@a.рф", ""},
	{"jane@i❤.рф", "jane@i❤.рф", ""},
	{"[jane@a.example]", "jane@a.example", "quotes"},
	{"jane @ a.example", "jane@a.example", "blank"},
	{"jane@a.example; jane@a.example", "jane@a.example", "repeated address"},
	{"#a@b.example", "#a@b.example", ""},
	{`"a, b"@a.example`, `"a, b"@a.example`, ""},
	{` "<a@b.example>"@a.example`, `"<a@b.example>"@a.example`, "blank"},
	{"a/b@a.example", "a/b@a.example", ""},
	// What programs put round an address.
	{`="jane@a.example"`, "jane@a.example", "formula"},
	{`'=HYPERLINK("mailto:jane@a.example","Jane ""J"" Doe")`, "jane@a.example", "formula"},
	{`=HIPERVINCULO("mailto:jane@a.example"; "jane@a.example")`, "jane@a.example", "formula,repeated address"},
	{`<a class="x" href="mailto:jane@a.example?subject=a&amp;b">jane@a.example</a>`, "jane@a.example", "link,repeated address"},
	{`<A HREF=mailto:jane@a.example><b>Jane</b></A>`, "jane@a.example", "link"},
	{"[Jane](mailto:jane@a.example)", "jane@a.example", "link"},
	{"&lt;jane@a.example&gt;", "jane@a.example", "markup,angle brackets"},
	{"<p>jane@a.example<br></p>", "jane@a.example", "markup,blank"},
	{"https://a.example/u?id=1&email=jane%2Bx%40a.example#top", "jane+x@a.example", "link"},
	{"?email=jane@a.example", "?email=jane@a.example", ""}, // valid
	{"tom&lt@a.example", "tom&lt@a.example", ""},           // valid
	// What cannot be cleaned.
	{`=HYPERLINK("mailto:jane@a.example",A2)`, `=HYPERLINK("mailto:jane@a.example",A2)`, ""},
	{`<a href="mailto:jane@a.example">Jane</a> left`, `<a href="mailto:jane@a.example">Jane</a> left`, ""},
	{"https://a.example/@jane", "https://a.example/@jane", ""},
	{"jane doe@a.example", "jane doe@a.example", ""},
	{"Jane jane@a.example", "Jane jane@a.example", ""},
	{"jane,doe@a.example", "jane,doe@a.example", ""},
	{"jane@a,example", "jane@a,example", ""},
	{"jane..doe@a.example", "jane..doe@a.example", ""},
	{"jane", "jane", ""},
	{"jane@a@b.example", "jane@a@b.example", ""},
	{"jane@a.example\xff", "jane@a.example\xff", ""},
	{"jane@[192.0.2.1]", "jane@[192.0.2.1]", ""},
	{"a@,b@", "a@,b@", ""},
}

func TestClean(t *testing.T) {
	for _, c := range cleanings {
		got := Clean(c.in)
		if got.Several || got.Address != c.want || strings.Join(got.Removed, ",") != c.removed {
			t.Errorf("%+q: %+q without %q, several: %v; want %+q without %q", c.in, got.Address, got.Removed, got.Several, c.want, c.removed)
		}
	}
}

func TestCleanSeveral(t *testing.T) {
	for _, in := range []string{
		"a@b.example; c@d.example", "a@b.example,c@d.example", "a@b.example c@d.example", "a@b.example/c@d.example", "a@b.example\nc@d.example",
		"a@b.example | c@d.example", "a <a@b.example>; c <c@d.example>", "a <a@b.example> c <c@d.example>", "<a@b.example><c@d.example>",
		`"Doe, Jane" <a@b.example>, "Roe, Rick" <c@d.example>`, "mailto:a@b.example,c@d.example", "a@b.example or c@d.example.", "a@b.example, c@",
		"a＠b.example；c＠d.example", "a@b.example, c <c@d.example>", "a@b.example c@d.example, e@f.example", `"a@b.example, c@d.example`,
	} {
		if got := Clean(in); !got.Several || got.Address != "" {
			t.Errorf("%q: %+v", in, got)
		}
	}
}

func TestCleanEmpty(t *testing.T) {
	for _, in := range []string{
		"", " ", "\u200b", "\ufeff \u00a0", "N/A", "n/a", " N/A ", "-", "--", "—", "null", "NULL", "None", "#N/A", "#REF!", "# comment", "# jane@a.example",
		"## more", "#comment", ";", `""`, "<>", "Jane Doe <>", `\N`, "nan",
	} {
		if got := Clean(in); got.Several || got.Address != "" {
			t.Errorf("%q: %+v", in, got)
		}
	}
}

// TestCleanLeavesTheSampleAlone wants every address of the corpus that Parse
// accepts to come out as it went in.
func TestCleanLeavesTheSampleAlone(t *testing.T) {
	for _, row := range readSample(t) {
		checkClean(t, row.input(t))
	}
}

// hostile are texts of the longest size that is looked at, in which the same is
// to be cleaned again and again.
func hostile() map[string]string {
	texts := map[string]string{}
	for _, part := range []string{"@", "a@,", "a@ ", "<", "<a@", "<a@>", "(", "()", "a@b.c/", "\u200d", "ب\u200d", "%40", ";", "\"", "''", "a@b.example\"<", "mailto:", "＠；", "&", "&#64;", "&lt;", "<b>", "<a href=", "=\"", "](", "?a=b&", "a@b.c…", "...", "a@b.example x "} {
		texts[part] = strings.Repeat(part, maxCleaned/len(part))
		texts[part+"@"] = strings.Repeat(part, 900/len(part)) + "@a.example"
	}
	return texts
}

// TestCleanOfHostileTexts wants of them what Clean promises.
// [BenchmarkCleanOfHostileTexts] says how long they take.
func TestCleanOfHostileTexts(t *testing.T) {
	for _, text := range hostile() {
		checkClean(t, text)
	}
}

// TestCleanLooksAtNoLongText wants a text beyond the bound to be left as it is:
// the bound is what keeps the work small, whoever made the text.
func TestCleanLooksAtNoLongText(t *testing.T) {
	const meant = "<a@b.example>"
	text := strings.Repeat(" ", maxCleaned-len(meant)) + meant
	if got := Clean(text); got.Address != "a@b.example" {
		t.Errorf("a text of %d octets: %.40q", len(text), got.Address)
	}
	text = " " + text
	if got := Clean(text); got.Address != text || got.Several || got.Removed != nil {
		t.Errorf("a text of %d octets: %.40q, several: %v, without %q", len(text), got.Address, got.Several, got.Removed)
	}
}

func FuzzClean(f *testing.F) {
	for _, c := range cleanings {
		f.Add(c.in)
	}
	for _, c := range refusals {
		f.Add(c.in)
	}
	f.Fuzz(checkClean)
}

// checkClean wants of every text what [Clean] promises.
func checkClean(t *testing.T, text string) {
	t.Helper()
	c := Clean(text)
	given, err := Parse(text)
	switch {
	case err == nil:
		same, err := Parse(c.Address)
		if c.Several || err != nil || same.Mailbox() != given.Mailbox() {
			t.Fatalf("%+q is valid and becomes %+v", text, c)
		}
		if visible := trimInvisible(text); c.Address != text && c.Address != visible {
			t.Fatalf("%+q is valid and becomes %+v", text, c)
		}
	case c.Several || c.Address == "":
		if c.Address != "" || c.Removed != nil {
			t.Fatalf("%+q: %+v", text, c)
		}
	case c.Address == text:
		if c.Removed != nil {
			t.Fatalf("%+q: %+v", text, c)
		}
	default:
		if _, err := Read(c.Address); err != nil || len(c.Removed) == 0 {
			t.Fatalf("%+q: %+v cannot be read: %v", text, c, err)
		}
		if isASCII(text) && !strings.ContainsAny(text, "%&") && !isSubsequence(c.Address, text) {
			t.Fatalf("%+q: characters of %+v are not of the text", text, c)
		}
		if again := Clean(c.Address); again.Address != c.Address || again.Removed != nil {
			t.Fatalf("%+q: %+v becomes %+v", text, c, again)
		}
	}
	found := Within(text)
	for _, one := range found {
		if _, err := Read(one); err != nil || len(found) > 2 || CutOff(one) && !CutOff(text) {
			t.Fatalf("%+q: %q within: %v", text, found, err)
		}
	}
	if slices.Contains(c.Removed, "") {
		t.Fatalf("%+q: %+v", text, c)
	}
}

func isSubsequence(part, whole string) bool {
	for i := range len(part) {
		at := strings.IndexByte(whole, part[i])
		if at < 0 {
			return false
		}
		whole = whole[at+1:]
	}
	return true
}

// TestTrim: what is left names the same mailbox, and nothing that can be seen
// is removed.
func TestTrim(t *testing.T) {
	for text, want := range map[string]string{
		"alice@acme.example":                           "alice@acme.example",
		"\u00A0 alice@acme.example\u200B\t":            "alice@acme.example",
		"\uFEFFalice@acme.example\u2060\u202C":         "alice@acme.example",
		"alice@ac\u00ADme.ex\u200Bample\uFE0F":         "alice@acme.example",
		"Alice@B\u200Bücher.example":                   "Alice@Bücher.example",
		"alice@xn--nxasmm1c.example\u200D":             "alice@xn--nxasmm1c.example",
		"al\u200Bice@acme.example":                     "al\u200Bice@acme.example", // another mailbox, by RFC 6531
		"alice@\u0645\u0647\u200C\u0645\u0647.example": "alice@\u0645\u0647\u200C\u0645\u0647.example",
		" Jane <jane@acme.example> ":                   "Jane <jane@acme.example>",
		"\u200B":                                       "",
		" not an address\u200B":                        "not an address",
	} {
		if got := Trim(text); got != want {
			t.Errorf("%+q: %+q, want %+q", text, got, want)
		}
	}
}
