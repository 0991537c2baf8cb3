package openapitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rcpt/rcpt/internal/service/web/openapi"
)

func contract(t *testing.T) *Contract {
	t.Helper()
	c, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestUnsoundFile: a file that is no OpenAPI 3.1, or whose examples do not fit,
// is refused.
func TestUnsoundFile(t *testing.T) {
	for name, change := range map[string][2]string{
		"a reference to nothing":      {`"$ref": "#/components/schemas/MailHost"`, `"$ref": "#/components/schemas/Nothing"`},
		"an example with a bad value": {`"result": "accept-all"`, `"result": "catch-all"`},
		"an operation with no answer": {`"responses": {`, `"answers": {`},
		"an unknown type":             {`"type": "boolean"`, `"type": "bool"`},
	} {
		file := openapi.File()
		if changed := bytes.Replace(file, []byte(change[0]), []byte(change[1]), 1); bytes.Equal(changed, file) {
			t.Errorf("%s: nothing was changed", name)
		} else if _, err := parse(changed); err == nil {
			t.Errorf("%s was not seen", name)
		}
	}
}

const (
	full = `{"email":"a@b.example","user":"a","domain":"b.example","accept_all":0,"role":0,"free_email":0,"disposable":0,"spamtrap":0,` +
		`"success":true,"result":"deliverable","message":"Fine."`
	withDetails = `,"details":{"reason":"recipient_accepted","catch_all":"no","cached":false,"checked_at":"2026-11-22T09:30:00Z","duration_ms":0,"action":"send"`
	used        = `{"key":{"id":"k","name":""},"month":"2026-11","used":1,"quota":null,"remaining":null,"limit":{"rate":null,"burst":null,"concurrency":null},` +
		`"days":[{"day":"2026-11-22","verifications":1,"cached":0,"results":{"unknown":1},"reasons":{"blocked":1}}]}`
)

// reply is a response with the fields that all have, and the given ones: name,
// value; an empty value takes one away.
func reply(status int, body string, fields ...string) *http.Response {
	r := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for name, value := range map[string]string{
		"Content-Type": "application/json; charset=utf-8", "Cache-Control": "private, no-store", "X-Request-Id": "ZRDVUQU5NLFHJA6RA4ORUIMKKF",
	} {
		r.Header.Set(name, value)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		if r.Header.Set(fields[i], fields[i+1]); fields[i+1] == "" {
			r.Header.Del(fields[i])
		}
	}
	return r
}

const fault = `{"message":"No.","success":false,"code":"not_found"}`

func TestGoodResponses(t *testing.T) {
	c := contract(t)
	for _, r := range []struct {
		method, path string
		response     *http.Response
	}{
		{"GET", "/api/v1/verify", reply(200, full+"}")},
		{"GET", "/api/v1/verify", reply(200, full+withDetails+"}}\n")},
		{"GET", "/api/v1/verify", reply(200, `{"email":"a","user":"","domain":"","accept_all":0,"role":0,"free_email":0,"disposable":0,"spamtrap":0,"success":true,"result":"undeliverable","message":"No."}`, "RateLimit-Limit", "5", "RateLimit-Policy", "1;w=1;burst=5")},
		{"GET", "/api/v1/verify", reply(401, `{"message":"Unauthorized"}`, "WWW-Authenticate", "Bearer", "Connection", "close")},
		{"GET", "/api/v1/verify", reply(503, fault, "Retry-After", "5")},
		{"PUT", "/api/v1/verify", reply(405, fault, "Allow", "GET, POST")},
		{"POST", "/api/v1/verify", reply(200, full+"}")},
		{"POST", "/api/v1/verify", reply(200, `{"results":[`+full+"},"+full+withDetails+"}}]}\n")},
		{"GET", "/api/v1/verify", reply(402, `{"message":"No.","success":false,"code":"quota_used_up","resets_at":"2026-12-01T00:00:00Z"}`, "Retry-After", "60")},
		{"GET", "/api/v1/usage", reply(200, used)},
		{"HEAD", "/healthz", reply(200, "")},
		{"GET", "/openapi.json", reply(304, "", "Content-Type", "", "Cache-Control", "no-cache", "ETag", `"x"`, "Vary", "Accept-Encoding")},
		{"GET", "/nowhere", reply(404, fault)},
		{"GET", "/keys", reply(200, "<html>", "Content-Type", "text/html", "Set-Cookie", "x=y")},
	} {
		if err := c.Check(r.method, r.path, r.response); err != nil {
			t.Error(err)
		}
	}
}

func TestFaultsAreSeen(t *testing.T) {
	c := contract(t)
	for name, r := range map[string]struct {
		method, path string
		response     *http.Response
	}{
		"a status":                {"GET", "/api/v1/verify", reply(418, fault)},
		"a method":                {"PUT", "/api/v1/verify", reply(200, full+"}")},
		"no records":              {"POST", "/api/v1/verify", reply(200, `{"results":[]}`)},
		"a record of records":     {"POST", "/api/v1/verify", reply(200, `{"results":[{"results":[]}]}`)},
		"an error without code":   {"GET", "/api/v1/verify", reply(400, `{"message":"No.","success":false}`)},
		"an error of success":     {"GET", "/api/v1/verify", reply(400, `{"message":"No.","success":true,"code":"invalid_query"}`)},
		"an error without":        {"GET", "/api/v1/verify", reply(400, `{"message":"No.","code":"invalid_query"}`)},
		"401 with success":        {"GET", "/api/v1/verify", reply(401, `{"message":"Unauthorized","success":false}`, "WWW-Authenticate", "Bearer")},
		"an unknown code":         {"GET", "/api/v1/verify", reply(400, `{"message":"No.","success":false,"code":"no"}`)},
		"401 with a code":         {"GET", "/api/v1/verify", reply(401, `{"message":"Unauthorized","code":"not_found"}`, "WWW-Authenticate", "Bearer")},
		"401 with other words":    {"GET", "/api/v1/verify", reply(401, `{"message":"No."}`, "WWW-Authenticate", "Bearer")},
		"a path":                  {"GET", "/api/v1/other", reply(200, "{}")},
		"an error elsewhere":      {"GET", "/nowhere", reply(404, `{"error":"No."}`)},
		"no request ID":           {"GET", "/healthz", reply(200, `{"status":"ok"}`, "X-Request-Id", "")},
		"no Retry-After":          {"GET", "/api/v1/verify", reply(503, fault)},
		"a Retry-After of words":  {"GET", "/api/v1/verify", reply(503, fault, "Retry-After", "soon")},
		"a Retry-After of zero":   {"GET", "/api/v1/verify", reply(503, fault, "Retry-After", "0")},
		"no Allow":                {"PUT", "/api/v1/verify", reply(405, fault)},
		"kept by caches":          {"GET", "/api/v1/verify", reply(200, full+"}", "Cache-Control", "public")},
		"a header of its own":     {"GET", "/healthz", reply(200, `{"status":"ok"}`, "Server", "x")},
		"a media type":            {"GET", "/healthz", reply(200, `{"status":"ok"}`, "Content-Type", "text/plain")},
		"no JSON":                 {"GET", "/healthz", reply(200, `{"status":"ok"`)},
		"more than JSON":          {"GET", "/healthz", reply(200, `{"status":"ok"}{}`)},
		"a member more":           {"GET", "/healthz", reply(200, `{"status":"ok","more":1}`)},
		"a member more, within":   {"GET", "/api/v1/verify", reply(200, full+withDetails+`,"more":1}}`)},
		"a member less":           {"GET", "/api/v1/verify", reply(200, strings.Replace(full, `"success":true,`, "", 1)+"}")},
		"a record of four fields": {"GET", "/api/v1/verify", reply(200, strings.Replace(full, `"role":0,`, "", 1)+"}")},
		"a flag that is a bool":   {"GET", "/api/v1/verify", reply(200, strings.Replace(full, `"role":0`, `"role":false`, 1)+"}")},
		"a flag that is two":      {"GET", "/api/v1/verify", reply(200, strings.Replace(full, `"role":0`, `"role":2`, 1)+"}")},
		"an unknown verdict":      {"GET", "/api/v1/verify", reply(200, strings.Replace(full, `"deliverable"`, `"risky"`, 1)+"}")},
		"an unknown reason":       {"GET", "/api/v1/usage", reply(200, strings.Replace(used, `"blocked"`, `"bored"`, 1))},
		"no time":                 {"GET", "/api/v1/verify", reply(200, strings.Replace(full+withDetails, `T09:30:00Z`, ``, 1)+"}}")},
		"no day":                  {"GET", "/api/v1/usage", reply(200, strings.Replace(used, `2026-11-22`, `22.11.2026`, 1))},
		"null":                    {"GET", "/api/v1/usage", reply(200, strings.Replace(used, `"used":1`, `"used":null`, 1))},
		"a body of nothing":       {"GET", "/openapi.json", reply(304, "{}", "Cache-Control", "no-cache", "ETag", `"x"`, "Vary", "Accept-Encoding")},
		"a weak validator":        {"GET", "/openapi.json", reply(304, "", "Cache-Control", "no-cache", "ETag", `W/"x"`, "Vary", "Accept-Encoding")},
	} {
		if err := c.Check(r.method, r.path, r.response); err == nil {
			t.Errorf("%s was not seen", name)
		}
	}
}

// TestEvents: the body of a webhook is judged, too.
func TestEvents(t *testing.T) {
	c := contract(t)
	const test = `{"type":"webhook.test","timestamp":"2026-11-23T10:15:00Z","data":{"message":"It works."}}`
	if err := c.CheckEvent([]byte(test)); err != nil {
		t.Error(err)
	}
	for name, change := range map[string][2]string{
		"no JSON": {"}}", "}"}, "an unknown event": {"webhook.test", "webhook.toast"}, "another event": {"webhook.test", "job.completed"},
		"a member more": {`"data"`, `"more":1,"data"`}, "no time": {"T10", " "},
	} {
		if err := c.CheckEvent([]byte(strings.Replace(test, change[0], change[1], 1))); err == nil {
			t.Errorf("%s was not seen", name)
		}
	}
}

// TestTransport: it judges, and passes on what it judged.
func TestTransport(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "wrong") }))
	defer service.Close()
	var faults []error
	judging := &http.Client{Transport: &Transport{Base: service.Client().Transport, Contract: contract(t), Fault: func(err error) { faults = append(faults, err) }}}
	response, err := judging.Get(service.URL + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if errors.Join(err, response.Body.Close()) != nil || string(body) != "wrong" {
		t.Errorf("passed on %q: %v", body, err)
	}
	if len(faults) != 1 || !strings.Contains(faults[0].Error(), "GET /healthz: status 200") {
		t.Errorf("told of %v", faults)
	}
}

// TestClosedSets: the words of the contract are those of the code.
func TestClosedSets(t *testing.T) {
	var file struct {
		Components struct {
			Schemas map[string]struct {
				Enum       []string
				Properties map[string]struct{ Enum []any }
			}
		}
	}
	_ = json.Unmarshal(openapi.File(), &file) // it complains of Flag, whose values are numbers
	schemas := file.Components.Schemas
	words := func(values []any) (all []string) {
		for _, v := range values {
			all = append(all, v.(string))
		}
		return all
	}
	for _, c := range []struct {
		name, file, pattern string
		words               []string
		more                string // what other files add
		less                string // what no answer has
	}{
		{"verdicts", "reason.go", `Verdict = "([^"]+)"`, schemas["Result"].Enum, "", ""},
		{"codes", "internal/exchange/fault.go", `Code = "([^"]+)"`, schemas["ErrorCode"].Enum, "", ""},
		{"reasons", "reason.go", `Reason = "([^"]+)"`, schemas["Reason"].Enum, "", ""},
		{"phases", "smtpprobe/smtp/failure.go", `Phase = "([^"]+)"`, words(schemas["SMTP"].Properties["phase"].Enum), "", "data"},
		{"lists", "lists/lists.go", `Kind = "([^"]+)"`, words(schemas["Match"].Properties["list"].Enum), "rhsbl", ""},
		{"confidences", "lists/lists.go", `Confidence = "([^"]+)"`, words(schemas["Match"].Properties["confidence"].Enum), "", ""},
		{"catch-all states", "result.go", `CatchAllState = "([^"]+)"`, words(schemas["Details"].Properties["catch_all"].Enum), "", ""},
	} {
		source, err := os.ReadFile("../../../../../" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if c.more != "" {
			want = append(want, c.more)
		}
		for _, found := range regexp.MustCompile(c.pattern).FindAllSubmatch(source, -1) {
			if word := string(found[1]); word != c.less {
				want = append(want, word)
			}
		}
		slices.Sort(want)
		slices.Sort(c.words)
		if diff := cmp.Diff(want, c.words); diff != "" || len(want) == 0 {
			t.Errorf("%s (-code +contract):\n%s", c.name, diff)
		}
	}
}
