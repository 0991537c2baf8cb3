package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// maxParameters limits the parameters of one statement. SQLite's driver finds
// each by a linear search: with 200, rows take three times as long.
const maxParameters = 100

// upsert is an INSERT of many rows.
type upsert struct {
	table   string
	columns []string
	then    string // what follows the values
}

// run inserts the rows, in as few statements as maxParameters allows.
func (u upsert) run(ctx context.Context, tx *sql.Tx, rows [][]any) error {
	most := maxParameters / len(u.columns)
	for len(rows) > 0 {
		n := min(most, len(rows))
		args := make([]any, 0, n*len(u.columns))
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		if _, err := tx.ExecContext(ctx, u.text(n), args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

func (u upsert) text(rows int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "INSERT INTO %s (%s) VALUES ", u.table, strings.Join(u.columns, ", "))
	for row := range rows {
		text.WriteString(strings.Repeat(", ", min(row, 1)) + "(")
		for column := range u.columns {
			fmt.Fprintf(&text, "%s$%d", strings.Repeat(", ", min(column, 1)), row*len(u.columns)+column+1)
		}
		text.WriteString(")")
	}
	return text.String() + " " + u.then
}
