package bulk_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/rcpt/rcpt/bulk"
	"github.com/rcpt/rcpt/engine"
)

// lineSource reads an address per line.
type lineSource struct{ lines *bufio.Scanner }

func (s lineSource) Next(context.Context) (bulk.Item, error) {
	if s.lines.Scan() {
		return bulk.Item{Email: s.lines.Text()}, nil
	}
	if err := s.lines.Err(); err != nil {
		return bulk.Item{}, err
	}
	return bulk.Item{}, io.EOF
}

// printer prints a result per line.
type printer struct{}

func (printer) Write(_ context.Context, item bulk.Item, result engine.Result) error {
	_, err := fmt.Println(item.Email, result.Verdict, result.Reason)
	return err
}

func ExampleRun() {
	verifier, err := engine.New(engine.Config{
		Level: engine.LevelSyntax, // so that the example needs no network
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer verifier.Close()

	list := strings.NewReader("info@example.com\nno address\ninfo@EXAMPLE.com\n")
	summary, err := bulk.Run(context.Background(), lineSource{bufio.NewScanner(list)}, printer{}, bulk.Options{Verifier: verifier})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(summary.Written, "written,", summary.Duplicates, "duplicate")
	// Output:
	// info@example.com unknown level_reached
	// no address undeliverable invalid_syntax
	// info@EXAMPLE.com unknown level_reached
	// 3 written, 1 duplicate
}
