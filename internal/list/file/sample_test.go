package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sampled returns the addresses of a sample.
func sampled(t *testing.T, list string, s Sample) (addresses []string, in *Input, err error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "list.txt")
	check(t, os.WriteFile(name, []byte(list), 0o600))
	in, err = OpenInput(InputOptions{Name: name, Sample: s})
	check(t, err)
	t.Cleanup(in.Close)
	for {
		item, err := in.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return addresses, in, nil
		}
		if err != nil {
			return addresses, in, err
		}
		addresses = append(addresses, item.Email)
	}
}

// TestSample: each row is as likely as the others, the order is that of the
// list, and a seed chooses the same rows again.
func TestSample(t *testing.T) {
	const rows, size, draws = 40, 10, 1000
	var list strings.Builder
	for i := range rows {
		fmt.Fprintf(&list, "a%02d@acme.example\n", i)
	}
	name := filepath.Join(t.TempDir(), "list.txt")
	check(t, os.WriteFile(name, []byte(list.String()), 0o600))
	times := make(map[string]int)
	for seed := range uint64(draws) {
		in, err := OpenInput(InputOptions{Name: name, Sample: Sample{size, seed}})
		check(t, err)
		var got []string
		for item, err := in.Next(t.Context()); err == nil; item, err = in.Next(t.Context()) {
			got = append(got, item.Email)
			times[item.Email]++
		}
		if len(got) != size || !slices.IsSorted(got) || in.Total() != (Total{size, true}) || in.Notes().Drawn != rows {
			t.Fatalf("seed %d: %q, %+v, %+v", seed, got, in.Total(), in.Notes())
		}
		in.Close()
	}
	for email, n := range times {
		if n < draws*size/rows*8/10 || n > draws*size/rows*12/10 { // the seeds are always the same
			t.Errorf("%s is in %d samples of %d", email, n, draws)
		}
	}
	first, _, _ := sampled(t, list.String(), Sample{size, 7})
	again, _, _ := sampled(t, list.String(), Sample{size, 7})
	if !slices.Equal(first, again) {
		t.Errorf("%q, then %q", first, again)
	}
	if all, in, _ := sampled(t, "a@acme.example\nb@acme.example\n", Sample{5, 1}); len(all) != 2 || in.Notes().Drawn != 2 {
		t.Errorf("%q", all)
	}
}

// TestSampleOfBroken: a list that cannot be read to its end has no sample.
func TestSampleOfBroken(t *testing.T) {
	name := filepath.Join(t.TempDir(), "list.csv")
	check(t, os.WriteFile(name, []byte("id,email\n1,a@acme.example\n\"2,b@acme.example\n"), 0o600))
	in, err := OpenInput(InputOptions{Name: name, Sample: Sample{1, 1}})
	check(t, err)
	defer in.Close()
	if item, err := in.Next(t.Context()); err == nil || errors.Is(err, io.EOF) || in.Notes().Failed == nil {
		t.Errorf("%+v, %v", item, err)
	}
}
