package bulk_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
	"strings"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

func ExampleRun() {
	verifier, err := engine.New(engine.Config{
		Level: engine.LevelSyntax, // so that the example needs no network
	})
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()

	lines := strings.SplitSeq("info@example.com\nno address\ninfo@EXAMPLE.com", "\n")
	printer := bulk.SinkFunc(func(_ context.Context, item bulk.Item, result rcpt.Result) error {
		_, err := fmt.Println(item.Email, result.Verdict, result.Reason)
		return err
	})
	summary, err := bulk.Run(context.Background(), bulk.Addresses(lines), printer, bulk.Options{Verifier: verifier})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(summary.Written, "written,", summary.Duplicates, "duplicate")
	// Output:
	// info@example.com unknown level_reached
	// no address undeliverable invalid_syntax
	// info@EXAMPLE.com unknown level_reached
	// 3 written, 1 duplicate
}

// records yields the records of a CSV file.
func records(from *csv.Reader) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for {
			record, err := from.Read()
			if errors.Is(err, io.EOF) || !yield(record, err) {
				return
			}
		}
	}
}

// A column is added to a CSV file. Its cells have more than addresses, which
// Clean takes. A row goes through the run whatever its type is.
func ExampleRowsOf() {
	verifier, err := engine.New(engine.Config{Level: engine.LevelSyntax}) // so that the example needs no network
	if err != nil {
		log.Fatal(err)
	}
	defer verifier.Close()

	list := csv.NewReader(strings.NewReader("17,Ann <ann@example.com>\n18,n/a\n19,bob@example..com\n"))
	checked := csv.NewWriter(os.Stdout)
	defer checked.Flush()
	source := bulk.RowsOf(records(list), func(row []string) string { return row[1] })
	sink := bulk.WriteRows(func(_ context.Context, row []string, result rcpt.Result) error {
		return checked.Write(append(row, result.Email, string(result.Action())))
	})
	if _, err := bulk.Run(context.Background(), source, sink, bulk.Options{Verifier: verifier, Clean: true}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 17,Ann <ann@example.com>,ann@example.com,review
	// 18,n/a,n/a,none
	// 19,bob@example..com,bob@example..com,remove
}
