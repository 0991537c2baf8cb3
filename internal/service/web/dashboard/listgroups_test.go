package dashboard

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// TestSummary: how good a list is, in a sentence.
func TestSummary(t *testing.T) {
	count := func(rows, addresses int64) store.GroupCount {
		return store.GroupCount{Rows: rows, Addresses: addresses}
	}
	for _, c := range []struct {
		name string
		job  store.Job
		want string
	}{
		{"most mailboxes do not exist", store.Job{State: store.JobDone, Rows: 240, Addresses: 116, Done: 116,
			Groups:  map[string]store.GroupCount{"safe": count(71, 2), "risky": count(42, 19), "bad": count(99, 86), "none": count(28, 0)},
			Reasons: map[string]int64{"mailbox_not_found": 48, "domain_not_found": 20, "recipient_accepted": 2}},
			"2% of the addresses can be mailed, 74% cannot: most of these mailboxes do not exist (48). 28 rows hold no address"},
		{"no reason is that of most", store.Job{State: store.JobDone, Rows: 100, Addresses: 100, Done: 100,
			Groups:  map[string]store.GroupCount{"safe": count(60, 60), "bad": count(40, 40)},
			Reasons: map[string]int64{"mailbox_not_found": 11, "domain_not_found": 15, "null_mx": 14}},
			"60% of the addresses can be mailed, 40% cannot, most often because domains do not exist (15)"},
		{"most rows are empty", store.Job{State: store.JobDone, Rows: 100, Addresses: 40, Done: 40,
			Groups:  map[string]store.GroupCount{"safe": count(39, 39), "bad": count(1, 1), "none": count(60, 0)},
			Reasons: map[string]int64{"mailbox_not_found": 1}}, "98% of the addresses can be mailed, 2% cannot: most of these mailboxes do not exist (1). 60 rows hold no address"},
		{"nothing is bad", store.Job{State: store.JobDone, Rows: 9, Addresses: 9, Done: 9, Groups: map[string]store.GroupCount{"safe": count(9, 9)}},
			"100% of the addresses can be mailed, 0% cannot"},
		{"it runs", store.Job{State: store.JobRunning, Rows: 9, Addresses: 9, Done: 8, Groups: map[string]store.GroupCount{"safe": count(8, 8)}}, ""},
		{"not counted", store.Job{State: store.JobDone, Rows: 9, Addresses: 9, Done: 9, Results: map[string]int64{"deliverable": 9}}, ""},
	} {
		if got := summaryOf(c.job); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestGroupDownloads: the page says how many rows and addresses each group has,
// in the words by which its rows are shown and downloaded, and each address can
// be downloaded once.
func TestGroupDownloads(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	at := w.startFile(t, "list.csv", fewRows)
	w.awaitState(t, at, store.JobDone)
	page := w.get(t, at).body
	for _, want := range []string{
		`33% of the addresses can be mailed, 33% cannot: most of these mailboxes do not exist (1). One row holds no address.`,
		`<strong title="2">2 <span>rows</span></strong><span class="muted">1 address, 33%</span>`,
		`formaction="` + at + `/rows/safe.xlsx" aria-label="Safe for Excel"`, `<input type="checkbox" name="once" value="1">`,
		`<input type="checkbox" name="once" value="canonical"><span>Each person once</span>`,
		`href="` + at + `?group=bad#rows">Bad <span class="num muted">1</span>`, `No address <span class="num muted">1</span>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s in\n%s", want, page)
		}
	}
	if page := w.get(t, "/lists").body; !strings.Contains(page, "33% safe") {
		t.Errorf("the lists do not say how good it is:\n%s", page)
	}
	for file, want := range map[string]int{"safe.csv": 2, "safe.csv?once=1": 1, "safe.csv?once=canonical": 1, "safe.csv?once=1&once=canonical": 1, "safe.csv?once=": 2, "none.csv": 0} {
		if got := strings.Count(w.get(t, at+"/rows/"+file).body, ",ada@acme.example,"); got != want {
			t.Errorf("%s: %d rows, want %d", file, got, want)
		}
	}
	for query, want := range map[string]int{"?group=safe": 2, "?group=bad": 1, "?group=none": 0, "?group=retry": 0} {
		if got := strings.Count(w.get(t, at+query).body, `name="email" value=`); got != want {
			t.Errorf("%s: %d rows, want %d", query, got, want)
		}
	}
}

// TestBarOfAddresses: the bar shows the shares that the cards name, and a row
// without an address has no part in it.
func TestBarOfAddresses(t *testing.T) {
	bar := barOf(store.Job{Rows: 400, Addresses: 4, Groups: map[string]store.GroupCount{
		"safe": {Rows: 100, Addresses: 3}, "bad": {Rows: 200, Addresses: 1}, "none": {Rows: 100}}})
	if len(bar) != 2 || bar[0].W != 75 || bar[1].W != 25 || bar[1].X != 75 || bar[1].Count != 1 {
		t.Errorf("%+v", bar)
	}
}
