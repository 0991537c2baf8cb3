package api_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/sandbox"
	"github.com/rcpt/rcpt/internal/service/store"
)

// newTestLists is a server with jobs on which nothing may be asked or counted,
// and whose network does not work.
func newTestLists(t *testing.T) *lists {
	return newLists(t, func(_ context.Context, email string) (rcpt.Result, error) {
		t.Errorf("a list of a test key asked about %s", email)
		return accepts(t.Context(), email)
	}, jobs.Config{
		Record:  func(use store.Use) { t.Errorf("a list of a test key was counted: %+v", use) },
		Network: func() headway.Fault { return headway.NoResolver },
	})
}

// TestListOfTestKey: a list of every row goes its way at once, with its
// results, groups, downloads and webhook, though the network does not work.
func TestListOfTestKey(t *testing.T) {
	l := newTestLists(t)
	key := l.key(store.Key{Test: true})
	want, text := map[string]string{}, "email\n"
	for _, row := range sandbox.Rows() {
		email := strings.ReplaceAll(row.Name, "slow-3s", "slow-3ms") + "@acme.example"
		want[email] = string(row.Reason)
		if row.Status > 0 {
			want[email] = string(rcpt.ReasonRecipientAccepted)
		}
		text += email + "\n"
	}
	j := l.want(l.send("POST", "/api/v1/bulk?webhook=https://receiver.example/hook", key, text, "Content-Type", csvType), 202)
	done := l.done(key, j.ID)
	if done.Addresses != int64(len(want)) || done.Done != done.Addresses {
		t.Errorf("%+v", done)
	}
	results := l.send("GET", "/api/v1/bulk/"+j.ID+"/results?format=csv", key, "")
	rows, err := csv.NewReader(results.Body).ReadAll()
	check(t, err)
	column := func(name string) int {
		for i, title := range rows[0] {
			if title == name {
				return i
			}
		}
		t.Fatalf("no column %s: %q", name, rows[0])
		return 0
	}
	reason := column("rcpt_reason")
	for _, row := range rows[1:] {
		if row[reason] != want[row[0]] {
			t.Errorf("%s: %s, want %s", row[0], row[reason], want[row[0]])
		}
	}
	retry := l.send("GET", "/api/v1/bulk/"+j.ID+"/results?format=csv&group=retry", key, "").Body.String()
	if !strings.Contains(retry, "greylisted@acme.example") || strings.Contains(retry, "\ndeliverable@") {
		t.Errorf("to be retried: %s", retry)
	}
	again := l.want(l.send("POST", "/api/v1/bulk/"+j.ID+"/again", key, ""), 202)
	if again = l.done(key, again.ID); again.Done != again.Addresses {
		t.Errorf("again: %+v", again)
	}
	hooks, err := l.store.ClaimWebhooks(t.Context(), 10, 10, 10, time.Minute)
	check(t, err)
	if len(hooks) == 0 || !strings.Contains(string(hooks[0].Body), `"job.completed"`) || !strings.Contains(string(hooks[0].Body), j.ID) {
		t.Errorf("webhooks: %+v", hooks)
	}
}

// TestTestListsApart: a test key sees what it has made itself, and neither does
// a key of the same account see that nor a list take results of it over.
func TestTestListsApart(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	account, err := l.store.CreateAccount(t.Context(), store.ByCommand("test"), store.Account{Login: "ann", Password: "hash", Role: store.RoleMember})
	check(t, err)
	live, test := l.key(store.Key{Account: account.ID}), l.key(store.Key{Account: account.ID, Test: true})
	ids := map[string]string{}
	for _, key := range []string{live, test} {
		ids[key] = l.want(l.send("POST", "/api/v1/bulk", key, "undeliverable@acme.example\n", "Content-Type", "text/plain"), 202).ID
	}
	for key, verdict := range map[string]string{live: "deliverable", test: "undeliverable"} {
		if got := l.done(key, ids[key]); got.Results[verdict] != 1 {
			t.Errorf("%s: %+v", verdict, got)
		}
	}
	for _, key := range []string{live, test} {
		other := ids[live]
		if key == live {
			other = ids[test]
		}
		for _, way := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"GET", "/results?format=csv"}, {"POST", "/pause"}, {"POST", "/again"}} {
			l.wantCode(l.send(way[0], "/api/v1/bulk/"+other+way[1], key, ""), 404, "job_not_found")
		}
		for _, since := range []string{"since", "compared_with"} {
			got := l.send("POST", fmt.Sprintf("/api/v1/bulk?%s=%s", since, other), key, "a@a.example\n", "Content-Type", "text/plain")
			if got.Code < 400 || got.Code >= 500 {
				t.Errorf("%s of another: %d %s", since, got.Code, got.Body)
			}
		}
		if all := l.send("GET", "/api/v1/bulk", key, "").Body.String(); strings.Contains(all, other) {
			t.Errorf("it sees the other: %s", all)
		}
	}
	for _, key := range l.keys.List() {
		fresh, _, err := l.keys.Rotate(t.Context(), store.ByCommand("test"), key.ID, time.Now().Add(time.Hour))
		check(t, err)
		own, other := ids[live], ids[test]
		if key.Test {
			own, other = other, own
		}
		l.want(l.send("GET", "/api/v1/bulk/"+own, fresh, ""), 200)
		l.want(l.send("GET", "/api/v1/bulk/"+other, fresh, ""), 404)
	}
}
