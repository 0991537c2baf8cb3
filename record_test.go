package rcpt

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/internal/sys/plainjson"
	"github.com/rcpt/rcpt/internal/testkit"
)

// recordOf is what encoding/json is to make of a result.
func recordOf(r Result) record {
	number := func(b bool) (f flag) {
		if b {
			f = 1
		}
		return f
	}
	return record{
		Email: r.Email, User: r.User, Domain: r.Domain, AcceptAll: number(r.AcceptAll), Role: number(r.Role), FreeEmail: number(r.FreeEmail),
		Disposable: number(r.Disposable), SpamTrap: number(r.SpamTrap), Success: r.Success, Verdict: r.Verdict, Message: r.Message, Details: r.Details,
	}
}

// FuzzRecord checks that a record is what encoding/json makes of it, to the
// octet.
func FuzzRecord(f *testing.F) {
	for n, text := range []string{
		"", "alice", "<script>&'", `"quoted"`, `back\slash`, "\u2028\u2029", "\x00\b\f\n\r\t\x1f", "~\x7f\x80", "жук", "\xff\xfe", "\ufffd", "😀", "a\u00a0b",
	} {
		f.Add("a@"+text, text, text+".example", text, "The mail host says "+text+".", uint16(n*37))
	}
	for bit := range 7 {
		f.Add("a@b.example", "a", "b.example", "unknown", "Fine.", uint16(1)<<bit)
	}
	f.Fuzz(func(t *testing.T, email, user, domain, verdict, message string, bits uint16) {
		is := func(bit int) bool { return bits>>bit&1 == 1 }
		result := Result{
			Email: email, User: user, Domain: domain, Verdict: Verdict(verdict), Message: message,
			AcceptAll: is(0), Role: is(1), FreeEmail: is(2), Disposable: is(3), SpamTrap: is(4), Success: is(5),
		}
		if is(6) {
			result.Details = &Details{Reason: Reason(verdict), Suggestion: message, SMTP: &SMTPAnswer{Text: email}, CheckedAt: time.Unix(int64(bits), 0)}
		}
		want, err := plainjson.Marshal(recordOf(result))
		if err != nil {
			t.Fatal(err)
		}
		got, err := result.MarshalJSON()
		if err != nil || string(got) != string(want) {
			t.Errorf("error %v\n got %s\nwant %s", err, got, want)
		}
	})
}

// TestRecordHasEveryField: what is read from a record is the result that was
// written, but for the time that is not in JSON.
func TestRecordHasEveryField(t *testing.T) {
	var want, got Result
	testkit.Fill(&want)
	want.Reason, want.Details.Reason = ReasonBlocked, ReasonBlocked
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	want.Details.Waited = 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-written +read:\n%s", diff)
	}
}

// TestRecordOfImpossibleTime: details that JSON cannot carry are an error, as
// in encoding/json.
func TestRecordOfImpossibleTime(t *testing.T) {
	if text, err := json.Marshal(Result{Email: "a", Details: &Details{CheckedAt: time.Unix(1<<60, 0)}}); err == nil {
		t.Errorf("%s", text)
	}
}

func BenchmarkRecord(b *testing.B) {
	result := Result{
		Email: "alice@example.com", User: "alice", Domain: "example.com", Success: true, Verdict: VerdictDeliverable,
		Message: "The mail host takes mail for this mailbox and refuses unknown ones.",
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := result.MarshalJSON(); err != nil {
			b.Fatal(err)
		}
	}
}
