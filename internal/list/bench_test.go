package list

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// BenchmarkCSV reads and writes rows of ten columns.
func BenchmarkCSV(b *testing.B) {
	list := strings.Repeat("1,\"Doe, Jane\",jane.doe@acme.example,Street 1,12345,City,Country,2024-01-01,yes,\n", 10000)
	b.SetBytes(int64(len(list)) / 10000)
	b.ReportAllocs()
	var out []byte
	for done := 0; done < b.N; {
		r, err := NewReader(strings.NewReader(list), Options{Format: CSV})
		if err != nil {
			b.Fatal(err)
		}
		w, err := NewWriter(r, Output{Format: CSV})
		if err != nil {
			b.Fatal(err)
		}
		for ; done < b.N; done++ {
			row, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			out = w.Append(out[:0], row.Raw, verified)
		}
	}
}
