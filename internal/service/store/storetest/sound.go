package storetest

import (
	"database/sql"
	"net/url"
	"testing"

	_ "modernc.org/sqlite" // the driver
)

// Sound fails the test if SQLite finds a fault in the embedded database in
// file. A process may be using it.
func Sound(t testing.TB, file string) {
	t.Helper()
	name := url.URL{
		Scheme: "file", OmitHost: true, Path: file,
		RawQuery: url.Values{"_pragma": {"busy_timeout(10000)", "query_only(ON)"}}.Encode(),
	}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, pragma := range []string{"integrity_check", "foreign_key_check"} {
		found, err := faults(db, pragma)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range found {
			t.Errorf("%s: %s", pragma, fault)
		}
	}
}

// faults are the first columns of what the check returns, without the word that
// all is well.
func faults(db *sql.DB, pragma string) (found []string, err error) {
	rows, err := db.Query("PRAGMA " + pragma)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var first sql.NullString
		row := make([]any, len(columns))
		for i := range row {
			row[i] = new(any)
		}
		row[0] = &first
		if err := rows.Scan(row...); err != nil {
			return nil, err
		}
		if first.String != "ok" {
			found = append(found, first.String)
		}
	}
	return found, rows.Err()
}
