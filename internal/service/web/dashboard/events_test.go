package dashboard

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rcpt/rcpt/internal/service/store"
	"github.com/rcpt/rcpt/internal/service/store/rows"
)

// TestEventsPage: the page says who did what, also of people who have left, by
// person and by kind, page by page, and the file has all of it.
func TestEventsPage(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	gone := store.ByAccount("acc_gone", "eve@acme.example")
	evil := store.Event{What: rows.KeyRevoked, Object: "key_1", Name: "=<script>"}
	record := func(by store.Actor, e store.Event) {
		t.Helper()
		if err := w.store.RecordEvent(t.Context(), by, e); err != nil {
			t.Fatal(err)
		}
	}
	record(gone, evil)
	record(store.ByKey("key_2", "shop"), store.Event{What: rows.ListDownloaded, Object: "job_1", Detail: "csv safe"})
	record(store.ByCommand("root"), store.Event{What: rows.AddressesForgotten, Detail: "2"})

	page := w.get(t, "/events").body
	for _, want := range []string{
		testLogin, "signed in", "eve@…", "revoked a key", "=&lt;script&gt;", "API key", "shop", "downloaded results", "csv safe",
		`href="/lists/job_1"`, "Command line", "root", "had addresses erased", `href="/events?by=acc_gone"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "eve@acme") || strings.Contains(page, "<script>") {
		t.Error("the page has an address, or a script")
	}
	if page := w.get(t, "/events?by=acc_gone").body; !strings.Contains(page, "<div>revoked a key</div>") || strings.Contains(page, "shop") ||
		!strings.Contains(page, `<option value="acc_gone" selected>eve@…`) {
		t.Error("the page of one person has other events, or does not name them")
	}
	if page := w.get(t, "/events?what=list.downloaded").body; !strings.Contains(page, "shop") || strings.Contains(page, "eve@…") {
		t.Error("the page of one kind has other events")
	}
	rowsOf := func(path string) [][]string {
		t.Helper()
		got, err := w.client.Get(w.server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer got.Body.Close()
		all, err := csv.NewReader(got.Body).ReadAll()
		if err != nil || got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
			t.Fatalf("%d %v: %v", got.StatusCode, got.Header, err)
		}
		return all
	}
	all := rowsOf("/events.csv?by=acc_gone&what=")
	all[1][0], all[1][1] = "", ""
	want := []string{"", "", "acc_gone", "eve@…", "page", "key.revoked", "revoked a key", "key_1", "'=<script>", ""}
	if diff := cmp.Diff([][]string{eventColumns, want}, all); diff != "" {
		t.Error(diff)
	}

	for i := range eventsAtOnce + 7 {
		record(gone, store.Event{What: rows.KeyChanged, Object: fmt.Sprint("key_", i)})
	}
	if n := len(rowsOf("/events.csv?what=key.changed")); n != 1+eventsAtOnce+7 {
		t.Errorf("the file has %d rows", n)
	}
	older := regexp.MustCompile(`<a href="([^"]*)">Older</a>`)
	objects, at, pages := map[string]bool{}, "/events?what=key.changed", 0
	for ; at != "" && pages < 100; pages++ {
		page := w.get(t, at).body
		for _, id := range regexp.MustCompile(`>(key_\d+)<`).FindAllStringSubmatch(page, -1) {
			objects[id[1]] = true
		}
		at = ""
		if next := older.FindStringSubmatch(page); next != nil {
			at = strings.ReplaceAll(next[1], "&amp;", "&")
		}
	}
	if len(objects) != eventsAtOnce+7 || pages != (eventsAtOnce+7)/eventsShown+1 {
		t.Errorf("%d events on %d pages", len(objects), pages)
	}
}
