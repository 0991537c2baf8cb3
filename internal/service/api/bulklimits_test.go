package api_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/testkit"
)

// dead is a verifier for lists that nobody asks about.
func dead(_ context.Context, email string) (rcpt.Result, error) {
	return rcpt.Result{Email: email, Verdict: rcpt.VerdictUnknown}, nil
}

// bomb is a text around so many octets, compressed.
func bomb(t *testing.T, before string, octet byte, times int, after string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	block := bytes.Repeat([]byte{octet}, 1<<20)
	_, err := io.WriteString(w, before)
	check(t, err)
	for range times {
		_, err = w.Write(block)
		check(t, err)
	}
	_, err = io.WriteString(w, after)
	check(t, err)
	check(t, w.Close())
	return out.String()
}

// TestLongValues: whatever of a list in JSON is long, it is refused, and never
// in memory.
func TestLongValues(t *testing.T) {
	l := newLists(t, dead, jobs.Config{})
	key := l.key(store.Key{})
	for name, c := range map[string]struct {
		before, after string
		octet         byte
		says          string
	}{
		"an address":           {`{"emails":["`, `@acme.example"]}`, 'a', ""},
		"a name":               {`{"emails":["a@acme.example"],"name":"`, `"}`, 'a', ""},
		"the name of a member": {`{"`, `":1}`, 'a', ""},
		"another member":       {`{"other":"`, `"}`, 'a', "there is no member"},
		"a nested array":       {`{"name":`, `}`, '[', "must be a string"},
		"an array in place":    {`{"emails":[`, `]}`, '[', "must be a string"},
		"a number":             {`{"emails":[`, `]}`, '1', ""},
		"a switch":             {`{"webhook_progress":`, `}`, '1', ""},
		"a body that is none":  {``, ``, '"', "it must be an object"},
		"blanks":               {`{`, `"emails":["a@acme.example"]}`, ' ', ""},
		"blanks in the array":  {`{"emails":[`, `"a@acme.example"]}`, '\n', ""},
		"blanks at the end":    {`{"emails":["a@acme.example"]}`, ``, '\t', ""},
	} {
		body := bomb(t, c.before, c.octet, 28, c.after)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		response := l.send(http.MethodPost, "/api/v1/bulk", key, body, "Content-Type", "application/json", "Content-Encoding", "gzip")
		runtime.ReadMemStats(&after)
		if says := cmp.Or(c.says, "has more than 1048576 octets"); response.Code != http.StatusBadRequest || !strings.Contains(response.Body.String(), says) {
			t.Errorf("%s: %d %.200s", name, response.Code, response.Body)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 24<<20 {
			t.Errorf("%s: took %d MiB", name, taken>>20)
		}
	}
	// As long as may be.
	long := strings.Repeat("a", 1<<19)
	body := `{"emails":["a@acme.example","` + long + `"],` + strings.Repeat(" ", 1<<19) + `"name":"n"}`
	if response := l.send(http.MethodPost, "/api/v1/bulk", key, body, "Content-Type", "application/json"); response.Code != http.StatusAccepted {
		t.Errorf("%d %.200s", response.Code, response.Body)
	}
}

// TestBodyThatUnpacksWithoutEnd: a compressed body may not become larger than a
// compressed file.
func TestBodyThatUnpacksWithoutEnd(t *testing.T) {
	l := newLists(t, dead, jobs.Config{})
	body := bomb(t, "a@acme.example\n", '\n', 100, "")
	for what, fields := range map[string][]string{
		"a body": {"Content-Type", "text/csv", "Content-Encoding", "gzip"}, "a file": {"Content-Type", "application/gzip"},
	} {
		for _, query := range []string{"", "?dry_run=1"} {
			response := l.send(http.MethodPost, "/api/v1/bulk"+query, l.key(store.Key{}), body, fields...)
			if l.wantCode(response, http.StatusUnprocessableEntity, "invalid_list"); !strings.Contains(response.Body.String(), "200 times its size") {
				t.Errorf("%s%s: %s", what, query, response.Body)
			}
		}
	}
}

// slowly is a body of which the rest comes when the test is over.
type slowly struct {
	io.Reader
	over <-chan struct{}
}

func (s slowly) Read(p []byte) (int, error) {
	if n, err := s.Reader.Read(p); err == nil {
		return n, nil
	}
	<-s.over
	return 0, io.EOF
}

// stuck is an answer that a client does not read.
type stuck struct {
	*httptest.ResponseRecorder
	full chan<- struct{}
	over <-chan struct{}
}

func (s stuck) Write([]byte) (int, error) {
	s.full <- struct{}{}
	<-s.over
	return 0, io.ErrClosedPipe
}

// TestTransfersAtATime: one key sends eight lists at a time and reads four
// results; others can do so as well, until there are too many in all.
func TestTransfersAtATime(t *testing.T) {
	t.Parallel() // it waits for places
	l := newLists(t, dead, jobs.Config{})
	keys := []string{l.key(store.Key{}), l.key(store.Key{})}
	over, full := make(chan struct{}), make(chan struct{}, 100)
	var all sync.WaitGroup
	defer all.Wait()
	defer close(over)
	j := l.want(l.send(http.MethodPost, "/api/v1/bulk", keys[0], "a@acme.example\n", "Content-Type", "text/csv"), http.StatusAccepted)
	l.done(keys[0], j.ID)
	const uploads, downloads = 8, 4
	began := make(chan struct{}, uploads)
	for range uploads {
		all.Go(func() {
			body := slowly{io.TeeReader(strings.NewReader("a@acme.example\n"), signal(began)), over}
			r := httptest.NewRequest(http.MethodPost, "/api/v1/bulk", body)
			r.Header.Set("X-API-Key", keys[0])
			r.Header.Set("Content-Type", "text/csv")
			l.ServeHTTP(httptest.NewRecorder(), r)
		})
	}
	for range downloads {
		all.Go(func() {
			defer func() { _ = recover() }() // the answer breaks off
			r := httptest.NewRequest(http.MethodGet, "/api/v1/bulk/"+j.ID+"/results", nil)
			r.Header.Set("X-API-Key", keys[0])
			l.ServeHTTP(stuck{httptest.NewRecorder(), full, over}, r)
		})
	}
	for range uploads {
		<-began
	}
	for range downloads {
		<-full
	}
	var more sync.WaitGroup
	started := time.Now()
	more.Go(func() {
		response := l.send(http.MethodPost, "/api/v1/bulk", keys[0], "a@acme.example\n", "Content-Type", "text/csv")
		l.wantCode(response, http.StatusTooManyRequests, "concurrency_reached")
		if response.Header().Get("Retry-After") == "" || !strings.Contains(response.Body.String(), "8 lists that are being sent of yours") {
			t.Errorf("%v %s", response.Header(), response.Body)
		}
	})
	more.Go(func() {
		response := l.send(http.MethodGet, "/api/v1/bulk/"+j.ID+"/results", keys[0], "")
		l.wantCode(response, http.StatusTooManyRequests, "concurrency_reached")
		if response.Header().Get("Content-Disposition") != "" {
			t.Errorf("%v", response.Header())
		}
	})
	more.Go(func() {
		l.want(l.send(http.MethodPost, "/api/v1/bulk", keys[1], "a@acme.example\n", "Content-Type", "text/csv"), http.StatusAccepted)
		if took := time.Since(started); took > 4*time.Second {
			t.Errorf("another key's list took %v", took)
		}
	})
	more.Wait()
}

// signal is a writer that tells of the first octets.
type signal chan<- struct{}

func (s signal) Write(p []byte) (int, error) {
	s <- struct{}{}
	return len(p), nil
}

// TestRoomForLists: lists whose rows have no address cost no quota, but room.
func TestRoomForLists(t *testing.T) {
	l := newLists(t, dead, jobs.Config{Limits: jobs.Limits{Stored: 1 << 20}})
	one, other := l.key(store.Key{MonthlyQuota: 100}), l.key(store.Key{})
	send := func(key string) *httptest.ResponseRecorder {
		noise := make([]byte, 2<<20)
		_, _ = rand.Read(noise)
		return l.send(http.MethodPost, "/api/v1/bulk", key, "email,x\na@acme.example,\n,"+hex.EncodeToString(noise)[:1<<20-100]+"\n,"+hex.EncodeToString(noise)[2<<20:3<<20-100]+"\n", "Content-Type", "text/csv")
	}
	first := l.want(send(one), http.StatusAccepted)
	refused := send(one)
	if l.wantCode(refused, http.StatusInsufficientStorage, "storage_used_up"); !strings.Contains(refused.Body.String(), "Your lists take the 1 MiB that they may: delete") {
		t.Error(refused.Body)
	}
	l.want(send(other), http.StatusAccepted)
	l.done(one, first.ID)
	l.want(l.send(http.MethodDelete, "/api/v1/bulk/"+first.ID, one, ""), http.StatusOK)
	testkit.Eventually(t, "its room is free", func() bool {
		check(t, l.store.Purge(t.Context()))
		return send(one).Code == http.StatusAccepted
	})
}
