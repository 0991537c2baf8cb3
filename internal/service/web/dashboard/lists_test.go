package dashboard

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rcpt/rcpt/internal/headway"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

const fewRows = "Name,E-mail\nAda,ada@acme.example\nNo,nobody@acme.example\nAny,any@acme.example\nAgain,ada@acme.example\nNone,\n"

// TestList: a list is sent, looked at, started and downloaded.
func TestList(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	sent := w.sendFile(t, w.listToken(t), `C:\lists\My <customers>.csv`, fewRows)
	next := sent.Header.Get("Location")
	page := w.get(t, next).body
	for _, want := range []string{"My &lt;customers&gt;", "<strong title=\"5\">5</strong>", `value="2" checked><span>E-mail: 4</span>`, "Ada"} {
		if !strings.Contains(page, want) {
			t.Errorf("before the start there is no %q in\n%s", want, page)
		}
	}
	started := w.post(t, next, next, "column", "2", "name", "Mine")
	at := started.Header.Get("Location")
	w.awaitState(t, at, store.JobDone)
	page = w.get(t, at).body
	for _, want := range []string{"<h1>Mine</h1>", "3 of 3", "Mailbox does not exist", "nobody@acme.example"} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %q in\n%s", want, page)
		}
	}
	if page := w.get(t, "/lists").body; !strings.Contains(page, at) || !strings.Contains(page, "Mine") {
		t.Errorf("it is not among the lists:\n%s", page)
	}
	if again := w.post(t, "/lists", next, "column", "2"); again.Header.Get("Location") != "/lists" {
		t.Errorf("started again: %d to %q", again.StatusCode, again.Header.Get("Location"))
	}

	for file, want := range map[string]struct{ has, not string }{
		"all.csv": {"Again,ada@acme.example,deliverable", "%"}, "safe.csv": {"Ada,ada@acme.example", "nobody"}, "bad.csv": {"nobody@acme.example", "ada@"},
		"risky.csv": {"any@acme.example,accept-all", "ada@"}, "all.jsonl": {`"rcpt":{"email":"ada@acme.example"`, "%"},
	} {
		got := w.get(t, at+"/rows/"+file)
		if got.StatusCode != http.StatusOK || !strings.Contains(got.body, want.has) || strings.Contains(got.body, want.not) ||
			got.Header.Get("Content-Disposition") != "attachment; filename*=UTF-8''Mine."+file {
			t.Errorf("%s: %d, %v\n%s", file, got.StatusCode, got.Header, got.body)
		}
	}
	response, err := w.client.Get(w.server.URL + at + "/rows/all.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	octets, err := io.ReadAll(response.Body)
	if err == nil {
		_, err = zip.NewReader(bytes.NewReader(octets), int64(len(octets)))
	}
	if err != nil {
		t.Errorf("%d octets: %v", len(octets), err)
	}
	for _, file := range []string{"all.exe", "all", "other.csv", ".csv"} {
		if got := w.get(t, at+"/rows/"+file); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", file, got.StatusCode)
		}
	}
}

// TestUploadByScript: script that uploads a file is told where to go on, or
// what is wrong.
func TestUploadByScript(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	token := w.listToken(t)
	upload := func(name, text string) answer {
		request := w.fileForm(t, token, name, text)
		request.Header.Set("X-Part", "upload")
		return w.do(t, w.client, request)
	}
	got := upload("list.csv", fewRows)
	if next := got.Header.Get("Location"); got.StatusCode != http.StatusCreated || w.get(t, next).StatusCode != http.StatusOK {
		t.Errorf("a list: %d to %q", got.StatusCode, next)
	}
	if got := upload("list.pdf", "%PDF-1.7"); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.body, `id="list-fault"`) {
		t.Errorf("no list: %d\n%s", got.StatusCode, got.body)
	}
}

// TestRowLeadsToEvidence: the address of a row is checked by a form, so that it
// stands in no path; a row without one says so.
func TestRowLeadsToEvidence(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	at := w.startFile(t, "list.csv", fewRows)
	w.awaitState(t, at, store.JobDone)
	page := w.get(t, at).body
	for _, want := range []string{`<form method="post" action="/check">`, `name="email" value="nobody@acme.example"`, `<span class="muted">(empty)</span>`} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s in\n%s", want, page)
		}
	}
	if got := w.post(t, at, "/check", "email", "nobody@acme.example"); !strings.Contains(got.body, "550 5.1.1") {
		t.Errorf("no evidence: %d\n%s", got.StatusCode, got.body)
	}
}

// TestListTitle: while a list is verified, its page has the progress in its
// title.
func TestListTitle(t *testing.T) {
	w, release := newListWorld(t, jobs.Limits{})
	at := w.startFile(t, "list.csv", "email\nada@acme.example\nslow@acme.example\n")
	if page := w.get(t, at).body; !regexp.MustCompile(`<title>(0|50)% · list · rcpt</title>`).MatchString(page) {
		t.Errorf("running:\n%s", page)
	}
	release()
	w.awaitState(t, at, store.JobDone)
	if page := w.get(t, at).body; !strings.Contains(page, `<title>list · rcpt</title>`) {
		t.Errorf("done:\n%s", page)
	}
}

// TestListRows: rows are searched, chosen by result, and shown in pages.
func TestListRows(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	list := strings.Builder{}
	list.WriteString("email\nnobody@acme.example\n")
	for i := range 30 {
		list.WriteString("person" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "@acme.example\n")
	}
	at := w.startFile(t, "list.csv", list.String())
	w.awaitState(t, at, store.JobDone)
	for query, want := range map[string]int{
		"": 25, "?group=bad": 1, "?q=PERSONA": 2, "?q=persona&group=bad": 0, "?group=x": 25,
		"?from=1": 25, "?from=26": 6, "?from=32": 0, "?from=-9": 25, "?from=x": 25, "?from=99999999999999999999": 25,
		"?before=32": 25, "?before=99": 25, "?before=26": 25, "?before=7": 25, "?before=1": 25, "?before=x": 25,
		"?before=2&q=persona": 2, "?from=3&q=persona": 1,
	} {
		if got := strings.Count(w.get(t, at+query).body, "@acme.example</button>"); got != want {
			t.Errorf("%q: %d rows, want %d", query, got, want)
		}
	}
	for query, want := range map[string][]string{
		"":                 {"Rows 1 to 25<", `?from=26#rows">Next`, `?before=32#rows">Last`},
		"?before=32":       {"Rows 7 to 31<", `?from=1#rows">First`, `?before=7#rows">Back`},
		"?from=26&q=p":     {"Rows 26 to 31<", `?from=1&amp;q=p#rows">First`, `?before=26&amp;q=p#rows">Back`},
		"?before=7&q=":     {"Rows 1 to 25<"},
		"?from=8&q=person": {"Rows 8 to 31<"},
	} {
		page := w.get(t, at+query).body
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%q: there is no %s\n%s", query, text, page)
			}
		}
		if end := strings.Contains(page, ">Next<"); end != (query == "" || query == "?before=7&q=") {
			t.Errorf("%q: a next page: %v", query, end)
		}
	}
	if page := w.get(t, at+"?q=%22%3E%3Cscript%3E").body; strings.Contains(page, "<script>") || !strings.Contains(page, "No row matches") {
		t.Errorf("the search is not escaped:\n%s", page)
	}
}

// TestListColumn: if the column is not clear, it is asked for.
func TestListColumn(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	next := w.sendFile(t, w.listToken(t), "two.csv", "n,home,work\n1,a@acme.example,b@acme.example\n2,c@acme.example,d@acme.example\n3,e@acme.example,f@acme.example\n").Header.Get("Location")
	if page := w.get(t, next).body; !strings.Contains(page, "More than one column") || !strings.Contains(page, "disabled>Start") {
		t.Errorf("it may be started:\n%s", page)
	}
	if page := w.get(t, next+"?column=1").body; !strings.Contains(page, "holds no addresses") || !strings.Contains(page, "disabled>Start") {
		t.Errorf("a column without addresses:\n%s", page)
	}
	if page := w.get(t, next+"?column=3").body; !strings.Contains(page, `value="3" checked><span>work`) || strings.Contains(page, "disabled>Start") {
		t.Errorf("a column that was chosen:\n%s", page)
	}
	at := w.post(t, next, next, "column", "3").Header.Get("Location")
	w.awaitState(t, at, store.JobDone)
	if page := w.get(t, at).body; !strings.Contains(page, "b@acme.example") || strings.Contains(page, "a@acme.example</button>") {
		t.Errorf("another column was read:\n%s", page)
	}
	if got := w.post(t, next, next+"/drop"); got.Header.Get("Location") != "/lists" {
		t.Errorf("dropped twice: %d", got.StatusCode)
	}
}

// TestListStates: a list is paused, resumed, cancelled and deleted.
func TestListStates(t *testing.T) {
	w, release := newListWorld(t, jobs.Limits{})
	at := w.startFile(t, "list.csv", "email\nada@acme.example\nslow@acme.example\n")
	step := func(what string, want store.JobState) {
		t.Helper()
		if got := w.post(t, at, at+"/"+what); got.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s: %d\n%s", what, got.StatusCode, got.body)
		}
		w.awaitState(t, at, want)
	}
	w.awaitState(t, at, store.JobRunning)
	step("pause", store.JobPaused)
	if page := w.get(t, at).body; !strings.Contains(page, "Resume") || !strings.Contains(page, "Nothing is asked until") {
		t.Errorf("paused:\n%s", page)
	}
	step("resume", store.JobRunning)
	step("cancel", store.JobCancelled)
	step("pause", store.JobCancelled) // it has ended: nothing changes
	release()
	if got := w.post(t, at, at+"/delete"); got.Header.Get("Location") != "/lists" {
		t.Fatalf("delete: %d\n%s", got.StatusCode, got.body)
	}
	if got := w.get(t, at); got.StatusCode != http.StatusNotFound {
		t.Errorf("a deleted list: %d", got.StatusCode)
	}
}

// TestListEvents: the browser hears how far a list is, and of its end.
func TestListEvents(t *testing.T) {
	w, release := newListWorld(t, jobs.Limits{})
	at := w.startFile(t, "list.csv", "email\nada@acme.example\nslow@acme.example\n")
	response, err := w.client.Get(w.server.URL + at + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatal(kind)
	}
	lines := bufio.NewScanner(response.Body)
	var all strings.Builder
	for lines.Scan() {
		if all.WriteString(lines.Text() + "\n"); strings.Contains(lines.Text(), "0 of 2") || strings.Contains(lines.Text(), "1 of 2") {
			release()
		}
	}
	text := all.String()
	if !strings.Contains(text, "2 of 2") && !strings.Contains(text, "event: end") {
		// The stream ended before the list: the browser asks again.
		w.awaitState(t, at, store.JobDone)
		text = w.get(t, at+"/events").body
	}
	if !strings.Contains(text, "2 of 2") || !strings.Contains(text, "\nevent: end\n") {
		t.Errorf("events:\n%s", text)
	}
}

// TestListEventsAfterSignOut: a session that has ended gets no more events.
func TestListEventsAfterSignOut(t *testing.T) {
	w, release := newListWorld(t, jobs.Limits{})
	at := w.startFile(t, "list.csv", "email\nada@acme.example\nslow@acme.example\n")
	response, err := w.client.Get(w.server.URL + at + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	events := bufio.NewReader(response.Body)
	for line := ""; !strings.Contains(line, " of 2"); {
		if line, err = events.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	w.post(t, at, "/sign-out")
	release()
	rest, err := io.ReadAll(events)
	if err != nil || strings.Contains(string(rest), "2 of 2") || strings.Contains(string(rest), "event: end") {
		t.Errorf("after the sign-out: %v\n%s", err, rest)
	}
}

// TestListPace: the page says how fast a list goes on and how long it takes,
// and no number where that is not known.
func TestListPace(t *testing.T) {
	network := []headway.Waiting{{For: headway.ForNetwork, Message: headway.NoResolver.Sentence()}}
	for _, c := range []struct {
		done int64
		h    jobs.Headway
		want string
	}{
		{0, jobs.Headway{Left: -1}, "Starting …"},
		{9, jobs.Headway{Left: -1}, "How long it still takes is not known"},
		{9, jobs.Headway{Rate: 1234, Left: -1}, "1,234 a second"},
		{9, jobs.Headway{Rate: 4.25, Left: 90 * time.Minute}, "4.2 a second; about 2 hours left"},
		{9, jobs.Headway{Left: 29 * time.Minute}, "about 29 minutes left"},
		{0, jobs.Headway{Left: -1, Waiting: network}, "Waiting for the network"},
	} {
		if got := paceText(store.Job{Done: c.done}, c.h); got != c.want {
			t.Errorf("%+v: %q, want %q", c.h, got, c.want)
		}
	}
}

// TestListsOfOthers: everybody in the team sees a list and its rows, and nobody
// but its account sees it before its start.
func TestListsOfOthers(t *testing.T) {
	w, release := newListWorld(t, jobs.Limits{})
	release()
	at := w.startFile(t, "list.csv", fewRows)
	next := w.sendFile(t, w.listToken(t), "list.csv", fewRows).Header.Get("Location")
	w.addAccount(t, "eve@acme.example", store.RoleViewer)
	w.addAccount(t, "mia@acme.example", store.RoleMember)
	for _, login := range []string{"eve@acme.example", "mia@acme.example"} {
		w.client = w.browser()
		w.signInAs(t, login, testPassword)
		for _, path := range []string{at, at + "/events", at + "/rows/all.csv"} {
			if got := w.get(t, path); got.StatusCode != http.StatusOK || strings.Contains(got.body, "Delete the list") {
				t.Errorf("%s: GET %s: %d\n%s", login, path, got.StatusCode, got.body)
			}
		}
		if page := w.get(t, "/lists").body; !strings.Contains(page, at) || strings.Contains(page, next) {
			t.Errorf("%s sees other lists than that of the team:\n%s", login, page)
		}
	}
	if got := w.post(t, "/lists", next, "column", "0"); got.Header.Get("Location") != "/lists" {
		t.Errorf("started that of another: %d to %q", got.StatusCode, got.Header.Get("Location"))
	}
	w.post(t, "/lists", next+"/drop")
	w.client = w.browser()
	w.signInAs(t, testLogin, testPassword)
	if got := w.get(t, next); got.StatusCode != http.StatusOK {
		t.Errorf("another has dropped it: %d", got.StatusCode)
	}
}

// TestOperatorSeesAllLists: an admin sees the lists of keys that have no
// account, with the name of the key, and stops them.
func TestOperatorSeesAllLists(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	key, err := w.store.CreateKey(t.Context(), store.ByCommand("test"), store.Key{
		Hash: store.HashOf("thief"), Name: "stolen one", Scopes: []store.Scope{store.ScopeBulk},
	})
	if err != nil {
		t.Fatal(err)
	}
	j, err := w.store.BeginJob(t.Context(), "node", store.Job{Owner: key.ID, Key: key.ID, Name: "loot", Format: "csv"}, 0, nil)
	if err == nil {
		err = w.store.AddSegment(t.Context(), j.ID, 0, 0, nil, []store.Batch{{Addresses: 1, Data: []byte("a"), RunAfter: time.Now().Add(time.Hour)}})
	}
	if err == nil {
		_, err = w.store.StartJob(t.Context(), store.ByCommand("test"), j.ID, store.JobTotals{Rows: 1, Addresses: 1}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	at := "/lists/" + j.ID
	if page := w.get(t, "/lists").body; !strings.Contains(page, at) || !strings.Contains(page, "stolen one") {
		t.Errorf("the list is not there:\n%s", page)
	}
	for _, step := range []struct {
		path string
		want store.JobState
	}{{"/pause", store.JobPaused}, {"/resume", store.JobQueued}, {"/cancel", store.JobCancelled}} {
		w.post(t, "/lists", at+step.path)
		if now, err := w.store.Job(t.Context(), j.ID); err != nil || now.State != step.want {
			t.Errorf("%s: %s, %v", step.path, now.State, err)
		}
	}
	w.post(t, "/lists", at+"/delete")
	if _, err := w.store.Job(t.Context(), j.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
}

// TestListForged: without the token no octet of a file is kept.
func TestListForged(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	for _, token := range []string{"", "x", strings.Repeat("x", 10_000)} {
		if got := w.sendFile(t, token, "list.csv", fewRows); got.StatusCode != http.StatusForbidden {
			t.Errorf("%.10q: %d", token, got.StatusCode)
		}
	}
	token := w.listToken(t)
	w.client.Jar = w.browser().Jar
	if got := w.sendFile(t, token, "list.csv", fewRows); got.StatusCode != http.StatusSeeOther || got.Header.Get("Location") != "/sign-in" {
		t.Errorf("without a session: %d", got.StatusCode)
	}
	if n := len(w.drafts.all); n != 0 {
		t.Errorf("%d lists are kept", n)
	}
}

// TestListRefused: a file that is too large or no list.
func TestListRefused(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{Octets: 2000, Rows: 10})
	token := w.listToken(t)
	for _, c := range []struct {
		name, text string
		status     int
		want       string
	}{
		{"list.csv", "email\n" + strings.Repeat("ada@acme.example\n", 200), http.StatusRequestEntityTooLarge, "The file is larger than"},
		{"", "", http.StatusUnprocessableEntity, "Choose a file first."},
		{"list.csv", "a\n1\n3\n5\n", http.StatusUnprocessableEntity, "the list holds no addresses"},
		{"list.pdf", "%PDF-1.7 <b>", http.StatusUnprocessableEntity, "a PDF document"},
	} {
		got := w.sendFile(t, token, c.name, c.text)
		if got.StatusCode != c.status || !strings.Contains(got.body, c.want) || !strings.Contains(got.body, `id="list-fault"`) {
			t.Errorf("%s: %d\n%s", c.name, got.StatusCode, got.body)
		}
		if strings.Contains(got.body, "--column") {
			t.Errorf("%s: advice for the command line:\n%s", c.name, got.body)
		}
	}
	if got := w.sendFiles(t, token, "list.csv", fewRows, fewRows); got.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got.body, "one file at a time") {
		t.Errorf("two files: %d\n%s", got.StatusCode, got.body)
	}
	next := w.sendFile(t, token, "list.csv", "Name,City\nAnn,Rome\n").Header.Get("Location")
	if got := w.get(t, next); !strings.Contains(got.body, "Found Name, City, but no e-mail addresses") || !strings.Contains(got.body, "disabled>Start") {
		t.Errorf("no addresses: %d\n%s", got.StatusCode, got.body)
	}
	next = w.sendFile(t, token, "list.csv", "email\n"+strings.Repeat("ada@acme.example\n", 11)).Header.Get("Location")
	if got := w.get(t, next); !strings.Contains(got.body, "more than 10 rows") || !strings.Contains(got.body, "disabled>Start") {
		t.Errorf("too many rows: %d\n%s", got.StatusCode, got.body)
	}
}

// TestPendingLists: those that were never started are dropped for others.
func TestPendingLists(t *testing.T) {
	w, _ := newListWorld(t, jobs.Limits{})
	token := w.listToken(t)
	var all []string
	for range jobs.DraftsEach + 1 {
		all = append(all, w.sendFile(t, token, "list.csv", fewRows).Header.Get("Location"))
		w.clock.Advance(time.Millisecond)
	}
	for i, at := range all {
		want := http.StatusOK
		if i == 0 {
			want = http.StatusNotFound
		}
		if got := w.get(t, at); got.StatusCode != want {
			t.Errorf("list %d: %d", i, got.StatusCode)
		}
	}
	w.clock.Advance(copyTime + 1)
	got := w.get(t, all[1])
	if got.StatusCode != http.StatusNotFound || !strings.Contains(got.body, "its hour is over") {
		t.Errorf("after its hour: %d\n%s", got.StatusCode, got.body)
	}
	w.sendFile(t, w.listToken(t), "list.csv", fewRows)
	if n := len(w.drafts.all); n != 1 {
		t.Errorf("%d lists are kept", n)
	}
}
