package api_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rcpt/rcpt/internal/service/api"
	"github.com/rcpt/rcpt/internal/service/keyring"
	"github.com/rcpt/rcpt/internal/service/store"
)

// ledger is a [api.UsageStore] that remembers what it was asked.
type ledger struct {
	rows  []store.Usage
	used  int64
	err   error
	asked []store.UsageQuery
}

func (l *ledger) Usage(_ context.Context, q store.UsageQuery) ([]store.Usage, error) {
	l.asked = append(l.asked, q)
	return l.rows, l.err
}

func (l *ledger) QuotaUsed(context.Context, string, time.Time) (int64, error) { return l.used, l.err }

func day(text string) time.Time {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return at
}

func TestUsage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := newServer(t, api.Config{Usage: &ledger{rows: []store.Usage{
			{Day: day("1999-12-31"), Result: "deliverable", Reason: "recipient_accepted", Cached: true, Count: 2},
			{Day: day("2000-01-01"), Result: "deliverable", Reason: "recipient_accepted", Count: 3},
			{Day: day("2000-01-01"), Result: "deliverable", Reason: "recipient_accepted", Cached: true, Count: 4},
			{Day: day("2000-01-01"), Result: "unknown", Reason: "greylisted", Count: 5},
		}}}).Handler()
		want := `{"key":{"id":"fixed","name":"fixed"},"month":"2000-01","used":14,"quota":null,"remaining":null,` +
			`"limit":{"rate":null,"burst":null,"concurrency":null},"days":[` +
			`{"day":"1999-12-31","verifications":2,"cached":2,"results":{"deliverable":2},"reasons":{"recipient_accepted":2}},` +
			`{"day":"2000-01-01","verifications":12,"cached":4,"results":{"deliverable":7,"unknown":5},"reasons":{"greylisted":5,"recipient_accepted":7}}]}` + "\n"
		for _, where := range []string{"/api/v1/usage", "/api/v1/usage?api_key=" + key, "/api/v1/usage?apikey=" + key} {
			response := get(handler, where)
			if diff := cmp.Diff(want, response.Body.String()); response.Code != http.StatusOK || diff != "" {
				t.Errorf("status %d, body (-want +got):\n%s", response.Code, diff)
			}
		}
	})
}

// TestUsageDays: which days are read, of the key that asks and of no other.
func TestUsageDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it is 2000-01-01
		for query, want := range map[string][2]string{
			"":                               {"2000-01-01", "2000-01-01"},
			"from=1999-12-30":                {"1999-12-30", "2000-01-01"},
			"to=1999-11-15":                  {"1999-11-01", "1999-11-15"},
			"from=1999-11-15&to=1999-11-15":  {"1999-11-15", "1999-11-15"},
			"from=1998-11-28":                {"1998-11-28", "2000-01-01"}, // 400 days
			"to=2000-02-10":                  {"2000-02-01", "2000-02-10"},
			"from=1999-12-31&key=somebody's": {"1999-12-31", "2000-01-01"},
		} {
			books := &ledger{}
			response := get(newServer(t, api.Config{Usage: books}).Handler(), "/api/v1/usage?"+query)
			if response.Code != http.StatusOK || !strings.Contains(response.Body.String(), `"days":[]`) {
				t.Errorf("%s: status %d, body %s", query, response.Code, response.Body)
				continue
			}
			if diff := cmp.Diff(store.UsageQuery{Key: "fixed", From: day(want[0]), To: day(want[1])}, books.asked[0]); diff != "" {
				t.Errorf("%s: asked for (-want +got):\n%s", query, diff)
			}
		}
	})
}

func TestUsageQueryErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for query, want := range map[string]string{
			"from=1998-11-27":                 `From "from" to "to" are more than 400 days: ask for fewer at a time.`,
			"from=1970-01-01":                 `From "from" to "to" are more than 400 days: ask for fewer at a time.`,
			"to=0001-01-01":                   `The parameter "to" must be a day as in 2026-01-31.`,
			"from=0001-01-01":                 `The parameter "from" must be a day as in 2026-01-31.`,
			"from=2000-01-02":                 `The parameter "from" is after "to", which is today where it is not given.`,
			"from=9999-12-31":                 `The parameter "from" is after "to", which is today where it is not given.`,
			"from=1999-12-2&to=1999-12-01":    `The parameter "from" must be a day as in 2026-01-31.`,
			"from=1999-02-29":                 `The parameter "from" must be a day as in 2026-01-31.`,
			"to=":                             `The parameter "to" must be a day as in 2026-01-31.`,
			"to=1999-12-01T00:00:00Z":         `The parameter "to" must be a day as in 2026-01-31.`,
			"from=1999-12-01&from=1999-12-02": `The parameter "from" is given with two values.`,
			"to=%zz":                          `The query is not well-formed: percent-encode the values of its parameters.`,
		} {
			books := &ledger{}
			response := get(newServer(t, api.Config{Usage: books}).Handler(), "/api/v1/usage?"+query)
			code := "invalid_parameter"
			if strings.HasPrefix(want, "The query") {
				code = "invalid_query"
			}
			body := `{"message":"` + strings.ReplaceAll(want, `"`, `\"`) + `","success":false,"code":"` + code + `"}` + "\n"
			if diff := cmp.Diff(body, response.Body.String()); response.Code != http.StatusBadRequest || diff != "" || books.asked != nil {
				t.Errorf("%s: status %d, body (-want +got):\n%s", query, response.Code, diff)
			}
		}
	})
}

// TestUsageOfKey: limits are those of the key, and the quota is what the store
// says, never less than nothing.
func TestUsageOfKey(t *testing.T) {
	books := &ledger{used: 40, rows: []store.Usage{{Day: day("2026-11-22"), Result: "unknown", Reason: "blocked", Count: 3}}}
	k := newKeyed(t, api.Config{Usage: books})
	for _, c := range []struct {
		key  store.Key
		used int64
		want string
	}{
		{store.Key{Name: "all", MonthlyQuota: 100, RatePerSecond: 0.5, Burst: 9, Concurrency: 2}, 40,
			`"used":40,"quota":100,"remaining":60,"limit":{"rate":0.5,"burst":9,"concurrency":2},`},
		{store.Key{Name: "over", MonthlyQuota: 30, RatePerSecond: 3}, 40, `"used":40,"quota":30,"remaining":0,"limit":{"rate":3,"burst":3,"concurrency":null},`},
		{store.Key{Name: "none", Burst: 7}, 0, `"used":3,"quota":null,"remaining":null,"limit":{"rate":null,"burst":null,"concurrency":null},`},
	} {
		c.key.Scopes = []store.Scope{store.ScopeUsage}
		text, created, err := k.keys.Create(t.Context(), store.ByCommand("test"), c.key)
		if err != nil {
			t.Fatal(err)
		}
		response := ask(k, httptest.NewRequest(http.MethodGet, "/api/v1/usage?api_key="+text, nil))
		body := response.Body.String()
		start := `{"key":{"id":"` + created.ID + `","name":"` + c.key.Name + `"},"month":"`
		if response.Code != http.StatusOK || !strings.HasPrefix(body, start) || !strings.Contains(body, c.want) {
			t.Errorf("%s: status %d, body %s", c.key.Name, response.Code, body)
		}
		if limited := response.Header().Get("RateLimit-Limit") != ""; limited != (c.key.RatePerSecond > 0) {
			t.Errorf("%s: headers %v", c.key.Name, response.Header())
		}
	}
	if response := get(k, "/api/v1/usage"); response.Code != http.StatusUnauthorized {
		t.Errorf("without a key that is known: status %d", response.Code)
	}
	verify, _, err := k.keys.Create(t.Context(), store.ByCommand("test"), store.Key{Scopes: []store.Scope{store.ScopeVerify}})
	if err != nil {
		t.Fatal(err)
	}
	if response := ask(k, httptest.NewRequest(http.MethodGet, "/api/v1/usage?api_key="+verify, nil)); response.Code != http.StatusForbidden {
		t.Errorf("with a key for something else: status %d", response.Code)
	}
}

func TestUsageStoreFails(t *testing.T) {
	var refused []string
	config := api.Config{Usage: &ledger{err: errors.New("a secret of the database")}, Hooks: api.Hooks{Refused: func(why string) { refused = append(refused, why) }}}
	response := get(newServer(t, config).Handler(), "/api/v1/usage")
	if response.Code != http.StatusServiceUnavailable || response.Header().Get("Retry-After") == "" || strings.Contains(response.Body.String(), "secret") {
		t.Errorf("status %d, header %v, body %s", response.Code, response.Header(), response.Body)
	}
	if len(refused) != 1 || refused[0] != "store" {
		t.Errorf("refused %q", refused)
	}
}

func TestNoUsage(t *testing.T) {
	if response := get(newServer(t, api.Config{}).Handler(), "/api/v1/usage"); response.Code != http.StatusNotFound {
		t.Errorf("status %d", response.Code)
	}
}

// TestUsageIsCounted: what is verified with a key is its usage, and nobody
// else's.
func TestUsageIsCounted(t *testing.T) {
	db, err := store.Open(t.Context(), store.Options{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := keyring.Open(t.Context(), keyring.Config{Store: db})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(keys.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	k := keyed{newServer(t, api.Config{Keys: keys, Usage: db, Record: db.RecordUse}).Handler(), keys}
	both := []store.Scope{store.ScopeVerify, store.ScopeUsage}
	verify, id := k.create(t, store.Key{Scopes: both, MonthlyQuota: 10})
	_, other := k.create(t, store.Key{Scopes: both})
	for range 3 {
		verify()
	}
	if err := db.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	usage := func(r *http.Request) { r.URL.Path, r.RequestURI = "/api/v1/usage", "/api/v1/usage" }
	body := verify(usage, func(r *http.Request) { r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "apikey", "api_key", 1) }).Body.String()
	for _, want := range []string{`"id":"` + id, `"verifications":3,"cached":0,"results":{"deliverable":3},"reasons":{"recipient_accepted":3}`, `"quota":10`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s lacks %s", body, want)
		}
	}
	if strings.Contains(body, other) {
		t.Errorf("%s has another key", body)
	}
}
