//go:build browser

package browser

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/webhook"
)

// exampleList is a list of customers, with some of every result.
func exampleList(rows int) string {
	var list strings.Builder
	list.WriteString("Name,E-mail,City,Since\n")
	names := []string{"Ada Lovelace", "Grace Hopper", "Alan Turing", "Edsger Dijkstra", "Barbara Liskov", "Donald Knuth"}
	for i := range rows {
		user := map[int]string{3: "nobody", 7: "late", 8: "any" + fmt.Sprint(i)}[i%10]
		if user == "" {
			user = fmt.Sprintf("%s%d", strings.ToLower(strings.Fields(names[i%6])[0]), i)
		}
		if i%50 == 49 {
			user = fmt.Sprintf("slow%d", i)
		}
		fmt.Fprintf(&list, "%s,%s@d%d.example,Köln,%d\n", names[i%6], user, i/10%12, 1990+i%30)
	}
	return list.String()
}

// choose chooses a file in the browser.
func choose(t *testing.T, name, text string) chromedp.Action[chromedp.Void] {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return chromedp.SetUploadFiles(chromedp.CSS("#list"), []string{file})
}

// TestLists goes the way of a list: sent, looked at, started, watched,
// downloaded, deleted.
func TestLists(t *testing.T) {
	s := newSite(t, nil)
	ctx := newBrowser(t)
	s.enter(t, ctx)
	album{"lists-empty", s.URL + "/lists", nil}.take(t, ctx)
	send := choose(t, "Customers.csv", exampleList(400))
	do(t, ctx, chromedp.Navigate(s.URL+"/lists"), send, shown("#first"))
	album{name: "list-new"}.take(t, ctx)
	if text := read(t, ctx, "main"); !strings.Contains(text, "400") || !strings.Contains(text, "Ada Lovelace") {
		t.Errorf("before the start:\n%s", text)
	}
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#name"), "Customers of 2026"), click(".head .primary"), shown("#progress"))
	do(t, ctx, chromedp.Poll[chromedp.Void](`!/^(running|queued|0%|<1%) /.test(document.title)`))
	do(t, ctx, shown(".rows .name")) // the rows that have a result by now
	album{name: "list-running"}.take(t, ctx)
	if loads := eval[int](t, ctx, `performance.getEntriesByType("navigation").length`); loads != 1 {
		t.Errorf("the page was loaded %d times", loads)
	}
	s.release()
	do(t, ctx, listEnded)
	album{name: "list"}.take(t, ctx)
	album{"lists", s.URL + "/lists", nil}.take(t, ctx)
	do(t, ctx, chromedp.Navigate(s.URL+"/lists"), shown("[data-upload]"), chromedp.Evaluate[chromedp.Void](`{
		const dropped = new DataTransfer();
		dropped.items.add(new File(["email\nada@acme.example\n"], "Dropped.csv"));
		document.querySelector("[data-upload]").dispatchEvent(new DragEvent("drop", {dataTransfer: dropped, bubbles: true, cancelable: true}));
	}`), shown("#first"))
	if text := read(t, ctx, "main"); !strings.Contains(text, "Dropped") {
		t.Errorf("a file that was dropped:\n%s", text)
	}
	do(t, ctx, click(".head .primary"), listEnded, click("details summary"), click("details .danger"), shown("[data-upload]"))
	if text := read(t, ctx, "main"); strings.Contains(text, "Dropped") {
		t.Errorf("a list that was deleted:\n%s", text)
	}
}

// TestListStates looks at the page of a list in the states that last: paused,
// waiting for the network, cancelled, damaged.
func TestListStates(t *testing.T) {
	s := newSite(t, nil)
	ctx := newBrowser(t)
	s.enter(t, ctx)
	start := func(name string) {
		t.Helper()
		do(t, ctx, chromedp.Navigate(s.URL+"/lists"), choose(t, name, exampleList(100)), shown("#first"), click(".head .primary"), shown("#progress"))
	}
	s.offline.Store(true)
	start("Waiting.csv")
	do(t, ctx, shown(".waiting"), shown(".note.warn"))
	album{name: "list-waiting"}.take(t, ctx)
	s.offline.Store(false)
	do(t, ctx, chromedp.Poll[chromedp.Void](`/^[1-9][0-9]% /.test(document.title)`))
	if said := eval[string](t, ctx, `document.querySelector("#said").textContent`); !strings.Contains(said, "%") {
		t.Errorf("a screen reader hears %q", said)
	}
	do(t, ctx, click(".head .actions button"), shown(".head .actions .primary"))
	album{name: "list-paused"}.take(t, ctx)
	do(t, ctx, click("details summary"), click("details .danger"), shown("#progress .pill.warn"))
	album{name: "list-cancelled"}.take(t, ctx)
	s.release()
	start("Damaged.csv")
	do(t, ctx, listEnded)
	id := eval[string](t, ctx, `location.pathname.split("/").pop()`)
	if err := s.store.NoteDamage(t.Context(), id, "What is stored of it is damaged: its results cannot be read. Verify the list again."); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.Reload(), shown("#progress .note"))
	album{name: "list-damaged"}.take(t, ctx)
}

// TestUpload: a bar shows how much of a file has arrived, and it can be
// cancelled; what is wrong with a file is said at once.
func TestUpload(t *testing.T) {
	s := newSite(t, nil)
	s.uploads = make(chan struct{})
	ctx := newBrowser(t)
	s.enter(t, ctx)
	do(t, ctx, chromedp.Navigate(s.URL+"/lists"), choose(t, "Large.csv", exampleList(700_000)), shown(".sending"),
		chromedp.Poll[chromedp.Void](`document.querySelector("progress").value > 0`))
	if text := read(t, ctx, ".sending"); !strings.Contains(text, "% of 32 MB") {
		t.Errorf("while it is uploaded: %s", text)
	}
	album{name: "lists-uploading"}.take(t, ctx)
	do(t, ctx, click(".sending button"), shown(".pick"))
	close(s.uploads)
	do(t, ctx, choose(t, "Picture.csv", "%PDF-1.7"), shown("#list-fault"))
	if text := read(t, ctx, "#list-fault"); !strings.Contains(text, "PDF") {
		t.Errorf("no list: %s", text)
	}
	if drafts, err := s.store.Drafts(t.Context(), ""); err != nil || len(drafts) != 0 {
		t.Errorf("what was cancelled is kept: %v %v", drafts, err)
	}
	do(t, ctx, choose(t, "Small.csv", exampleList(10)), shown("#first"))
}

// TestListWebhook: the form of a new list takes a URL, keeps what was typed
// when it is wrong, and a webhook arrives there when the list has ended.
func TestListWebhook(t *testing.T) {
	s := newSite(t, nil)
	s.release()
	arrived := make(chan string, 20)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		arrived <- r.URL.Path + " " + r.Header.Get("Webhook-Signature") + " " + string(body)
	}))
	defer receiver.Close()
	sender := webhook.New(webhook.Config{Store: s.store, AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	running, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		sender.Run(running)
	}()
	defer func() { stop(); <-ended }()
	ctx := newBrowser(t)
	s.enter(t, ctx)
	do(t, ctx, chromedp.Navigate(s.URL+"/lists"), choose(t, "Subscribers.csv", exampleList(40)), shown("#first"), click(".form summary"),
		typed("#webhook", "ftp://receiver.example/hook"), click(`[name="progress"]`), click(".head .primary"), shown("#webhook-fault"))
	album{name: "list-new-faults"}.take(t, ctx)
	if kept := eval[bool](t, ctx, `document.querySelector("#webhook").value === "ftp://receiver.example/hook" && document.querySelector("[name=progress]").checked`); !kept {
		t.Error("what was typed is lost")
	}
	do(t, ctx, chromedp.SetValue(chromedp.CSS("#webhook"), receiver.URL+"/hook"), click(".head .primary"), listEnded)
	select {
	case got := <-arrived:
		if !strings.HasPrefix(got, "/hook v1,") || !strings.Contains(got, `"name":"Subscribers"`) {
			t.Errorf("arrived: %s", got)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("no webhook arrived")
	}
	if text := read(t, ctx, "main"); !strings.Contains(text, receiver.URL+"/hook") {
		t.Errorf("the page of the list has no webhook:\n%s", text)
	}
	do(t, ctx, chromedp.Navigate(s.URL+"/webhooks"), shown("main .pill"))
	if text := read(t, ctx, "main"); !strings.Contains(text, "job.") {
		t.Errorf("the webhooks that were sent:\n%s", text)
	}
}

// TestReceiverPages: a receiver is tested and a secret is made.
func TestReceiverPages(t *testing.T) {
	s := newSite(t, nil)
	ctx := newBrowser(t)
	s.enter(t, ctx)
	key, err := s.store.CreateKey(t.Context(), store.ByCommand("test"), store.Key{Name: "Newsletter", Hash: store.HashOf("n"), Scopes: []store.Scope{store.ScopeBulk}})
	if err != nil {
		t.Fatal(err)
	}
	page := s.URL + "/webhooks/receivers?key=" + key.ID
	album{"receivers", page, []chromedp.Action[chromedp.Void]{click("details summary")}}.take(t, ctx)
	do(t, ctx, click("details .primary"), shown("#secret"))
	album{name: "receivers-secret"}.take(t, ctx)
	do(t, ctx, typed("#url", "https://receiver.example/hook"), click(".form > .actions .primary"), shown("#tries"))
	// By its address without "?sent", which is loaded again each second.
	album{"webhook", s.URL + eval[string](t, ctx, `location.pathname`), nil}.take(t, ctx)
	album{"webhooks", s.URL + "/webhooks", nil}.take(t, ctx)
}
