package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// TestJobSince: results of an earlier list, or of the list itself, are not
// asked about again, and the job says how many, and with which list it is
// compared.
func TestJobSince(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key, other := l.key(store.Key{}), l.key(store.Key{})
	send := func(query, by, list string, headers ...string) int {
		t.Helper()
		return l.send("POST", "/api/v1/bulk?"+query, by, list, append(headers, "Content-Type", csvType)...).Code
	}
	j := l.want(l.send("POST", "/api/v1/bulk?name=october", key, "a@a.example\nb@a.example\n", "Content-Type", csvType), 202)
	l.done(key, j.ID)

	got := l.send("POST", "/api/v1/bulk?dry_run=1&since="+j.ID, key, "a@a.example\nc@a.example\n", "Content-Type", csvType)
	if !strings.Contains(got.Body.String(), `"reused":1`) || !strings.Contains(got.Body.String(), `"addresses":1`) {
		t.Errorf("%s", got.Body)
	}
	next := l.want(l.send("POST", "/api/v1/bulk?since="+j.ID+"&since_max_age=30d", key, "a@a.example\nc@a.example\n", "Content-Type", csvType), 202)
	l.done(key, next.ID)
	got = l.send("GET", "/api/v1/bulk/"+next.ID, key, "")
	for _, want := range []string{`"reused":1`, `"compared_with":{"id":"` + j.ID + `","name":"october"`, `"results":{"deliverable":2},"groups":{`, `"safe":{"rows":2,"addresses":2}`} {
		if !strings.Contains(got.Body.String(), want) {
			t.Errorf("%s lacks %s", got.Body, want)
		}
	}

	today := time.Now().Format(time.DateOnly)
	list := "email,email_status\na@a.example,valid\nb@a.example,invalid\n"
	for query, want := range map[string]string{"": "", "since=self": "", "since=self&since_date=" + today: `"reused":1`} {
		got := l.send("POST", "/api/v1/bulk?dry_run=1&"+query, key, list, "Content-Type", csvType).Body.String()
		if strings.Contains(got, "reused") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%s: %s", query, got)
		}
	}

	for query, want := range map[string]int{
		"since=job_nothing": 400, "compared_with=" + j.ID: 400, "since=" + j.ID: 400, // of another key
		"since_max_age=30d": 400, "since=self&since_max_age=x": 400, "since=self&since_max_age=0d": 400, "since=self&since_max_age=9": 400,
		"since=self&since_date=1.10.2026": 400, "since=self&since_date=2999-01-01": 400, "since=self&since=x": 400,
	} {
		if got := send(query, other, list); got != want {
			t.Errorf("%s: %d", query, got)
		}
	}
	if got := send("since="+j.ID+"&since_date="+today, key, list); got != 400 {
		t.Errorf("a date for another list: %d", got)
	}
	for i, want := range []int{202, 202, 422} { // the same, the same again, and another
		query := []string{"since=self", "since=self", "since=self&since_max_age=5d"}[i]
		if got := send(query, key, list, "Idempotency-Key", "since"); got != want {
			t.Errorf("%d: %d", i, got)
		}
	}
}

// TestNotify: an address for a mail must be one, and a relay must be there.
func TestNotify(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	got := l.send("POST", "/api/v1/bulk?notify=ops@acme.example", key, "a@a.example\n", "Content-Type", csvType)
	if l.wantCode(got, 400, "invalid_parameter"); !strings.Contains(got.Body.String(), "--alert-relay") {
		t.Errorf("%s", got.Body)
	}
	for _, wrong := range []string{"ops", "ops@acme", "a@a.example,b@b.example", "a@a.example%0d%0aBcc:b@b.example", "-f@a.example",
		"J%C3%B6rg@a.example", "%22a%20b%22@a.example", "Ops%20%3Cops@a.example%3E", "a@a.example%00", strings.Repeat("a", 250) + "@a.example"} {
		got := l.send("POST", "/api/v1/bulk?notify="+wrong, key, "a@a.example\n", "Content-Type", csvType)
		if l.wantCode(got, 400, "invalid_parameter"); !strings.Contains(got.Body.String(), "cannot be used") {
			t.Errorf("%s: %s", wrong, got.Body)
		}
	}
}
