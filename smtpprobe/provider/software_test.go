package provider

import "testing"

func TestUnchecking(t *testing.T) {
	for _, tt := range []struct{ greeting, accepted, want string }{
		{"mx.a.example Microsoft ESMTP MAIL Service ready at Thu, 26 Nov 2026 10:00:00 +0000", "Recipient OK", "Microsoft Exchange"},
		{"mx.a.example ESMTP Server (Microsoft Exchange Internet Mail Service 5.5.2653.13) ready", "OK - Recipient <a@a.example>", "Microsoft Exchange"},
		{"mx.a.example ESMTP Service (Lotus Domino Release 7.0) ready at Thu, 30 Nov 2017", "a@a.example... Recipient OK", "Domino"},
		{"mx.a.example ESMTP Service (IBM Domino Release 9.0.1FP10) ready", "a@a.example... Recipient OK", "Domino"},
		{"mx.a.example ESMTP Service (HCL Domino Release 12.0.2) ready", "a@a.example... Recipient OK", "Domino"},
		{"mx.a.example ESMTP", "ok", "qmail"},
		{"mx.a.example ESMTP", "Ok", ""},
		{"mx.a.example ESMTP Postfix", "ok", ""},
		{"mx.a.example ESMTP Exim 3.36 #1 Thu, 26 Nov 2026", "<a@a.example> is syntactically correct", "Exim 3"},
		{"mx.a.example ESMTP Exim 3.36 #1 Thu, 26 Nov 2026", "<a@a.example> verified", ""},
		{"mx.a.example ESMTP Exim 4.97", "Accepted", ""},
		{"", "", ""},
	} {
		if got := Unchecking(tt.greeting, tt.accepted); got != tt.want {
			t.Errorf("%q, %q: %q, want %q", tt.greeting, tt.accepted, got, tt.want)
		}
	}
}

// TestSoftwareData checks that each program has words by which it is known, and
// a source.
func TestSoftwareData(t *testing.T) {
	for _, s := range embedded().Software {
		if s.Name == "" || s.Greeting == "" || s.Source == "" {
			t.Errorf("%+v lacks a name, a greeting or a source", s)
		}
	}
}
