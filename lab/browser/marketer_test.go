//go:build browser

package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdp "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/xuri/excelize/v2"

	"github.com/rcpt/rcpt/internal/testkit"
)

// shopExport is what shops export: a first sheet that says what the second one
// is, and there a title above the header, and customers without an address.
func shopExport(t *testing.T) string {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	customers := [][]any{{"Kundenexport Laden am Markt, 24.11.2026"}, {}, {"Kd.-Nr.", "Name", "E-Mail", "PLZ"}}
	for i := range 30 {
		email := fmt.Sprintf("kunde%d@d%d.example", i, i%4)
		switch {
		case i%10 == 3:
			email = fmt.Sprintf("nobody@d%d.example", i)
		case i%10 == 7:
			email = ""
		}
		customers = append(customers, []any{fmt.Sprintf("%05d", i), fmt.Sprintf("Kunde %d", i), email, "01067"})
	}
	customers = append(customers, []any{"00030", "Kunde 0 again", "kunde0@d0.example", "01067"})
	for name, rows := range map[string][][]any{"Info": {{"Export vom 24.11.2026"}, {"Mandant", "Laden am Markt"}}, "Kunden": customers} {
		if _, err := book.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			if err := book.SetSheetRow(name, fmt.Sprintf("A%d", i+1), &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := book.DeleteSheet("Sheet1"); err != nil {
		t.Fatal(err)
	}
	if err := book.MoveSheet("Info", "Kunden"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "Kunden.xlsx")
	if err := book.SaveAs(file); err != nil {
		t.Fatal(err)
	}
	return file
}

// keepDownloads lets the browser keep what it downloads in a folder.
func keepDownloads(t *testing.T, ctx context.Context) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if _, err := chromedp.CallBrowser(ctx, cdp.SetDownloadBehavior, cdp.SetDownloadBehaviorParams{
		Behavior: cdp.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder}); err != nil {
		t.Fatal(err)
	}
	return folder
}

// kept waits for a file that the browser downloads: it is empty until all of it
// has arrived.
func kept(t *testing.T, file string) {
	t.Helper()
	testkit.Eventually(t, "the safe ones are there", func() bool {
		found, err := os.Stat(file)
		return err == nil && found.Size() > 0
	})
}

// TestMarketer goes from the export of a shop to the file that is mailed in
// three clicks: the file, Start, Excel.
func TestMarketer(t *testing.T) {
	s := newSite(t, nil)
	s.release()
	ctx := newBrowser(t)
	s.enter(t, ctx)
	folder := keepDownloads(t, ctx)
	do(t, ctx, chromedp.Navigate(s.URL+"/lists"), chromedp.SetUploadFiles(chromedp.CSS("#list"), []string{shopExport(t)}), shown("#first"))
	if text := read(t, ctx, "main"); !strings.Contains(text, "Kunde 1") || !strings.Contains(text, "E-Mail") {
		t.Errorf("what was found:\n%s", text)
	}
	album{name: "marketer-new"}.take(t, ctx)
	do(t, ctx, click(".head .primary"), listEnded)
	if text := read(t, ctx, ".answer"); !strings.Contains(text, "can be mailed") {
		t.Errorf("the sentence on top: %s", text)
	}
	album{name: "marketer-list"}.take(t, ctx)
	do(t, ctx, click(`[aria-label="Safe for Excel"]`))
	file := filepath.Join(folder, "Kunden.safe.xlsx")
	kept(t, file)
	book, err := excelize.OpenFile(file)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	rows, err := book.GetRows(book.GetSheetList()[0])
	if err != nil || len(rows) < 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	safe := strings.Join(rows[len(rows)-1], " ")
	for _, row := range rows {
		if text := strings.Join(row, " "); strings.Contains(text, "nobody@") {
			t.Errorf("it is not safe: %s", text)
		}
	}
	if !strings.Contains(safe, "kunde0@d0.example") || !strings.Contains(safe, "01067") {
		t.Errorf("the last row: %s", safe)
	}
	if path := eval[string](t, ctx, `location.pathname`); !strings.HasPrefix(path, "/lists/job") {
		t.Errorf("the download led away to %s", path)
	}
}

// TestListWithoutScript goes the same way in a browser that runs no script.
func TestListWithoutScript(t *testing.T) {
	s := newSite(t, nil)
	s.release()
	ctx := newBrowser(t)
	s.enter(t, ctx)
	folder := keepDownloads(t, ctx)
	if _, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.Navigate(s.URL+"/lists"), shown(".pick"), chromedp.SetUploadFiles(chromedp.CSS("#list"), []string{shopExport(t)}),
		shown(".picked"), click(".upload"), shown("#first"))
	if text := read(t, ctx, "main"); !strings.Contains(text, "Kunde 1") || strings.Contains(text, "or drop it here") {
		t.Errorf("what was found:\n%s", text)
	}
	do(t, ctx, click("details summary"), follow("#read"), shown("#first"), click(".head .primary"), shown("#progress"))
	testkit.Eventually(t, "the list has ended", func() bool {
		do(t, ctx, chromedp.Reload(), shown("#progress"))
		return eval[bool](t, ctx, `document.querySelector("#progress:not([data-events])") !== null`)
	})
	if text := read(t, ctx, "#progress"); !strings.Contains(text, "27 of 27") {
		t.Errorf("what was asked about:\n%s", text)
	}
	if text := read(t, ctx, "main"); !strings.Contains(text, "UTC") || !strings.Contains(text, "can be mailed") {
		t.Errorf("the list:\n%s", text)
	}
	do(t, ctx, click("[name=once]"), click(`[aria-label="Safe as CSV"]`))
	file := filepath.Join(folder, "Kunden.safe.csv")
	kept(t, file)
	octets, err := os.ReadFile(file)
	if n := strings.Count(string(octets), "kunde0@d0.example"); err != nil || n == 0 || strings.Contains(string(octets), "Kunde 0 again") {
		t.Errorf("each address once: %v\n%s", err, octets)
	}
	do(t, ctx, click(".chips a:nth-child(4)"), shown(".rows"))
	if text := read(t, ctx, ".rows"); strings.Contains(text, "Safe") || !strings.Contains(text, "nobody@d3.example") {
		t.Errorf("the bad ones:\n%s", text)
	}
	do(t, ctx, click(".rows .name"), shown(".verdict.bad"))
}

// TestLocalTime: moments are shown in the time of the browser, with UTC beside.
func TestLocalTime(t *testing.T) {
	s := newSite(t, nil)
	s.release()
	ctx := newBrowser(t)
	s.enter(t, ctx)
	if _, err := chromedp.Call(ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Asia/Kolkata"}); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.Navigate(s.URL+"/lists"), choose(t, "List.csv", exampleList(10)), shown("#first"), click(".head .primary"), listEnded)
	at, err := time.Parse(time.RFC3339, eval[string](t, ctx, `document.querySelector("time.moment").getAttribute("datetime")`))
	if err != nil {
		t.Fatal(err)
	}
	local := at.In(time.FixedZone("", 19800)).Format("2 Jan 2006, 15:04 (")
	if text := read(t, ctx, "time.moment"); !strings.HasPrefix(text, local) || !strings.HasSuffix(text, at.UTC().Format("15:04 UTC)")) {
		t.Errorf("%s of %s", text, at)
	}
}

// TestReadingMenus: another sheet is shown as soon as it is chosen, several
// columns are read together, and of a wide table the column with the addresses
// is in sight.
func TestReadingMenus(t *testing.T) {
	s := newSite(t, nil)
	s.release()
	ctx := newBrowser(t)
	s.enter(t, ctx)
	do(t, ctx, chromedp.Navigate(s.URL+"/lists"), chromedp.SetUploadFiles(chromedp.CSS("#list"), []string{shopExport(t)}), shown("#sheet"),
		chromedp.SetValue(chromedp.CSS("#name"), "Mine"), chromedp.Evaluate[chromedp.Void](`{
			const menu = document.querySelector("#sheet");
			menu.value = "Info";
			menu.dispatchEvent(new Event("change", {bubbles: true}));
		}`),
		chromedp.WaitVisible(chromedp.Search(`//td[text()="Mandant"]`)))
	if kept := eval[string](t, ctx, `document.querySelector("#name").value`); kept != "Mine" {
		t.Errorf("what was typed became %q", kept)
	}
	album{name: "new-list-other-sheet"}.take(t, ctx)

	var wide strings.Builder
	for i := range 40 {
		fmt.Fprintf(&wide, "A column with a long name %c,", 'A'+i%26)
	}
	wide.WriteString("E-mail 1 - Value,E-mail 2 - Value,Notes\n")
	for i := range 20 {
		fmt.Fprintf(&wide, "%sada%d@d1.example,", strings.Repeat("cell,", 40), i)
		if i%2 == 0 {
			fmt.Fprintf(&wide, "home%d@d2.example", i)
		}
		wide.WriteString(",A note\n")
	}
	do(t, ctx, chromedp.Navigate(s.URL+"/lists"), choose(t, "Contacts.csv", wide.String()), shown("#first"))
	album{name: "new-list-wide"}.take(t, ctx)
	do(t, ctx, chromedp.EmulateViewport(390, 800), chromedp.Reload(), shown("#first"))
	if seen := eval[bool](t, ctx, `(() => { const box = document.querySelector(".scroll").getBoundingClientRect(), column = document.querySelector(".chosen").getBoundingClientRect();
		return column.left >= box.left && column.left < box.right - 100; })()`); !seen {
		t.Error("the column with the addresses is out of sight")
	}
	if ticked := eval[int](t, ctx, `document.querySelectorAll("[name=column]:checked").length`); ticked != 2 {
		t.Errorf("%d columns are ticked, want 2", ticked)
	}
	do(t, ctx, click(".head .primary"), listEnded)
	if text := read(t, ctx, "main"); !strings.Contains(text, "home0@d2.example") || !strings.Contains(text, "ada0@d1.example") {
		t.Errorf("a column was not read:\n%s", text)
	}
	album{name: "list-two-columns"}.take(t, ctx)
}
