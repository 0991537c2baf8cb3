package api_test

import (
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
)

// formOf is a form with a file of CSV and some fields, each a name and a value.
func formOf(file string, fields ...string) string {
	var form strings.Builder
	for i := 0; i < len(fields); i += 2 {
		form.WriteString("--b\r\nContent-Disposition: form-data; name=" + fields[i] + "\r\n\r\n" + fields[i+1] + "\r\n")
	}
	form.WriteString("--b\r\nContent-Disposition: form-data; name=file; filename=people.csv\r\n\r\n" + file + "\r\n--b--\r\n")
	return form.String()
}

const formType = "multipart/form-data; boundary=b"

// TestSeveralColumns: column can be given again and again, in a query or a
// form, and each one has its own results.
func TestSeveralColumns(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	const list = "name,E-mail 1,E-mail 2\nAnn,a@a.example,b@b.example\nBob,,c@c.example\n"
	for name, c := range map[string]struct{ target, body, mediaType string }{
		"query":            {"?column=E-mail%201&column=3", list, csvType},
		"form":             {"", formOf(list, "column", "2", "column", "e-mail 2"), formType},
		"the same in both": {"?column=2&column=3", formOf(list, "column", "2", "column", "3"), formType},
		"an empty one":     {"", formOf(list, "column", "", "column", "2", "column", "3"), formType},
	} {
		got := l.send("POST", "/api/v1/bulk"+c.target, key, c.body, "Content-Type", c.mediaType)
		j := l.done(key, l.want(got, 202).ID)
		out := l.send("GET", "/api/v1/bulk/"+j.ID+"/results", key, "").Body.String()
		for _, says := range []string{"rcpt_result (E-mail 1)", "rcpt_result (E-mail 2)", ",a@a.example,deliverable,", ",c@c.example\n"} {
			if !strings.Contains(out, says) {
				t.Errorf("%s: %q is not in %s", name, says, out)
			}
		}
		if j.Rows != 2 || j.Addresses != 3 {
			t.Errorf("%s: %+v", name, j)
		}
	}
}

// TestContradictions: what is said in two ways is refused.
func TestContradictions(t *testing.T) {
	l := newLists(t, accepts, jobs.Config{})
	key := l.key(store.Key{})
	const list = "a,b\na@a.example,b@b.example\n"
	for name, c := range map[string]struct{ target, body, mediaType, says string }{
		"query":   {"?column=a&name=x&name=y", list, csvType, `\"name\"`},
		"form":    {"", formOf(list, "name", "x", "name", "y", "column", "a"), formType, `\"name\"`},
		"both":    {"?name=x", formOf(list, "name", "y", "column", "a"), formType, `\"name\"`},
		"columns": {"?column=a", formOf(list, "column", "b"), formType, `\"column\"`},
	} {
		got := l.send("POST", "/api/v1/bulk"+c.target, key, c.body, "Content-Type", c.mediaType)
		l.wantCode(got, 400, "invalid_parameter")
		if !strings.Contains(got.Body.String(), c.says) {
			t.Errorf("%s: %s", name, got.Body)
		}
	}
}
