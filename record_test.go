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
	in := record{
		Email: r.Email, User: r.Local, Domain: r.Domain, AcceptAll: number(r.AcceptAll), Role: number(r.Role), FreeEmail: number(r.Free),
		Disposable: number(r.Disposable), SpamTrap: number(r.SpamTrap), Success: !r.Reason.Failed(), Verdict: r.Verdict, Message: r.Message,
	}
	if r.Details != nil {
		details := r.detailsRecord()
		in.Details = &details
	}
	return in
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
			Email: email, Local: user, Domain: domain, Verdict: Verdict(verdict), Message: message,
			AcceptAll: is(0), Role: is(1), Free: is(2), Disposable: is(3), SpamTrap: is(4),
		}
		if is(6) {
			result.Reason = Reason(verdict)
			result.Suggestion = message
			result.CheckedAt = time.Unix(int64(bits), 0)
			result.Details = &Details{SMTP: &SMTPAnswer{Text: email}}
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
	want.Reason, want.Details.CatchAll = ReasonBlocked, CatchAllYes
	want.Details.Age = 0
	want.RetryAt = want.CheckedAt.Add(want.Details.Duration + time.Minute)
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-written +read:\n%s", diff)
	}
}

// TestRecordNull: null leaves a result as it is, as encoding/json has it for
// what is no pointer.
func TestRecordNull(t *testing.T) {
	got := struct{ Result Result }{Result{Email: "alice@example.com", Verdict: VerdictDeliverable}}
	want := got
	if err := json.Unmarshal([]byte(`{"Result":null}`), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-before +after:\n%s", diff)
	}
}

// TestRecordOfImpossibleTime: details that JSON cannot carry are an error, as
// in encoding/json.
func TestRecordOfImpossibleTime(t *testing.T) {
	if text, err := json.Marshal(Result{Email: "a", CheckedAt: time.Unix(1<<60, 0), Details: &Details{}}); err == nil {
		t.Errorf("%s", text)
	}
}

func BenchmarkRecord(b *testing.B) {
	result := Result{
		Email: "alice@example.com", Local: "alice", Domain: "example.com", Verdict: VerdictDeliverable,
		Message: "The mail host takes mail for this mailbox and refuses unknown ones.",
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := result.MarshalJSON(); err != nil {
			b.Fatal(err)
		}
	}
}
