package bulk_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// execer is what the sink needs of a database: *sql.DB, *sql.Conn and *sql.Tx
// have it.
type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// table is a sink that writes many rows with one statement.
type table struct {
	db      execer
	batch   int // rows in a statement
	pending []any
}

// Write implements [bulk.Sink]. Run calls it from one goroutine.
func (t *table) Write(ctx context.Context, item bulk.Item, result rcpt.Result) error {
	// The reason is there without details, too. An empty cell says that the
	// verification was not carried out, so that a later run tries again.
	verdict := string(result.Verdict)
	if result.Reason.Failed() {
		verdict = ""
	}
	t.pending = append(t.pending, string(item.Row), verdict, string(result.Reason))
	if len(t.pending) < 3*t.batch {
		return nil
	}
	return t.Flush(ctx)
}

// Flush implements [bulk.Sink]. Run calls it when the queue pauses, and at
// the end.
func (t *table) Flush(ctx context.Context) error {
	if len(t.pending) == 0 {
		return nil
	}
	rows := strings.Repeat(", (?, ?, ?)", len(t.pending)/3)
	_, err := t.db.ExecContext(ctx, "INSERT INTO verified (customer, verdict, reason) VALUES "+rows[2:], t.pending...)
	t.pending = t.pending[:0]
	return err
}

// customers is a source: a channel that another part of the program fills and
// closes.
type customers <-chan bulk.Item

// Next implements [bulk.Source].
func (c customers) Next(ctx context.Context) (bulk.Item, error) {
	select {
	case item, ok := <-c:
		if !ok {
			return bulk.Item{}, io.EOF
		}
		return item, nil
	case <-ctx.Done():
		return bulk.Item{}, ctx.Err()
	}
}

// printed stands in for a database.
type printed struct{}

func (printed) ExecContext(_ context.Context, query string, args ...any) (sql.Result, error) {
	_, err := fmt.Printf("%s %q\n", query, args)
	return nil, err
}

// A worker verifies addresses from a channel and writes the results into a
// database.
func ExampleRun_database() {
	queue := make(chan bulk.Item)
	go func() {
		defer close(queue)
		queue <- bulk.Item{Email: "alice@example.com", Row: []byte("customer-1")}
		queue <- bulk.Item{Email: "bob(at)example.com", Row: []byte("customer-2")}
		queue <- bulk.Item{Email: "Carol@example.com", Row: []byte("customer-3")}
	}()
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax}) // so that the example needs no network
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close() // after Run has returned

	sink := &table{db: printed{}, batch: 2}
	summary, err := bulk.Run(context.Background(), customers(queue), sink, bulk.Options{
		Verifier: verifier,
		Trim:     rcpt.Result.WithoutDetails,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(summary.Written, "written,", summary.Failed, "failed")
	// Output:
	// INSERT INTO verified (customer, verdict, reason) VALUES (?, ?, ?), (?, ?, ?) ["customer-1" "unknown" "level_reached" "customer-2" "undeliverable" "invalid_syntax"]
	// INSERT INTO verified (customer, verdict, reason) VALUES (?, ?, ?) ["customer-3" "unknown" "level_reached"]
	// 3 written, 0 failed
}
