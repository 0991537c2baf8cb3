package file

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestAddressesDoNotHoldTheirRows reads rows of a megabyte and keeps what a run
// keeps of a row that was written: the address, for duplicates.
func TestAddressesDoNotHoldTheirRows(t *testing.T) {
	const rows, wide = 100, 1_000_000
	fill := strings.Repeat("x", wide)
	for name, row := range map[string]func(fill string) string{
		"a.csv":   func(fill string) string { return "u@a.example," + fill + "\n" },
		"a.jsonl": func(fill string) string { return `{"email":"u@a.example","x":"` + fill + "\"}\n" },
	} {
		list := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(list, []byte(row("")+strings.Repeat(row(fill), rows)), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := OpenInput(InputOptions{Name: list})
		if err != nil {
			t.Fatal(err)
		}
		before := heap()
		var kept []string
		for {
			item, err := in.Next(t.Context())
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, item.Email)
		}
		if grown := heap() - before; len(kept) != rows+1 || grown > rows*wide/2 {
			t.Errorf("%s: %d addresses hold %d octets", name, len(kept), grown)
		}
		runtime.KeepAlive(kept)
		in.Close()
	}
}

// heap returns the octets in use.
func heap() int64 {
	runtime.GC()
	var figures runtime.MemStats
	runtime.ReadMemStats(&figures)
	return int64(figures.HeapAlloc)
}
