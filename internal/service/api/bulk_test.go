package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/engine"
	"github.com/rcpt/rcpt/internal/list/xlsx"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/testkit"
)

// together is a function as what package jobs verifies with.
type together func(ctx context.Context, email string) (rcpt.Result, error)

func (f together) Verify(ctx context.Context, email string) (rcpt.Result, error) {
	return f(ctx, email)
}

func (f together) VerifyGroup(
	ctx context.Context, all []string, _ engine.GroupOptions, done func(int, rcpt.Result, error),
) {
	var asked sync.WaitGroup
	for i, email := range all {
		asked.Go(func() {
			r, err := f(ctx, email)
			done(i, r, err)
		})
	}
	asked.Wait()
}

// lists is a server with jobs.
type lists struct {
	t *testing.T
	http.Handler
	keys    *keyring.Keyring
	store   *store.Store
	manager *jobs.Manager
}

func newLists(t *testing.T, verify together, config jobs.Config) *lists {
	t.Helper()
	db, err := store.Open(t.Context(), store.Options{DataDir: t.TempDir()})
	check(t, err)
	keys, err := keyring.Open(t.Context(), keyring.Config{Store: db})
	check(t, err)
	config.Store, config.Verifier, config.TempDir = db, verify, t.TempDir()
	manager, err := jobs.New(config)
	check(t, err)
	check(t, manager.Join(t.Context()))
	ctx, stop := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { manager.Run(ctx) })
	t.Cleanup(func() {
		stop()
		work.Wait()
		check(t, keys.Close())
		check(t, db.Close())
	})
	return &lists{t, newServer(t, api.Config{Keys: keys, Usage: db, Jobs: manager}).Handler(), keys, db, manager}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (l *lists) key(k store.Key) string {
	l.t.Helper()
	k.Scopes = append(k.Scopes, store.ScopeBulk)
	text, _, err := l.keys.Create(l.t.Context(), store.ByCommand("test"), k)
	check(l.t, err)
	return text
}

// send sends a request, with fields of the header as name and value.
func (l *lists) send(method, target, key, body string, fields ...string) *httptest.ResponseRecorder {
	l.t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, reader)
	r.Header.Set("X-API-Key", key)
	for i := 0; i+1 < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	return serve(l, r)
}

// jobOf reads a job from an answer.
type jobAnswer struct {
	ID, State, Code       string
	Rows, Addresses, Done int64
	Results               map[string]int64
}

func (l *lists) want(response *httptest.ResponseRecorder, status int) (j jobAnswer) {
	l.t.Helper()
	if response.Code != status {
		l.t.Fatalf("status %d, want %d: %s", response.Code, status, response.Body)
	}
	if strings.HasPrefix(response.Header().Get("Content-Type"), "application/json") {
		check(l.t, json.Unmarshal(response.Body.Bytes(), &j))
	}
	return j
}

func (l *lists) wantCode(response *httptest.ResponseRecorder, status int, code string) {
	l.t.Helper()
	if j := l.want(response, status); j.Code != code {
		l.t.Errorf("code %s, want %s: %s", j.Code, code, response.Body)
	}
}

// done waits until a job has ended well.
func (l *lists) done(key, id string) (j jobAnswer) {
	l.t.Helper()
	testkit.Eventually(l.t, "the job is done", func() bool {
		j = l.want(l.send("GET", "/api/v1/bulk/"+id, key, ""), 200)
		return j.State == "done"
	})
	return j
}

const csvType = "text/csv"

// packed is a text in gzip.
func packed(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.String()
}

// sheet is a spreadsheet with two columns.
func sheet(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	row := func(cells ...string) []byte {
		var all []xlsx.Cell
		for _, text := range cells {
			all = append(all, xlsx.Cell{Kind: xlsx.Text, Text: text})
		}
		return xlsx.AppendRow(nil, all)
	}
	w, err := xlsx.NewWriter(&out, row("who", "email"))
	check(t, err)
	_, err = w.Write(row("Ann", "ann@a.example"))
	check(t, err)
	check(t, w.Close())
	return out.String()
}

// TestListByHTTP sends a list in each form, and reads its results.
func TestListByHTTP(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	check(t, w.WriteField("name", "spring"))
	file, err := w.CreateFormFile("file", "people.csv.gz")
	check(t, err)
	zipped := gzip.NewWriter(file)
	_, err = io.WriteString(zipped, "who,email\nAnn,ann@a.example\n")
	check(t, err)
	check(t, zipped.Close())
	check(t, w.Close())
	for name, sent := range map[string]struct{ target, body, mediaType, want string }{
		"csv":    {"/api/v1/bulk?name=a", "who,email\nAnn,ann@a.example\n", csvType, "who,email,rcpt_result"},
		"lines":  {"/api/v1/bulk", "ann@a.example\nbob@a.example\n", "text/plain", "email,rcpt_result"},
		"json":   {"/api/v1/bulk", `{"name":"x","emails":["ann@a.example","b, \"c\"@a.example"],"webhook":null}`, "application/json", "email,rcpt_result"},
		"jsonl":  {"/api/v1/bulk", `{"email":"ann@a.example","id":7}` + "\n", "application/x-ndjson", "email,id,rcpt_result"},
		"zipped": {"/api/v1/bulk", packed("email\nann@a.example\n"), csvType, "email,rcpt_result"},
		"sheet":  {"/api/v1/bulk", sheet(t), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "who,email,rcpt_result"},
		"form":   {"/api/v1/bulk", form.String(), w.FormDataContentType(), "who,email,rcpt_result"},
	} {
		t.Run(name, func(t *testing.T) {
			posted := l.send("POST", sent.target, key, sent.body, "Content-Type", sent.mediaType)
			j := l.want(posted, 202)
			if posted.Header().Get("Location") != "/api/v1/bulk/"+j.ID {
				t.Errorf("Location %q", posted.Header().Get("Location"))
			}
			j = l.done(key, j.ID)
			if j.Results["deliverable"] != j.Addresses || j.Addresses == 0 {
				t.Errorf("%+v", j)
			}
			got := l.send("GET", "/api/v1/bulk/"+j.ID+"/results", key, "")
			l.want(got, 200)
			if text := got.Body.String(); !strings.HasPrefix(text, sent.want) || strings.Count(text, "recipient_accepted") != int(j.Addresses) {
				t.Errorf("results %q", text)
			}
			again := l.send("GET", "/api/v1/bulk/"+j.ID+"/results", key, "", "If-None-Match", got.Header().Get("ETag"))
			l.want(again, 304)
			packed := l.send("GET", "/api/v1/bulk/"+j.ID+"/results?format=jsonl", key, "", "Accept-Encoding", "gzip")
			reader, err := gzip.NewReader(packed.Body)
			check(t, err)
			text, err := io.ReadAll(reader)
			check(t, err)
			if strings.Count(string(text), "\n") != int(j.Rows) || packed.Header().Get("ETag") == got.Header().Get("ETag") {
				t.Errorf("JSON lines %q, ETag %s", text, packed.Header().Get("ETag"))
			}
			book := l.send("GET", "/api/v1/bulk/"+j.ID+"/results?format=xlsx", key, "")
			if l.want(book, 200); !strings.HasPrefix(book.Body.String(), "PK") {
				t.Errorf("a spreadsheet begins with %.10q", book.Body)
			}
			none := l.send("GET", "/api/v1/bulk/"+j.ID+"/results?result=unknown,undeliverable&flag=role", key, "")
			if strings.Count(none.Body.String(), "\n") != 1 {
				t.Errorf("filtered %q", none.Body)
			}
		})
	}
	page := l.send("GET", "/api/v1/bulk?limit=3", key, "")
	var listed struct {
		Jobs []jobAnswer
		Next *string
	}
	check(t, json.Unmarshal(page.Body.Bytes(), &listed))
	if len(listed.Jobs) != 3 || listed.Next == nil {
		t.Fatalf("%s", page.Body)
	}
	page = l.send("GET", "/api/v1/bulk?limit=3&after="+*listed.Next, key, "")
	check(t, json.Unmarshal(page.Body.Bytes(), &listed))
	if len(listed.Jobs) != 3 || listed.Next == nil {
		t.Fatalf("%s", page.Body)
	}
	page = l.send("GET", "/api/v1/bulk?limit=3&after="+*listed.Next, key, "")
	check(t, json.Unmarshal(page.Body.Bytes(), &listed))
	if len(listed.Jobs) != 1 || listed.Next != nil {
		t.Errorf("%s", page.Body)
	}
}

// TestResultsOnce: each address once, each person once, and what is neither.
func TestResultsOnce(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	posted := l.send("POST", "/api/v1/bulk", key, "ann@gmail.com\nann@gmail.com\nA.nn+x@googlemail.com\n", "Content-Type", "text/plain")
	j := l.done(key, l.want(posted, 202).ID)
	tags := map[string]bool{}
	for once, want := range map[string]int{"": 3, "&once=0": 3, "&once=1": 2, "&once=true": 2, "&once=canonical": 1} {
		got := l.send("GET", "/api/v1/bulk/"+j.ID+"/results?format=jsonl"+once, key, "")
		if l.want(got, 200); strings.Count(got.Body.String(), "\n") != want {
			t.Errorf("%q: %s", once, got.Body)
		}
		tags[got.Header().Get("ETag")] = true
	}
	if len(tags) != 3 {
		t.Errorf("%d ETags of three outputs", len(tags))
	}
	wrong := l.send("GET", "/api/v1/bulk/"+j.ID+"/results?once=person", key, "")
	if l.want(wrong, 400); !strings.Contains(wrong.Body.String(), `\"once\" must be 1, 0 or canonical`) {
		t.Errorf("%s", wrong.Body)
	}
}

// TestJobOfReplacedKeys: a key sees the jobs of all keys that led to it, and
// those do not see its own.
func TestJobOfReplacedKeys(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	text, key, err := l.keys.Create(t.Context(), store.ByCommand("test"), store.Key{Scopes: []store.Scope{store.ScopeBulk}})
	check(t, err)
	texts := []string{text}
	var sent []string
	for range 3 {
		sent = append(sent, l.want(l.send("POST", "/api/v1/bulk", text, "a@a.example\n", "Content-Type", csvType), 202).ID)
		text, key, err = l.keys.Rotate(t.Context(), store.ByCommand("test"), key.ID, time.Now().Add(time.Hour))
		check(t, err)
		texts = append(texts, text)
	}
	for by, text := range texts {
		listed := l.send("GET", "/api/v1/bulk", text, "").Body.String()
		for of, id := range sent {
			if strings.Contains(listed, id) != (of <= by) {
				t.Errorf("key %d lists the job of key %d: %t", by, of, of > by)
			}
			want := 200
			if of > by {
				want = 404
			}
			if got := l.send("GET", "/api/v1/bulk/"+id, text, ""); got.Code != want {
				t.Errorf("key %d gets %d for the job of key %d", by, got.Code, of)
			}
		}
	}
	l.want(l.send("DELETE", "/api/v1/bulk/"+sent[0], text, ""), 200)
}

// TestJobBelongsToItsOwner: others get 404, whatever they do.
func TestJobBelongsToItsOwner(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	first, other := l.key(store.Key{}), l.key(store.Key{})
	j := l.want(l.send("POST", "/api/v1/bulk", first, "a@a.example\n", "Content-Type", csvType), 202)
	for _, one := range []struct{ method, path string }{
		{"GET", ""}, {"GET", "/results"}, {"POST", "/pause"}, {"POST", "/resume"}, {"POST", "/cancel"}, {"POST", "/again"}, {"DELETE", ""},
	} {
		l.wantCode(l.send(one.method, "/api/v1/bulk/"+j.ID+one.path, other, ""), 404, "job_not_found")
	}
	if got := l.send("GET", "/api/v1/bulk", other, ""); !strings.Contains(got.Body.String(), `"jobs":[]`) {
		t.Errorf("others see %s", got.Body)
	}
	l.done(first, j.ID)
	l.wantCode(l.send("POST", "/api/v1/bulk/"+j.ID+"/pause", first, ""), 409, "wrong_state")
	l.want(l.send("DELETE", "/api/v1/bulk/"+j.ID, first, ""), 200)
	l.wantCode(l.send("GET", "/api/v1/bulk/"+j.ID, first, ""), 404, "job_not_found")
	if got := l.send("GET", "/api/v1/bulk", "rcpt_nobody", ""); got.Code != 401 {
		t.Errorf("without a key: %d", got.Code)
	}
	text, _, err := l.keys.Create(t.Context(), store.ByCommand("test"), store.Key{Scopes: []store.Scope{store.ScopeVerify}})
	check(t, err)
	l.wantCode(l.send("GET", "/api/v1/bulk", text, ""), 403, "missing_scope")
	for _, path := range []string{"/api/v1/bulk//", "/api/v1/bulk/x/y", "/api/v1/bulk/{id}", "/api/v1/bulk/" + strings.Repeat("x", 100)} {
		if got := l.send("GET", (&url.URL{Path: path}).String(), first, ""); got.Code != 404 {
			t.Errorf("%s: %d", path, got.Code)
		}
	}
}
