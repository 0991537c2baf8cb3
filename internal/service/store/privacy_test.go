//go:build unix

package store

import (
	"os"
	"strings"
	"testing"
)

// TestPrivacyPage: the page says of each table what it keeps.
func TestPrivacyPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/privacy.md")
	check(t, err)
	var named string // the first cells of the rows of tables
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(line, "|"); len(cells) > 4 {
			named += cells[1]
		}
	}
	tables, err := open(t, sqliteEngine.empty(t)).tables(t.Context())
	check(t, err)
	for _, table := range tables {
		if !strings.Contains(named, "`"+table+"`") {
			t.Errorf("docs/privacy.md does not say what the table %s has of people", table)
		}
	}
}
