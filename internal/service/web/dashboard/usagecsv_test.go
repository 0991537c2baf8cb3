package dashboard

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rcpt/rcpt/internal/service/store"
)

// TestUsageExport: the file has what the page counts, of one key where one is
// chosen, and nothing that a spreadsheet would carry out.
func TestUsageExport(t *testing.T) {
	w := newWorld(t, nil)
	w.setUp(t)
	key, err := w.store.CreateKey(t.Context(), store.ByCommand("test"), store.Key{Name: "=cmd|' /C calc'!A0", Hash: store.HashOf("k")})
	if err != nil {
		t.Fatal(err)
	}
	now := w.clock.Now()
	for range 3 {
		w.store.RecordUse(store.Use{Key: key.ID, At: now, Result: "deliverable", Reason: "recipient_accepted", Duration: 200 * time.Millisecond})
	}
	w.store.RecordUse(store.Use{Key: KeyID, At: now.AddDate(0, 0, -2), Result: "undeliverable", Reason: "mailbox_not_found", Cached: true, Duration: time.Millisecond})
	w.store.RecordUse(store.Use{Key: KeyID, At: now.AddDate(0, 0, -20), Result: "unknown", Reason: "blocked"})
	if err := w.store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	read := func(path string) [][]string {
		t.Helper()
		got := w.get(t, path)
		_, body, _ := strings.Cut(got.body, "\r\n\r\n")
		rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
		if err != nil || got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
			t.Fatalf("%d %v: %v", got.StatusCode, got.Header, err)
		}
		return rows
	}
	own := []string{"2026-11-22", key.ID, "'=cmd|' /C calc'!A0", "deliverable", "recipient_accepted", "Mailbox accepts mail", "0", "3", "600"}
	page := []string{"2026-11-20", "dashboard", "Dashboard", "undeliverable", "mailbox_not_found", "Mailbox does not exist", "1", "1", "1"}
	if diff := cmp.Diff([][]string{usageColumns, page, own}, read("/usage.csv?days=7")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]string{usageColumns, own}, read("/usage.csv?key="+key.ID)); diff != "" {
		t.Error(diff)
	}
	if got := w.get(t, "/usage.csv?days=7").Header.Get("Content-Disposition"); got != `attachment; filename="rcpt-usage-2026-11-16-2026-11-22.csv"` {
		t.Error(got)
	}
	if got := w.get(t, "/usage?days=7&key="+key.ID).body; !strings.Contains(got, "/usage.csv?days=7&amp;key="+key.ID) || !strings.Contains(got, "with the key “") {
		t.Error("the page does not lead to its file")
	}
	w.client = w.browser()
	if got := w.get(t, "/usage.csv?days=7"); got.StatusCode != http.StatusSeeOther {
		t.Errorf("a stranger: %d", got.StatusCode)
	}
}

// TestKeyNames: two keys of one name are told apart.
func TestKeyNames(t *testing.T) {
	names := namesOf([]store.Key{{ID: "key_aaaa1111", Name: "shop"}, {ID: "key_bbbb2222", Name: "shop"}, {ID: "key_cccc3333", Name: "till"}})
	if names["key_aaaa1111"] != "shop (…1111)" || names["key_bbbb2222"] != "shop (…2222)" || names["key_cccc3333"] != "till" {
		t.Errorf("%v", names)
	}
}
