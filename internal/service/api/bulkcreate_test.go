package api_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// TestBadLists: each gets an error that says what is wrong, and leaves nothing
// behind.
func TestBadLists(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{Limits: jobs.Limits{Octets: 1000, Rows: 5, Columns: 3}})
	key := l.key(store.Key{})
	for name, c := range map[string]struct {
		target, body, mediaType string
		status                  int
		code, says              string
	}{
		"octets":         {"", strings.Repeat("a@a.example\n", 100), csvType, 413, "list_too_large", "1000 octets"},
		"rows":           {"", strings.Repeat("a@a.example\n", 6), csvType, 413, "list_too_large", "5 rows"},
		"columns":        {"", "a,b,c,email\n1,2,3,a@a.example\n", csvType, 413, "list_too_large", "4 columns"},
		"a later row":    {"", "email\na@a.example\nb@a.example,1,2,3\n", csvType, 413, "list_too_large", "line 3 has 4 columns, 3 are allowed"},
		"quote":          {"", "email\na@a.example\n\"b@a.example\n", csvType, 422, "invalid_list", "line 3, column 1"},
		"no column":      {"", "a,b\n1,2\n3,4\n", csvType, 422, "invalid_list", "give the parameter column, as NAME or NUMBER, or the parameter header_row, as N if"},
		"dry run":        {"?dry_run=2", "a@a.example\n", csvType, 400, "invalid_parameter", "dry_run"},
		"no addresses":   {"", "a\nb\nc\nd\n", "text/plain", 422, "invalid_list", "the list holds no addresses"},
		"empty":          {"", "\n", csvType, 422, "no_address", "no row"},
		"column":         {"?column=mail", "id,email\n1,a@a.example\n", csvType, 400, "invalid_parameter", `There is no column \"mail\"; the columns are 1 \"id\", 2 \"email\"`},
		"media type":     {"", "a@a.example", "image/png", 415, "unsupported_media_type", "text/csv"},
		"JSON":           {"", `{"emails":["a@a.example"`, "application/json", 400, "invalid_body", "octet"},
		"member":         {"", `{"emails":[],"x":1}`, "application/json", 400, "invalid_body", "x"},
		"number":         {"", `{"emails":[1]}`, "application/json", 400, "invalid_body", "emails[0]"},
		"form":           {"", "--b\r\n\r\n--b--", "multipart/form-data; boundary=b", 400, "missing_parameter", "file"},
		"webhook":        {"?webhook=ftp://a.example", "a@a.example\n", csvType, 400, "invalid_parameter", "webhook"},
		"progress":       {"?webhook=https://a.example&webhook_progress=2", "a@a.example\n", csvType, 400, "invalid_parameter", "webhook_progress"},
		"no webhook":     {"?webhook_progress=1", "a@a.example\n", csvType, 400, "invalid_parameter", "needs a"},
		"its media type": {"", "a@a.example", csvType + "; gzip", 415, "unsupported_media_type", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := l.send("POST", "/api/v1/bulk"+c.target, key, c.body, "Content-Type", c.mediaType)
			l.wantCode(got, c.status, c.code)
			if text := got.Body.String(); !strings.Contains(text, c.says) || strings.Contains(text, " --") {
				t.Errorf("%s does not say %s", got.Body, c.says)
			}
		})
	}
	all, err := l.store.Jobs(t.Context(), store.JobQuery{})
	if check(t, err); len(all) > 0 {
		t.Errorf("%d jobs are left", len(all))
	}
}

// TestIdempotencyKey: the same request leads to the same job, another one is
// refused, and one that failed can be sent again.
func TestIdempotencyKey(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key, other := l.key(store.Key{}), l.key(store.Key{})
	send := func(key, body string) *httptest.ResponseRecorder {
		return l.send("POST", "/api/v1/bulk", key, body, "Content-Type", csvType, "Idempotency-Key", "one")
	}
	l.wantCode(send(key, "\n"), 422, "no_address")
	first := l.want(send(key, "a@a.example\n"), 202)
	if again := l.want(send(key, "a@a.example\n"), 202); again.ID != first.ID {
		t.Errorf("%s is made again as %s", first.ID, again.ID)
	}
	l.wantCode(send(key, "b@a.example\n"), 422, "idempotency_key_reused")
	if another := l.want(send(other, "b@a.example\n"), 202); another.ID == first.ID {
		t.Error("somebody else gets the job")
	}
	reading, write := io.Pipe()
	r := httptest.NewRequest("POST", "/api/v1/bulk", reading)
	r.Header = http.Header{"X-Api-Key": {key}, "Content-Type": {csvType}, "Idempotency-Key": {"two"}}
	var slow *httptest.ResponseRecorder
	var sending sync.WaitGroup
	sending.Go(func() { slow = serve(l, r) })
	_, err := io.WriteString(write, "c@a.example\n")
	check(t, err)
	l.wantCode(l.send("POST", "/api/v1/bulk", key, "c@a.example\n", "Content-Type", csvType, "Idempotency-Key", "two"), 409, "request_in_progress")
	check(t, write.Close())
	sending.Wait()
	l.want(slow, 202)
}

// TestQuotaOfLists: an address counts once, and a list counts as a whole.
func TestQuotaOfLists(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{MonthlyQuota: 5})
	list := func(n int) *httptest.ResponseRecorder {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "a%d@a.example\na%d@A.example\n", i, i)
		}
		return l.send("POST", "/api/v1/bulk", key, text.String(), "Content-Type", csvType)
	}
	l.wantCode(list(6), 402, "quota_used_up")
	j := l.want(list(4), 202)
	if j.Rows != 8 || j.Addresses != 4 {
		t.Errorf("%+v", j)
	}
	l.wantCode(list(2), 402, "quota_used_up")
	l.want(list(1), 202)
}

// TestProgressOfLists: each way to send a list can ask for webhooks of
// progress.
func TestProgressOfLists(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	const hook = `https://a.example/hook`
	form := "--b\r\nContent-Disposition: form-data; name=webhook\r\n\r\n" + hook + "\r\n--b\r\nContent-Disposition: form-data; name=webhook_progress\r\n\r\n1\r\n" +
		"--b\r\nContent-Disposition: form-data; name=file; filename=x.csv\r\n\r\na@a.example\r\n--b--\r\n"
	for _, sent := range []struct{ target, body, mediaType string }{
		{"?webhook_progress=1&webhook=" + hook, "a@a.example\n", csvType}, {"", form, "multipart/form-data; boundary=b"},
		{"", `{"emails":["a@a.example"],"webhook":"` + hook + `","webhook_progress":true}`, "application/json"},
	} {
		got := l.send("POST", "/api/v1/bulk"+sent.target, key, sent.body, "Content-Type", sent.mediaType)
		if l.want(got, 202); !strings.Contains(got.Body.String(), `"webhook_progress":true`) {
			t.Errorf("%s: %s", sent.mediaType, got.Body)
		}
	}
}

func TestDryRun(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	got := l.send("POST", "/api/v1/bulk?dry_run=1", key, "a@a.example\nb@b.example\na@a.example\n\"c@c.example d@c.example\"\n", "Content-Type", csvType)
	l.want(got, 200)
	want := `{"rows":4,"unusable":1,"duplicates":1,"addresses":2,"domains":2,"estimated_seconds":0,"estimated_most_seconds":1800,"list":{"format":"csv","columns":["Column 1"],"header_row":0,"encoding":"UTF-8"}}` + "\n"
	if got.Body.String() != want {
		t.Errorf("%s, want %s", got.Body, want)
	}
	form := "--b\r\nContent-Disposition: form-data; name=file; filename=x.csv\r\n\r\na@a.example\r\n--b\r\nContent-Disposition: form-data; name=dry_run\r\n\r\n1\r\n--b--\r\n"
	if got := l.send("POST", "/api/v1/bulk", key, form, "Content-Type", "multipart/form-data; boundary=b"); l.want(got, 200).Rows != 1 {
		t.Errorf("a form: %s", got.Body)
	}
	// Each member of an array is a row, also one that is empty.
	got = l.send("POST", "/api/v1/bulk?dry_run=1", key, `{"emails":["","a@a.example",""," "]}`, "Content-Type", "application/json", "Idempotency-Key", "one")
	if want := `{"rows":4,"unusable":3,`; !strings.HasPrefix(got.Body.String(), want) {
		t.Errorf("%s, want %s", got.Body, want)
	}
	if all := l.send("GET", "/api/v1/bulk", key, ""); !strings.Contains(all.Body.String(), `"jobs":[]`) {
		t.Errorf("it is stored: %s", all.Body)
	}
}

// TestFormsOfLists: a list is the one file of a form, whatever its name, and
// the objects of a JSON array keep their other members as columns.
func TestFormsOfLists(t *testing.T) {
	part := func(disposition, body string) string {
		return "--b\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + body + "\r\n"
	}
	const form, object = "multipart/form-data; boundary=b", "application/json"
	const added = ",deliverable,recipient_accepted,0,0,0,0,0,Fine.,,send,safe,"
	for name, c := range map[string]struct {
		body, mediaType string
		status          int
		code            string
		results         []string // lines, each as it begins
	}{
		"another name": {part(`name="file_contents"; filename="people.csv"`, "email,name\na@a.example,Ann") + "--b--\r\n", form, 202, "",
			[]string{"email,name,rcpt_result", "a@a.example,Ann" + added}},
		"a name of ours": {part(`name="name"; filename="people.csv"`, "email\na@a.example") + "--b--\r\n", form, 202, "",
			[]string{"email,rcpt_result", "a@a.example" + added}},
		"fields of others": {part(`name="has_header_row"`, "1") + part(`name="upload[]"; filename="x.csv"`, "email\na@a.example") + part(`name="column"`, "1") + "--b--\r\n", form, 202, "",
			[]string{"email,rcpt_result", "a@a.example" + added}},
		"without a file's name": {part(`name="file"`, "email\na@a.example") + "--b--\r\n", form, 202, "",
			[]string{"email,rcpt_result", "a@a.example" + added}},
		"two files":  {part(`name="a"; filename="a.csv"`, "a@a.example") + part(`name="b"; filename="b.csv"`, "b@a.example") + "--b--\r\n", form, 400, "invalid_body", nil},
		"two, alike": {part(`name="file"`, "a@a.example") + part(`name="b"; filename="b.csv"`, "b@a.example") + "--b--\r\n", form, 400, "invalid_body", nil},
		"no file":    {part(`name="emails"`, "a@a.example") + "--b--\r\n", form, 400, "missing_parameter", nil},

		"objects": {`{"emails":[{"email":"a@a.example","name":"Ann, \"A\""},{"email":"b@a.example","id":7}],"name":"x"}`, object, 202, "",
			[]string{"email,name,id,rcpt_result", `a@a.example,"Ann, ""A""",` + added, "b@a.example,,7" + added}},
		"the address behind": {`{"emails":[{"name":"Ann","tags":["a","b"],"email":"a@a.example"}]}`, object, 202, "",
			[]string{"name,tags,email,rcpt_result", `Ann,"[""a"",""b""]",a@a.example` + added}},
		"strings and objects": {"{\"emails\":[\"a@a.example\",\n{\n\"email\":\"b@a.example\",\"name\":\"Bob\"}]}", object, 202, "",
			[]string{"email,name,rcpt_result", "a@a.example," + added, "b@a.example,Bob" + added}},
		"one without an address": {`{"emails":[{"email":"a@a.example"},{"email":null},{}]}`, object, 202, "",
			[]string{"email,rcpt_result", "a@a.example" + added, ",unknown,no_address,", ",unknown,invalid_row"}},
		"not one":     {`{"emails":[{"mail":"a@a.example"}]}`, object, 422, "invalid_list", nil},
		"a number":    {`{"emails":[{"email":"a@a.example"},5]}`, object, 400, "invalid_body", nil},
		"an array":    {`{"emails":[["a@a.example"]]}`, object, 400, "invalid_body", nil},
		"not UTF-8":   {"{\"emails\":[{\"email\":\"a@a.example\",\"name\":\"J\xf6rg\"}]}", object, 400, "invalid_body", nil},
		"broken":      {`{"emails":[{"email":"a@a.example"`, object, 400, "invalid_body", nil},
		"an object":   {`{"emails":{"email":"a@a.example"}}`, object, 400, "invalid_body", nil},
		"its members": {`{"emails":[{"email":"a@a.example"}],"x":1}`, object, 400, "invalid_body", nil},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLists(t, accepts, jobs.Config{})
			key := l.key(store.Key{})
			sent := l.send("POST", "/api/v1/bulk", key, c.body, "Content-Type", c.mediaType)
			if c.status != 202 {
				l.wantCode(sent, c.status, c.code)
				return
			}
			j := l.done(key, l.want(sent, 202).ID)
			got := strings.Split(strings.TrimSpace(l.send("GET", "/api/v1/bulk/"+j.ID+"/results", key, "").Body.String()), "\n")
			if len(got) != len(c.results) {
				t.Fatalf("results %q", got)
			}
			for i, want := range c.results {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("line %d is %q, want %q", i+1, got[i], want)
				}
			}
		})
	}
}

// TestNamesOfLists: marks of direction, which would show a name in another
// order, are removed.
func TestNamesOfLists(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	file := "--b\r\nContent-Disposition: form-data; name=file; filename=\"people\u202Evsc.exe.csv\"\r\n\r\na@a.example\r\n--b--\r\n"
	for name, c := range map[string][4]string{
		"query": {"?name=people%E2%80%AEvsc.exe", "a@a.example\n", csvType, "peoplevsc.exe"},
		"file":  {"", file, "multipart/form-data; boundary=b", "peoplevsc.exe.csv"},
		"body":  {"", `{"emails":["a@a.example"],"name":"\u2067people\u2069\u200b"}`, "application/json", "people"},
		"words": {"?name=" + "%D7%A2%D7%91%D7%A8%D7%99%D7%AA", "a@a.example\n", csvType, "עברית"},
	} {
		got := l.send("POST", "/api/v1/bulk"+c[0], key, c[1], "Content-Type", c[2])
		if l.want(got, 202); !strings.Contains(got.Body.String(), `"name":"`+c[3]+`"`) {
			t.Errorf("%s: %s, want the name %s", name, got.Body, c[3])
		}
	}
}
