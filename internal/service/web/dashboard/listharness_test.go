package dashboard

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/rcpt/rcpt/internal/service/jobs"
	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/web/dashboard/dashboardtest"
	"github.com/rcpt/rcpt/internal/testkit"
)

// newListWorld is a dashboard with lists, signed in.
func newListWorld(t *testing.T, limits jobs.Limits) (w *world, release func()) {
	t.Helper()
	w = newWorld(t, func(c *Config) {
		c.Lists, release = dashboardtest.NewLists(t, c.Store, limits)
		c.Asker = &Asker{"verifier.acme.example", "", "postmaster@acme.example"}
	})
	w.setUp(t)
	return w, release
}

// sendFile sends a file with the token of a page.
func (w *world) sendFile(t *testing.T, token, name, text string) answer {
	t.Helper()
	return w.sendFiles(t, token, name, text)
}

// sendFiles sends several files of the same name.
func (w *world) sendFiles(t *testing.T, token, name string, texts ...string) answer {
	t.Helper()
	return w.do(t, w.client, w.fileForm(t, token, name, texts...))
}

// fileForm is the request that uploads files.
func (w *world) fileForm(t *testing.T, token, name string, texts ...string) *http.Request {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.WriteField("token", token); err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		file, err := form.CreateFormFile("list", name)
		if err == nil {
			_, err = fmt.Fprint(file, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, w.server.URL+"/lists", &body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Origin", w.server.URL)
	return request
}

func (w *world) listToken(t *testing.T) string {
	t.Helper()
	return tokenField.FindStringSubmatch(w.get(t, "/lists").body)[1]
}

// startFile sends a file and starts it, and returns the path of its page.
func (w *world) startFile(t *testing.T, name, text string) string {
	t.Helper()
	sent := w.sendFile(t, w.listToken(t), name, text)
	next := sent.Header.Get("Location")
	if sent.StatusCode != http.StatusSeeOther || !strings.HasPrefix(next, "/new-list/") {
		t.Fatalf("%d to %q\n%s", sent.StatusCode, next, sent.body)
	}
	started := w.post(t, next, next, "name", "")
	at := started.Header.Get("Location")
	if started.StatusCode != http.StatusSeeOther || !strings.HasPrefix(at, "/lists/job") {
		t.Fatalf("%d to %q\n%s", started.StatusCode, at, started.body)
	}
	return at
}

// awaitState waits until a list is in a state.
func (w *world) awaitState(t *testing.T, at string, want store.JobState) {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("the list is %s", want), func() bool {
		j, err := w.store.Job(t.Context(), strings.TrimPrefix(at, "/lists/"))
		return err == nil && j.State == want
	})
}
