package dashboard

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/service/store"
)

// usageColumns are those of the file, which has a row for each day, key,
// result, reason and whether it was remembered.
var usageColumns = []string{
	"day", "key_id", "key", "result", "reason", "reason_text", "remembered", "checks", "milliseconds",
}

// exportUsage sends what the page shows as a file for spreadsheets and
// programs.
func (d *Dashboard) exportUsage(v *visit) error {
	asked, err := d.usageAsked(v)
	if err != nil {
		return err
	}
	used, err := d.config.Store.Usage(v.r.Context(), asked.query())
	if err != nil {
		return err
	}
	var file bytes.Buffer // a fault must not leave half a file
	if err := writeUsage(&file, used, asked.names); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="rcpt-usage-%s-%s.csv"`, asked.first.Format(time.DateOnly), asked.last.UTC().Format(time.DateOnly)))
	v.w.WriteHeader(http.StatusOK)
	_, _ = file.WriteTo(v.w) // the browser may have gone
	return nil
}

func writeUsage(w *bytes.Buffer, used []store.Usage, names map[string]string) error {
	out := csv.NewWriter(w)
	if err := out.Write(usageColumns); err != nil {
		return err
	}
	for _, u := range used {
		remembered := "0"
		if u.Cached {
			remembered = "1"
		}
		if err := out.Write([]string{
			u.Day.Format(time.DateOnly), spreadsheetText(u.Key), spreadsheetText(cmp.Or(names[u.Key], u.Key)), spreadsheetText(u.Result), spreadsheetText(u.Reason),
			spreadsheetText(reasonName(rcpt.Reason(u.Reason))), remembered, strconv.FormatInt(u.Count, 10), strconv.FormatInt(u.Duration.Milliseconds(), 10),
		}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// spreadsheetText is a text that no spreadsheet takes for a formula: names of
// keys are what people typed.
func spreadsheetText(text string) string {
	if strings.IndexAny(strings.TrimLeft(text, " \t\r\n"), "=+-@") == 0 {
		return "'" + text
	}
	return text
}
