package bulk

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"sync"

	"github.com/rcpt/rcpt"
	"github.com/rcpt/rcpt/internal/sys/flight"
)

// Addresses returns a source of the addresses that seq yields, without rows.
func Addresses(seq iter.Seq[string]) Source {
	if seq == nil {
		return nil // an error of Run
	}
	return Items(func(yield func(Item, error) bool) {
		for address := range seq {
			if !yield(Item{Email: address}, nil) {
				return
			}
		}
	})
}

// Items returns a source of the items that seq yields; an error of it ends the
// source. A run that ends before seq does stops it: its yield returns false.
// While seq waits for its next item the run cannot end, so seq should not wait
// longer than the context of the run.
func Items(seq iter.Seq2[Item, error]) Source {
	if seq == nil {
		return nil // an error of Run
	}
	return &iterated{seq: seq}
}

// RowsOf returns a source of the rows that seq yields, each with the address
// that email returns. A row is kept as its JSON, so that it can wait in a file:
// [WriteRows] has what encoding/json keeps of it.
func RowsOf[T any](seq iter.Seq2[T, error], email func(T) string) Source {
	if seq == nil || email == nil {
		return nil // an error of Run
	}
	return Items(func(yield func(Item, error) bool) {
		for row, err := range seq {
			var kept []byte
			if err == nil {
				kept, err = json.Marshal(row)
			}
			if err != nil {
				yield(Item{}, err)
				return
			}
			if !yield(Item{Email: email(row), Row: kept}, nil) {
				return
			}
		}
	})
}

// WriteRows returns a sink that calls write with each row of a source that
// [RowsOf] has made, and its result. It collects nothing.
func WriteRows[T any](write func(ctx context.Context, row T, result rcpt.Result) error) Sink {
	if write == nil {
		return nil // an error of Run
	}
	return SinkFunc(func(ctx context.Context, item Item, result rcpt.Result) error {
		var row T
		if err := json.Unmarshal(item.Row, &row); err != nil {
			return err
		}
		return write(ctx, row, result)
	})
}

// SinkFunc is a function as a [Sink] that collects nothing.
type SinkFunc func(ctx context.Context, item Item, result rcpt.Result) error

// Write calls f.
func (f SinkFunc) Write(ctx context.Context, item Item, result rcpt.Result) error {
	return f(ctx, item, result)
}

// Flush does nothing.
func (f SinkFunc) Flush(context.Context) error { return nil }

// iterated is an iterator as a source.
type iterated struct {
	seq iter.Seq2[Item, error]

	mu   sync.Mutex
	next func() (Item, error, bool)
	stop func()
}

// Next implements [Source].
func (s *iterated) Next(ctx context.Context) (Item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next, s.stop = iter.Pull2(s.seq)
		context.AfterFunc(ctx, s.end)
	}
	item, err, more := s.next()
	switch {
	case more:
		return item, err
	case ctx.Err() != nil: // the seq may not be at its end
		return Item{}, flight.Ended(ctx)
	}
	return Item{}, io.EOF
}

func (s *iterated) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop()
}
